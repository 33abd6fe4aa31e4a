// What every TypeScript server offers for features.mjs. `sdk` wraps one SDK: object(fields) makes a schema,
// template(pattern, completions by variable), completable(schema, complete) and optional(schema, complete) an argument
// that can be completed; register(name, config, handler) adds a tool, prompt(…) and resource(…) the like, and their
// handlers get arguments and {ask, log}; server is the McpServer, updated(uri) tells of a change, whenRootsChange(hear)
// hears of one; extended(what) tells those of an addition whom the server itself does not reach.
import * as z from 'zod/v4';

export const COUNTER = 'test://counter';

// A server of the stateless era is made anew for each request, so what changes is kept here.
const added = new Set();
let count = 0;

export function registerOffers(sdk) {
    resources(sdk);
    prompts(sdk);
    questions(sdk);
    questionsElsewhere(sdk);
    rootsChanged(sdk);
    changes(sdk);
    sdk.register('log', { description: 'Logs at several levels', inputSchema: sdk.object({}) }, async (_, { log }) => {
        await log('debug', 'quiet');
        await log('info', { step: 1 });
        await log('warning', 'careful');
        await log('error', 'broken');
        return say('logged');
    });
}

function resources({ server, template }) {
    const plain = text => async uri => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text }] });
    server.registerResource('greeting', 'test://greeting', { mimeType: 'text/plain' }, plain('hello'));
    server.registerResource('bytes', 'test://bytes', { mimeType: 'application/octet-stream' }, async uri => ({
        contents: [{ uri: uri.href, mimeType: 'application/octet-stream', blob: Buffer.from([0, 1, 2, 255]).toString('base64') }]
    }));
    const complete = { id: value => among(value, ['alpha', 'alps', 'beta']) };
    server.registerResource('item', template('test://item/{id}', complete), { mimeType: 'text/plain' }, async (uri, { id }) =>
        plain(`item ${id}`)(uri)
    );
}

function prompts({ server, object, completable, optional }) {
    const style = (value, context) => among(value, context?.arguments?.name === 'ada' ? ['formal', 'friendly'] : ['plain']);
    const argsSchema = object({
        name: completable(z.string(), value => among(value, ['ada', 'alan', 'grace'])),
        style: optional(z.string(), style)
    });
    server.registerPrompt('greet', { description: 'Has somebody greeted', argsSchema }, ({ name, style }) => ({
        messages: [
            { role: 'user', content: { type: 'text', text: `Greet ${name}, ${style ?? 'plain'}` } },
            { role: 'assistant', content: { type: 'text', text: 'With pleasure.' } }
        ]
    }));
}

function questions({ register, object }) {
    const inputSchema = object({ how: z.string() });
    register('form', { description: 'Has a form filled in', inputSchema }, async ({ how }, { ask }) => {
        const { who } = await ask({ who: form(how) });
        return say(JSON.stringify(who));
    });
    register('address', { description: 'Has an address opened', inputSchema }, async ({ how }, { ask }) => {
        const params = { mode: 'url', message: `Sign in (${how})`, url: 'https://example.com/login', elicitationId: 'login' };
        const { login } = await ask({ login: { method: 'elicitation/create', params } });
        return say(login.action);
    });
    register('sample', { description: 'Has a model answer', inputSchema: object({}) }, async (_, { ask }) => {
        const { said } = await ask({ said: sampling('Hello', 'Be brief. ') });
        return say(`${said.model}: ${said.content.text}`);
    });
    register('use_tools', { description: 'Has a model use a tool', inputSchema: object({}) }, async (_, { ask }) => {
        const inputSchema = { type: 'object', properties: { word: { type: 'string' } } };
        const tools = [{ name: 'look_up', description: 'Looks a word up', inputSchema }];
        const question = { role: 'user', content: { type: 'text', text: 'What is tea?' } };
        const params = { messages: [question], maxTokens: 100, tools };
        const { first } = await ask({ first: { method: 'sampling/createMessage', params } });
        const [use] = [first.content].flat();
        const found = { type: 'tool_result', toolUseId: use.id, content: [{ type: 'text', text: `a drink, says ${use.name}` }] };
        const messages = [question, { role: 'assistant', content: [use] }, { role: 'user', content: [found] }];
        const { said } = await ask({ said: { method: 'sampling/createMessage', params: { ...params, messages } } });
        return say([said.content].flat()[0].text);
    });
    register('roots', { description: 'Asks for the roots', inputSchema: object({}) }, async (_, { ask }) => {
        const { roots } = (await ask({ roots: { method: 'roots/list' } })).roots;
        return say(roots.map(({ uri, name }) => `${uri} ${name ?? '-'}`).join(', '));
    });
    register('interview', { description: 'Asks two questions at once, then one more', inputSchema }, async ({ how }, { ask }) => {
        const { who, roots } = await ask({ who: form(how), roots: { method: 'roots/list' } });
        const { said } = await ask({ said: sampling(`Greet ${who.content.name}`) });
        return say(`${who.content.name} at ${roots.roots[0].uri}: ${said.content.text}`);
    });
}

