// A server over HTTP+SSE on version 1 of the official TypeScript SDK, with the tools of ../tools.mjs. Says its port on
// stdout, and runs until the end of stdin.
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { registerTools } from '../tools.mjs';

const transports = new Map();

async function open(response) {
    const server = new McpServer({ name: 'ts1-sse-server', version: '1.0.0' });
    registerTools(shape => shape, (name, config, handler) =>
        server.registerTool(name, config, (args, extra) =>
            handler(args, {
                signal: extra.signal,
                token: extra._meta?.progressToken,
                notify: notification => extra.sendNotification(notification)
            })
        )
    );
    const transport = new SSEServerTransport('/messages', response);
    transports.set(transport.sessionId, transport);
    response.on('close', () => transports.delete(transport.sessionId));
    await server.connect(transport);
}

const http = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const transport = transports.get(searchParams.get('sessionId'));
    if (request.method === 'GET' && pathname === '/sse') {
        await open(response);
    } else if (request.method === 'POST' && pathname === '/messages' && transport !== undefined) {
        await transport.handlePostMessage(request, response);
    } else {
        response.writeHead(404).end();
    }
});
http.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: http.address().port })}\n`));
process.stdin.once('end', () => process.exit(0)).resume();
