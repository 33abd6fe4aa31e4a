// A client over HTTP+SSE on version 1 of the official TypeScript SDK. See ../http_sse.mjs.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { run } from '../http_sse.mjs';
import { oneByOne } from '../scenario.mjs';

await run((version, url) => {
    /// This SDK always offers its newest revision, so an older one is put into `initialize` on its way out.
    class DatedTransport extends SSEClientTransport {
        send(message) {
            if (message.method === 'initialize') {
                message = { ...message, params: { ...message.params, protocolVersion: version } };
            }
            return super.send(message);
        }

        setProtocolVersion(negotiated) {
            this.negotiated = negotiated;
            super.setProtocolVersion(negotiated);
        }
    }

    const transport = new DatedTransport(url);
    const client = new Client({ name: 'ts1-sse-client', version: '1.0.0' }, { capabilities: { roots: {} } });
    client.setRequestHandler(types.ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a' }] }));
    return {
        changed: new Promise(resolve => client.setNotificationHandler(types.ToolListChangedNotificationSchema, resolve)),
        async connect() {
            await client.connect(transport);
            oneByOne(transport);
            return { version: transport.negotiated, server: client.getServerVersion()?.name };
        },
        list: async () => (await client.listTools()).tools,
        call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
        ping: () => client.ping(),
        close: () => client.close()
    };
});
