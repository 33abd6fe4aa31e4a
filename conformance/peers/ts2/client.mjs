// A client on version 2 of the official TypeScript SDK. See ../scenario.mjs.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { exitOf, MODERN, oneByOne, run } from '../scenario.mjs';

await run(async (version, server) => {
    const transport = new StdioClientTransport(server);
    const client = new Client({ name: 'ts2-client', version: '1.0.0' }, negotiation(version));
    return {
        async connect() {
            await client.connect(transport);
            oneByOne(transport);
            return {
                negotiated: client.getNegotiatedProtocolVersion(),
                server: client.getServerVersion()?.name,
                pid: transport.pid,
                exited: exitOf(transport._process)
            };
        },
        list: async () => (await client.listTools()).tools,
        call: (name, args, options) => client.callTool({ name, arguments: args }, options),
        ping: () => client.ping(),
        close: () => client.close()
    };
});

function negotiation(version) {
    if (version === 'auto') return { versionNegotiation: { mode: 'auto' } };
    if (version === MODERN) return { versionNegotiation: { mode: { pin: version } } };
    return { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [version] };
}
