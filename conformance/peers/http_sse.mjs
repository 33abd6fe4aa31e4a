// What every TypeScript client does with a server over HTTP+SSE, step by step, reported as scenario.mjs says.
//
//   http_sse_client.mjs VERSION URL
import { equal, fail, say, step, textOf } from './report.mjs';

/// A client wraps one SDK: connect() → {version, server}, list(), call(name, arguments, options), ping(), close(), and
/// changed, a promise that is kept when the server says that its tools have changed. It answers `roots/list` with
/// `file:///a`.
export async function run(open) {
    const [version, url] = process.argv.slice(2);
    try {
        await use(open(version, new URL(url)));
    } catch (error) {
        fail(error?.stack ?? error);
    }
    process.exit(0);
}

async function use(client) {
    const call = (name, args = {}, options) => client.call(name, args, options);

    step('connect');
    say(await client.connect());

    step('calls');
    await client.ping();
    equal((await client.list()).map(tool => tool.name).sort(), ['change', 'count', 'echo', 'roots', 'slow'], 'the tools');
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
    await client.changed;
    say({});

    step('close');
    await client.close();
    say({});
}
