// What a TypeScript client does with a server that offers what offers.mjs does: resources, prompts, completion, log
// messages, questions to the client, changes. Each step says what came of it; whether that is right, the test knows.
import { equal, fail, say, step, tell, textOf } from './report.mjs';

export const MODERN = '2026-07-28';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const COUNTER = 'test://counter';
const CHANGES = {
    tool: 'notifications/tools/list_changed',
    prompt: 'notifications/prompts/list_changed',
    resource: 'notifications/resources/list_changed'
};

export async function features(client, version) {
    const heard = new Heard();
    const asked = [];
    answerQuestions(client, asked);
    for (const method of ['notifications/message', 'notifications/resources/updated', ...Object.values(CHANGES)]) {
        client.hear(method, notification => heard.push(notification));
    }

    step('connect');
    const { negotiated, exited } = await client.connect();
    if (version !== 'auto') equal(negotiated, version, 'the negotiated version');
    say({ value: negotiated });
    const isModern = negotiated === MODERN;

    await resources(client);
    await prompts(client);
    await logs(client, isModern, heard);
    await questions(client, asked);
    if (!isModern) await rootsChanged(client);
    await changes(client, isModern, heard);

    step('close');
    await client.close();
    const { code, signal } = (await exited) ?? {};
    say({ value: signal ?? code ?? null });
}

/// What a client is told that answers nothing.
export async function unable(client) {
    step('connect');
    say({ value: (await client.connect()).negotiated });
    const { sdk, call } = client;
    for (const name of ['form', 'address', 'sample', 'use tools', 'roots', 'interview']) {
        await tell(name, async () => {
            const result = await call(name.replace(' ', '_'), { how: 'accept' });
            return { text: textOf(result), isError: result.isError ?? false };
        });
    }
    await tell('prompt that asks', () => sdk.getPrompt({ name: 'asked', arguments: { how: 'accept' } }));
    await tell('resource that asks', () => sdk.readResource({ uri: 'test://asked/accept' }));
    await client.close();
}

async function resources({ sdk }) {
    await tell('resources', async () =>
        (await every(cursor => sdk.listResources({ cursor }), 'resources')).map(({ uri, name, mimeType }) => ({ uri, name, mimeType }))
    );
    for (const uri of ['test://greeting', 'test://bytes', 'test://item/alpha', 'test://missing']) {
        await tell(`read ${uri}`, async () => (await sdk.readResource({ uri })).contents);
    }
    await tell('templates', async () =>
        (await every(cursor => sdk.listResourceTemplates({ cursor }), 'resourceTemplates')).map(({ uriTemplate, name }) => ({ uriTemplate, name }))
    );
    const ref = { type: 'ref/resource', uri: 'test://item/{id}' };
    await tell('complete id', async () => (await sdk.complete({ ref, argument: { name: 'id', value: 'al' } })).completion);
}

async function prompts({ sdk }) {
    await tell('prompts', async () =>
        (await every(cursor => sdk.listPrompts({ cursor }), 'prompts')).map(prompt => ({
            name: prompt.name,
            arguments: prompt.arguments.map(({ name, required }) => ({ name, required: required ?? false }))
        }))
    );
    for (const [step, args] of [['prompt', { name: 'Ada', style: 'formal' }], ['prompt without style', { name: 'Ada' }]]) {
        await tell(step, async () => (await sdk.getPrompt({ name: 'greet', arguments: args })).messages);
    }
    await tell('prompt without name', () => sdk.getPrompt({ name: 'greet', arguments: {} }));
    const ref = { type: 'ref/prompt', name: 'greet' };
    await tell('complete name', async () => (await sdk.complete({ ref, argument: { name: 'name', value: 'a' } })).completion);
    const context = { arguments: { name: 'ada' } };
    await tell('complete style', async () =>
        (await sdk.complete({ ref, argument: { name: 'style', value: 'f' }, context })).completion
    );
}

async function logs(client, isModern, heard) {
    const logged = async level => {
        const before = heard.list.length;
        if (isModern) {
            await client.call('log', {}, undefined, level && { [LOG_LEVEL]: level });
        } else {
            await client.sdk.setLoggingLevel(level);
            await client.call('log', {});
        }
        return heard.list.slice(before).map(({ params: { level, logger, data } }) => [level, logger ?? null, data]);
    };
    await tell('logs from warning', () => logged('warning'));
    await tell('logs from debug', () => logged('debug'));
    if (isModern) await tell('logs not asked for', () => logged(undefined));
}

