// How a program tells what it saw: one JSON line per step on stdout. The first expectation that fails ends it.
let current = 'start';

export function step(name) {
    current = name;
}

export function say(fields) {
    process.stdout.write(JSON.stringify({ step: current, ...fields }) + '\n');
}

/// Does a step and says what came of it: a value, or the error.
export async function tell(name, act) {
    step(name);
    const outcome = await act().then(
        value => ({ value }),
        error => ({ error: { code: error?.code ?? null, message: String(error?.message ?? error), data: error?.data ?? null } })
    );
    say(outcome);
}

export function textOf(result) {
    equal(result.content?.[0]?.type, 'text', 'the type of the content');
    return result.content[0].text;
}

export function equal(actual, expected, what) {
    const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (left !== right) fail(`${what} should be ${right}, but is ${left}`);
}

export function fail(text) {
    process.stderr.write(`expectation failed: ${current}: ${text}\n`);
    process.exit(1);
}
