// What every TypeScript client does with a server, step by step. One JSON line per step goes to stdout; the first
// expectation that fails ends the program with a text that names the step.
//
//   client.mjs SCENARIO VERSION COMMAND [ARGUMENT…]
//   client.mjs SCENARIO VERSION http URL
//
// SCENARIO is `calls`, which is here, or `features` or `unable`, which are in features.mjs. VERSION is a dated revision,
// or `auto` for what the two agree on.
import { existsSync } from 'node:fs';
import { features, MODERN, unable } from './features.mjs';
import { equal, fail, say, step, textOf } from './report.mjs';

const LARGE = 8 * 1024 * 1024;
const UNICODE = [
    'Grüße, 世界, שלום, 👩‍👩‍👧‍👦 🏳️‍🌈',
    'combining: e\u0301 a\u030a',
    'separators: \u2028 \u2029 \u0085 \ufeff',
    'escapes: "quoted" \\back/slash \t tab \r\n line \u0001 \u001f \u007f',
    'planes: \u{10ffff} \u{1f600} \uffff \ud7ff'
].join('\n');

/// A client wraps one SDK: connect() → {version, server, pid, exited}, the last two where the server is a child process,
/// sdk, list(), call(name, arguments, options), ping(), close(); and for the features answer(method, handler),
/// hear(method, handler), watch(filter). It declares the capabilities that it is given. The server is a command line, or
/// has a URL.
export async function run(open) {
    const [scenario, version, command, ...args] = process.argv.slice(2);
    const steps = { calls, features, unable }[scenario];
    if (steps === undefined || command === undefined) {
        fail('usage: client.mjs calls|features|unable VERSION COMMAND [ARGUMENT…], or … VERSION http URL');
    }
    const server = command === 'http' ? { url: new URL(args[0]) } : { command, args, stderr: 'inherit' };
    const answers = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } };
    const capabilities = scenario === 'features' ? answers : {};
    try {
        await steps(await open(version, server, capabilities), version);
    } catch (error) {
        fail(error?.stack ?? error);
    }
    process.exit(0);
}

async function calls(client, version) {
    step('connect');
    const { negotiated, server, pid, exited } = await client.connect();
    if (version !== 'auto') equal(negotiated, version, 'the negotiated version');
    say({ version: negotiated, server });

    if (negotiated !== MODERN) {
        step('ping');
        await client.ping();
        say({});
    }

    step('list');
    const tools = await client.list();
    const names = tools.map(tool => tool.name).sort();
    equal(names, ['add', 'cancelled', 'count', 'echo', 'fail', 'slow'], 'the names of the tools');
    const echoSchema = tools.find(tool => tool.name === 'echo').inputSchema;
    equal(echoSchema.type, 'object', 'the type of the input schema of echo');
    equal(echoSchema.properties.text.type, 'string', 'the type of the argument of echo');
    say({ names });

    step('call');
    equal(textOf(await client.call('echo', { text: 'hello' })), 'hello', 'the echo');
    say({});

    step('structured');
    const sum = await client.call('add', { a: 2, b: 3 });
    equal(JSON.parse(textOf(sum)), { sum: 5 }, 'the text of the sum');
    say({ structured: sum.structuredContent ?? null });

    step('parallel');
    const texts = Array.from({ length: 32 }, (_, index) => `call ${index}`);
    const answers = await Promise.all(texts.map(text => client.call('echo', { text })));
    equal(answers.map(textOf), texts, 'the answers to calls made at the same time');
    say({ calls: texts.length });

    step('progress');
    const seen = [];
    let settled = false;
    const counted = await client.call('count', { to: 5 }, {
        onprogress: ({ progress, total }) => {
            if (settled) fail('a notification arrived after the answer');
            seen.push([progress, total]);
        }
    });
    settled = true;
    equal(textOf(counted), '5', 'the count');
    equal(seen, [[1, 5], [2, 5], [3, 5], [4, 5], [5, 5]], 'the progress');
    say({ seen: seen.length });

    step('cancel');
    const abort = new AbortController();
    const slow = client.call('slow', {}, { signal: abort.signal, onprogress: () => abort.abort('no longer wanted') });
    const outcome = await slow.then(() => 'answered', error => error);
    if (outcome === 'answered') fail('the cancelled call was answered');
    equal(textOf(await client.call('cancelled', { at_least: 1 })), '1', 'how many calls the server saw cancelled');
    equal(textOf(await client.call('echo', { text: 'still here' })), 'still here', 'the echo after the cancel');
    say({ outcome: String(outcome?.message ?? outcome) });

    step('tool error');
    const failed = await client.call('fail', { message: 'out of paper' });
    equal(failed.isError, true, 'isError of a failed tool');
    if (!textOf(failed).includes('out of paper')) fail(`the text was ${JSON.stringify(textOf(failed))}`);
    say({ text: textOf(failed) });

    step('unknown tool');
    const unknown = await client.call('no_such_tool', {}).then(
        result => ({ kind: result.isError ? 'result' : 'success', text: textOf(result) }),
        error => ({ kind: 'error', code: error?.code, text: String(error?.message) })
    );
    if (unknown.kind === 'success') fail('the call succeeded');
    say(unknown);

    step('large');
    const large = 'x'.repeat(LARGE);
    const returned = textOf(await client.call('echo', { text: large }));
    if (returned !== large) fail(`${returned.length} characters came back, which is not what was sent`);
    say({ bytes: returned.length });

    step('unicode');
    equal(textOf(await client.call('echo', { text: UNICODE })), UNICODE, 'the echo of unusual characters');
    say({});

    step('close');
    const begun = Date.now();
    await client.close();
    if (pid !== undefined) {
        const exit = await exited;
        equal(exit, { code: 0, signal: null }, 'how the server ended');
        if (existsSync(`/proc/${pid}`)) fail(`the server's process ${pid} is still there`);
    }
    say({ pid, milliseconds: Date.now() - begun });
}

/// Hands over one message per turn of the event loop. The SDKs lose a progress notification whose answer came in the
/// same read, because they put off the one and not the other.
export function oneByOne(transport) {
    const { onmessage } = transport;
    const queue = [];
    const next = () => {
        onmessage(...queue[0]);
        queue.shift();
        if (queue.length > 0) setImmediate(next);
    };
    transport.onmessage = (...message) => {
        if (queue.push(message) === 1) setImmediate(next);
    };
}

/// What there is to know of a transport's child process: its number, and how it ends, once it has. Nothing where the
/// server is elsewhere.
export function childOf({ pid, _process: child }) {
    if (child === undefined) return {};
    return { pid, exited: new Promise(resolve => child.once('exit', (code, signal) => resolve({ code, signal }))) };
}
