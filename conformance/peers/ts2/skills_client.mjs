// Reads all skills of a server with version 2 of the official TypeScript SDK, which verifies them, and says in one line of
// JSON what it found.
//
//   skills_client.mjs COMMAND [ARGUMENT…]
import { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'ts2-skills', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StdioClientTransport({ command, args }));
const skills = new SkillsClient(client);
const { skills: entries, invalid } = await skills.list();
const found = [];
for (const entry of entries) {
    const { skill } = await skills.get(entry.uri);
    const files = {};
    for (const { uri } of skill.resources) {
        const { verified, bytes, mimeType } = await skills.read(skill, uri);
        files[uri] = { verified, bytes: Buffer.from(bytes).toString('base64'), mimeType };
    }
    const root = entry.uri.replace('/SKILL.md', '');
    const { resources } = await skills.readDirectory(root);
    found.push({ entry, isSame: JSON.stringify(skill) === JSON.stringify(entry), files, children: resources });
}
console.log(JSON.stringify({ version: client.getNegotiatedProtocolVersion(), directoryRead: skills.directoryRead, invalid, found }));
await client.close();
