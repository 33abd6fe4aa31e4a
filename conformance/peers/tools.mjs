// The tools that every TypeScript server has. `object` makes a schema of fields, `register` adds a tool whose handler
// gets its arguments and {signal, token, notify}.
import * as z from 'zod/v4';

let cancelled = 0;
let waiting = [];

export function registerTools(object, register) {
    register('echo', { description: 'Answers with the text', inputSchema: object({ text: z.string() }) }, ({ text }) => say(text));

    const addends = object({ a: z.number(), b: z.number() });
    const outputSchema = object({ sum: z.number() });
    register('add', { description: 'Adds two numbers', inputSchema: addends, outputSchema }, ({ a, b }) => {
        const structuredContent = { sum: a + b };
        return { ...say(JSON.stringify(structuredContent)), structuredContent };
    });

    register('count', { description: 'Counts, with progress', inputSchema: object({ to: z.number().int() }) }, async ({ to }, context) => {
        for (let progress = 1; progress <= to; progress++) await report(context, { progress, total: to });
        return say(String(to));
    });

    register('slow', { description: 'Reports that it has begun, then runs until it is cancelled', inputSchema: object({}) }, async (_, context) => {
        await report(context, { progress: 0 });
        await new Promise(resolve => {
            if (context.signal.aborted) resolve();
            context.signal.addEventListener('abort', resolve, { once: true });
        });
        cancelled += 1;
        waiting = waiting.filter(wake => !wake());
        return say('cancelled');
    });

    const atLeast = object({ at_least: z.number().int() });
    register('cancelled', { description: 'Waits until that many calls were cancelled, answers how many were', inputSchema: atLeast }, async ({ at_least }) => {
        await new Promise(resolve => {
            const wake = () => cancelled >= at_least && (resolve(), true);
            if (!wake()) waiting.push(wake);
        });
        return say(String(cancelled));
    });

    register('fail', { description: 'Fails with the message', inputSchema: object({ message: z.string() }) }, ({ message }) => {
        throw new Error(message);
    });
}

async function report({ token, notify }, progress) {
    if (token === undefined) return;
    await notify({ method: 'notifications/progress', params: { progressToken: token, ...progress } });
}

function say(text) {
    return { content: [{ type: 'text', text }] };
}
