// A client on version 2 of the official TypeScript SDK. See ../scenario.mjs.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { MODERN } from '../features.mjs';
import { childOf, oneByOne, run } from '../scenario.mjs';

await run(async (version, server, capabilities) => {
    const transport = server.url ? new StreamableHTTPClientTransport(server.url) : new StdioClientTransport(server);
    const client = new Client({ name: 'ts2-client', version: '1.0.0' }, { capabilities, ...negotiation(version) });
    return {
        sdk: client,
        async connect() {
            await client.connect(transport);
            oneByOne(transport);
            return {
                negotiated: client.getNegotiatedProtocolVersion(),
                server: client.getServerVersion()?.name,
                ...childOf(transport)
            };
        },
        list: async () => (await client.listTools()).tools,
        call: (name, args, options, _meta) => client.callTool({ name, arguments: args, ...(_meta && { _meta }) }, options),
        ping: () => client.ping(),
        async close() {
            await transport.terminateSession?.();
            await client.close();
        },
        answer: (method, handler) => client.setRequestHandler(method, async request => handler(request)),
        hear: (method, handler) => client.setNotificationHandler(method, handler),
        async watch(filter) {
            if (client.getNegotiatedProtocolVersion() === MODERN) {
                const subscription = await client.listen(filter);
                return { honoured: subscription.honoredFilter, close: () => subscription.close() };
            }
            const [uri] = filter.resourceSubscriptions;
            await client.subscribeResource({ uri });
            return { honoured: null, close: () => client.unsubscribeResource({ uri }) };
        }
    };
});

function negotiation(version) {
    if (version === 'auto') return { versionNegotiation: { mode: 'auto' } };
    if (version === MODERN) return { versionNegotiation: { mode: { pin: version } } };
    return { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [version] };
}
