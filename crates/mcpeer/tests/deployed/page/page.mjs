// What a page does with servers of another origin: see ../browser.rs.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const MODERN = '2026-07-28';
const CHANGED = 'notifications/tools/list_changed';
const WHO = { name: 'page', version: '1.0.0' };

export async function run(report) {
    const { allowing, refusing } = await (await fetch('/addresses')).json();
    report.modern = await second(allowing, { mode: { pin: MODERN } });
    report.legacy = await second(allowing, { mode: 'legacy' });
    report.first = await first(allowing);
    report.byHand = await byHand(allowing);
    report.refused = await refused(refusing);
}

/** Version 2 of the SDK. */
async function second(address, versionNegotiation) {
    const transport = new StreamableHTTPClientTransport(new URL(address));
    const client = new Client(WHO, { versionNegotiation });
    let tell;
    const changed = new Promise(resolve => (tell = resolve));
    client.setNotificationHandler(CHANGED, () => tell('told'));
    await client.connect(transport);
    const version = client.getNegotiatedProtocolVersion();
    if (version === MODERN) await client.listen({ toolsListChanged: true });
    return use(client, transport, version, changed, (call, options) => client.callTool(call, options));
}

/** Version 1 of the SDK, which has the stateful era alone. */
async function first(address) {
    const transport = new Transport1(new URL(address));
    const client = new Client1(WHO);
    let tell;
    const changed = new Promise(resolve => (tell = resolve));
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => tell('told'));
    await client.connect(transport);
    const call = (call, options) => client.callTool(call, undefined, options);
    return use(client, transport, transport.protocolVersion, changed, call);
}

async function use(client, transport, version, changed, call) {
    const text = result => result.content[0].text;
    const tools = (await client.listTools()).tools.map(tool => tool.name);
    const echo = text(await call({ name: 'echo', arguments: { text: 'Grüße' } }));
    const headers = JSON.parse(text(await call({ name: 'headers', arguments: {} })));
    const progress = [];
    await call({ name: 'count', arguments: {} }, { onprogress: ({ progress: step }) => progress.push(step) });
    await call({ name: 'change', arguments: {} });
    const session = transport.sessionId;
    const report = { version, tools, echo, headers, progress, changed: await changed, session };
    if (session) await transport.terminateSession();
    await client.close();
    return report;
}

/** What the SDKs do not do in a browser, or not at will. */
async function byHand(address) {
    const accept = 'application/json, text/event-stream';
    const params = {
        name: 'place',
        arguments: { region: 'us-west1' },
        _meta: {
            'io.modelcontextprotocol/protocolVersion': MODERN,
            'io.modelcontextprotocol/clientInfo': WHO,
            'io.modelcontextprotocol/clientCapabilities': {}
        }
    };
    const called = await fetch(address, {
        method: 'POST',
        headers: {
            accept,
            'content-type': 'application/json',
            'MCP-Protocol-Version': MODERN,
            'Mcp-Method': 'tools/call',
            'Mcp-Name': 'place',
            'Mcp-Param-Region': 'us-west1'
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    });
    const resumed = await fetch(address, {
        headers: {
            accept: 'text/event-stream',
            'MCP-Protocol-Version': '2025-11-25',
            'Mcp-Session-Id': 'nobody',
            'Last-Event-ID': '1'
        }
    });
    const ended = await fetch(address, { method: 'DELETE', headers: { 'Mcp-Session-Id': 'nobody' } });
    return {
        called: [called.status, (await called.json()).result.content[0].text],
        resumed: [resumed.status, (await resumed.json()).error.message],
        ended: ended.status
    };
}

/** A server that does not allow this page. */
async function refused(address) {
    const failure = async doing => doing.then(() => null, error => `${error.name}: ${error.message}`);
    const connect = mode =>
        new Client(WHO, { versionNegotiation: { mode } }).connect(new StreamableHTTPClientTransport(new URL(address)));
    return {
        modern: await failure(connect({ pin: MODERN })),
        legacy: await failure(connect('legacy')),
        fetch: await failure(fetch(address, { method: 'POST', body: '{}' }))
    };
}
