// A client over HTTP+SSE on version 1 of the official TypeScript SDK.
//
//   http_sse_client.mjs VERSION URL
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { equal, fail, say, step, textOf } from '../report.mjs';
import { oneByOne } from '../scenario.mjs';

const [version, url] = process.argv.slice(2);

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

async function use() {
    const transport = new DatedTransport(new URL(url));
    const client = new Client({ name: 'ts1-sse-client', version: '1.0.0' }, { capabilities: { roots: {} } });
    client.setRequestHandler(types.ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a' }] }));
    const changed = new Promise(resolve => client.setNotificationHandler(types.ToolListChangedNotificationSchema, resolve));

    step('connect');
    await client.connect(transport);
    oneByOne(transport);
    say({ version: transport.negotiated, server: client.getServerVersion()?.name });

    const call = (name, args = {}, options) => client.callTool({ name, arguments: args }, undefined, options);
    step('calls');
    await client.ping();
    equal((await client.listTools()).tools.map(tool => tool.name).sort(), ['change', 'count', 'echo', 'roots', 'slow'], 'the tools');
    const texts = Array.from({ length: 32 }, (_, index) => `call ${index}: 世界\n`);
    const answers = await Promise.all(texts.map(text => call('echo', { text })));
    equal(answers.map(textOf), texts, 'the answers to calls made at the same time');
    const large = 'x'.repeat(1 << 20);
    if (textOf(await call('echo', { text: large })) !== large) fail('a large text came back changed');
    say({});

    step('progress');
    const seen = [];
    await call('count', { to: 5 }, { onprogress: ({ progress }) => seen.push(progress) });
    equal(seen, [1, 2, 3, 4, 5], 'the progress');
    say({});

    step('cancel');
    const abort = new AbortController();
    const slow = call('slow', {}, { signal: abort.signal, onprogress: () => abort.abort('no longer wanted') });
    if ((await slow.then(() => 'answered', () => 'failed')) === 'answered') fail('the cancelled call was answered');
    say({});

    step('asked');
    equal(textOf(await call('roots')), 'file:///a', 'what the server was told');
    await call('change');
    await changed;
    say({});

    step('close');
    await client.close();
    say({});
}

await use().catch(error => fail(error?.stack ?? error));
process.exit(0);
