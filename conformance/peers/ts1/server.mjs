// A server on version 1 of the official TypeScript SDK, on stdin and stdout.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { registerTools } from '../tools.mjs';

const server = new McpServer({ name: 'ts1-server', version: '1.0.0' });
registerTools(shape => shape, (name, config, handler) =>
    server.registerTool(name, config, async (args, extra) =>
        handler(args, {
            signal: extra.signal,
            token: extra._meta?.progressToken,
            notify: notification => extra.sendNotification(notification)
        })
    )
);
// This SDK's transport does not look at the end of its input, and a server has to.
process.stdin.once('end', () => server.close());
await server.connect(new StdioServerTransport());
