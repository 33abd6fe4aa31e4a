// Offers the skills of a folder with version 2 of the official TypeScript SDK, on stdin and stdout.
//
//   skills_server.mjs FOLDER
import { McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const catalog = await loadSkills(process.argv[2]);

serveStdio(() => {
    const server = new McpServer({ name: 'ts2-skills', version: '1.0.0' }, { capabilities: {} });
    catalog.attach(server);
    return server;
});
