// A client over HTTP+SSE on version 2 of the official TypeScript SDK. See ../http_sse.mjs.
import { Client, SSEClientTransport } from '@modelcontextprotocol/client';
import { run } from '../http_sse.mjs';
import { oneByOne } from '../scenario.mjs';

await run((version, url) => {
    const transport = new SSEClientTransport(url);
    const options = { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: offered(version) };
    const client = new Client({ name: 'ts2-sse-client', version: '1.0.0' }, { capabilities: { roots: {} }, ...options });
    client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///a' }] }));
    return {
        changed: new Promise(resolve => client.setNotificationHandler('notifications/tools/list_changed', resolve)),
        async connect() {
            await client.connect(transport);
            oneByOne(transport);
            return { version: client.getNegotiatedProtocolVersion(), server: client.getServerVersion()?.name };
        },
        list: async () => (await client.listTools()).tools,
        call: (name, args, options) => client.callTool({ name, arguments: args }, options),
        ping: () => client.ping(),
        close: () => client.close()
    };
});

/// The revision to offer, and the oldest, which a server may answer with.
function offered(version) {
    return [...new Set([version, '2024-11-05'])];
}