function questionsElsewhere({ prompt, resource, template, object }) {
    const answer = async (how, ask) => `You are ${(await ask({ who: form(how) })).who.content?.name ?? 'nobody'}`;
    prompt('asked', { argsSchema: object({ how: z.string() }) }, async ({ how }, { ask }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: await answer(how, ask) } }]
    }));
    resource('asked', template('test://asked/{how}', {}), {}, async (uri, { how }, { ask }) => ({
        contents: [{ uri: uri.href, text: await answer(how, ask) }]
    }));
}

function rootsChanged({ register, object, whenRootsChange }) {
    let count = 0;
    let hear;
    const heard = new Promise(resolve => (hear = resolve));
    whenRootsChange(() => ((count += 1), hear()));
    register('roots_changed', { description: 'Waits until the roots have changed', inputSchema: object({}) }, async () => {
        await heard;
        return say(String(count));
    });
}

function changes(sdk) {
    const { server, register, object } = sdk;
    server.registerResource('counter', COUNTER, { mimeType: 'text/plain' }, async uri => ({
        contents: [{ uri: uri.href, mimeType: 'text/plain', text: String(count) }]
    }));
    register('change', { description: 'Changes the counter', inputSchema: object({}) }, async () => {
        count += 1;
        await sdk.updated(COUNTER);
        return say(String(count));
    });
    const add = what => {
        if (what === 'tool') register('added', { description: 'New', inputSchema: object({}) }, async () => say('added'));
        if (what === 'prompt') server.registerPrompt('added', {}, () => ({ messages: [] }));
        if (what === 'resource') server.registerResource('added', 'test://added', {}, async () => ({ contents: [] }));
    };
    added.forEach(add);
    const inputSchema = object({ what: z.string() });
    register('extend', { description: 'Adds a tool, a prompt, a resource or nothing, and tells of it', inputSchema }, async ({ what }) => {
        if (what === 'nothing') server.sendToolListChanged();
        add(what);
        added.add(what);
        sdk.extended?.(what);
        return say(what);
    });
}

function form(how) {
    const requestedSchema = {
        type: 'object',
        properties: {
            name: { type: 'string', minLength: 1 },
            age: { type: 'integer', minimum: 0 },
            member: { type: 'boolean', default: false },
            colour: { type: 'string', enum: ['blue', 'red'] }
        },
        required: ['name', 'age', 'colour']
    };
    return { method: 'elicitation/create', params: { mode: 'form', message: `Who are you? (${how})`, requestedSchema } };
}

function sampling(text, systemPrompt) {
    const messages = [{ role: 'user', content: { type: 'text', text } }];
    return { method: 'sampling/createMessage', params: { messages, maxTokens: 100, ...(systemPrompt && { systemPrompt }) } };
}

function among(typed, values) {
    return values.filter(value => value.startsWith(typed));
}

function say(text) {
    return { content: [{ type: 'text', text }] };
}
