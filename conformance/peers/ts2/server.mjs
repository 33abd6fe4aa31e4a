// A server on version 2 of the official TypeScript SDK, on stdin and stdout, for both eras.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';
import { registerTools } from '../tools.mjs';

serveStdio(() => {
    const server = new McpServer({ name: 'ts2-server', version: '1.0.0' });
    registerTools(z.object, (name, config, handler) =>
        server.registerTool(name, config, async (args, context) =>
            handler(args, {
                signal: context.mcpReq.signal,
                token: context.mcpReq._meta?.progressToken,
                notify: notification => context.mcpReq.notify(notification)
            })
        )
    );
    return server;
});