async function questions(client, asked) {
    const call = async (name, args) => {
        asked.length = 0;
        const result = await client.call(name, args);
        return { text: textOf(result), isError: result.isError ?? false };
    };
    for (const how of ['accept', 'decline', 'cancel']) {
        await tell(`form, ${how}`, () => call('form', { how }));
    }
    await tell('form asked for', async () => (await call('form', { how: 'accept' }), asked[0]?.requestedSchema ?? null));
    for (const how of ['accept', 'decline']) {
        await tell(`address, ${how}`, () => call('address', { how }));
    }
    await tell('address asked for', async () => (await call('address', { how: 'accept' }), asked[0]?.url ?? null));
    await tell('sample', () => call('sample', {}));
    await tell('use tools', () => call('use_tools', {}));
    await tell('roots', () => call('roots', {}));
    await tell('interview', () => call('interview', { how: 'accept' }));
    await tell('interview asked for', async () => (await call('interview', { how: 'accept' }), asked.length));
    for (const how of ['accept', 'decline']) {
        await tell(`prompt that asks, ${how}`, async () =>
            (await client.sdk.getPrompt({ name: 'asked', arguments: { how } })).messages[0].content.text
        );
        await tell(`resource that asks, ${how}`, async () =>
            (await client.sdk.readResource({ uri: `test://asked/${how}` })).contents[0].text
        );
    }
}

async function rootsChanged({ sdk, call }) {
    await tell('roots changed', async () => {
        await sdk.sendRootsListChanged();
        return textOf(await call('roots_changed', {}));
    });
}

async function changes(client, isModern, heard) {
    const { sdk, call } = client;
    const isUpdate = ({ method }) => method === 'notifications/resources/updated';
    const updates = () => heard.list.filter(isUpdate).map(({ params }) => params.uri);
    let watch;
    await tell('watch', async () => {
        watch = await client.watch({
            toolsListChanged: true,
            promptsListChanged: true,
            resourcesListChanged: true,
            resourceSubscriptions: [COUNTER]
        });
        return watch.honoured;
    });
    await tell('update', async () => {
        const counted = textOf(await call('change', {}));
        await heard.until(isUpdate);
        const { contents } = await sdk.readResource({ uri: COUNTER });
        return { counted, read: contents[0].text, updates: updates() };
    });
    const lists = {
        tool: () => every(cursor => sdk.listTools({ cursor }), 'tools'),
        prompt: () => every(cursor => sdk.listPrompts({ cursor }), 'prompts'),
        resource: () => every(cursor => sdk.listResources({ cursor }), 'resources')
    };
    for (const [what, method] of Object.entries(CHANGES)) {
        await tell(`${what} added`, async () => {
            await call('extend', { what });
            await heard.until(notification => notification.method === method);
            return (await lists[what]()).some(({ name }) => name === 'added');
        });
    }
    await tell('call what was added', async () => textOf(await call('added', {})));
    await tell('no more updates', async () => {
        await watch.close();
        // The end of the watch may still be on its way; at the end of a call it has arrived.
        await call('added', {});
        await call('change', {});
        // What the server would have said of the change comes before this answer, or by a stream of its own, where that
        // the tools changed comes behind it.
        const isTools = ({ method }) => method === CHANGES.tool;
        const told = heard.list.filter(isTools).length;
        await call('extend', { what: 'nothing' });
        if (!isModern) await heard.until(notification => isTools(notification) && heard.list.filter(isTools).length > told);
        return updates().length;
    });
}

/// Goes through all pages of a list.
async function every(page, member) {
    const entries = [];
    let cursor;
    do {
        const result = await page(cursor);
        entries.push(...result[member]);
        cursor = result.nextCursor;
    } while (cursor !== undefined);
    return entries;
}

/// Answers as the questions say: each ends in the action that is wanted, in brackets.
function answerQuestions(client, asked) {
    client.answer('elicitation/create', ({ params }) => {
        asked.push(params);
        const action = /\((\w+)\)$/.exec(params.message)?.[1] ?? fail(`asked ${JSON.stringify(params)}`);
        if (action !== 'accept' || params.mode === 'url') return { action };
        return { action, content: { name: 'Ada', age: 36, colour: 'blue' } };
    });
    client.answer('sampling/createMessage', ({ params }) => {
        asked.push(params);
        const [content] = [params.messages.at(-1).content].flat();
        const said = text => ({ role: 'assistant', model: 'small-1', stopReason: 'endTurn', content: { type: 'text', text } });
        if (content.type === 'tool_result') return said(`It is ${content.content[0].text}`);
        if (params.tools === undefined) return said(`${params.systemPrompt ?? ''}${content.text}!`);
        const use = { type: 'tool_use', id: 'use-1', name: params.tools[0].name, input: { word: 'tea' } };
        return { role: 'assistant', model: 'small-1', stopReason: 'toolUse', content: [use] };
    });
    client.answer('roots/list', ({ params }) => {
        asked.push(params);
        return { roots: [{ uri: 'file:///work', name: 'work' }, { uri: 'file:///play' }] };
    });
}

/// What the server said unasked, for who waits for some of it.
class Heard {
    list = [];
    #waiting = [];

    push(notification) {
        this.list.push(notification);
        this.#waiting = this.#waiting.filter(({ wanted, resolve }) => !(wanted(notification) && (resolve(), true)));
    }

    async until(wanted) {
        if (!this.list.some(notification => wanted(notification))) await new Promise(resolve => this.#waiting.push({ wanted, resolve }));
    }
}
