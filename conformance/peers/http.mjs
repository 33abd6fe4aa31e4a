// Serves a TypeScript server over Streamable HTTP and says where: `listening on URL`, a line on stdout.
import { randomUUID } from 'node:crypto';
import { serve } from '@hono/node-server';

/// What a message may have: more than the largest that the clients send.
export const MAX_BODY = 64 * 1024 * 1024;

export function listen(port, handle) {
    const fetch = async request => {
        try {
            return await handle(request);
        } catch (error) {
            console.error(error);
            return new Response(String(error), { status: 500 });
        }
    };
    // A connection that ends while a request is on its way is a race that no client wins; by itself it ends after 5 s.
    const serverOptions = { keepAliveTimeout: 300_000 };
    serve({ fetch, port, hostname: '127.0.0.1', serverOptions }, ({ port }) => console.log(`listening on http://127.0.0.1:${port}/mcp`));
}

/// Sessions of the stateful era, each with a server of its own. `open(options)` makes the transport with these options
/// and connects a server to it.
export class Sessions {
    #transports = new Map();

    constructor(open) {
        this.open = open;
    }

    async handle(request) {
        const id = request.headers.get('mcp-session-id');
        if (id !== null) {
            return this.#transports.get(id)?.handleRequest(request) ?? refuse(404, -32001, 'there is no such session');
        }
        const transport = await this.open({
            sessionIdGenerator: randomUUID,
            maxRequestBodySize: MAX_BODY,
            eventStore: new Events(),
            retryInterval: 100,
            onsessioninitialized: id => void this.#transports.set(id, transport),
            onsessionclosed: id => void this.#transports.delete(id)
        });
        return transport.handleRequest(request);
    }
}

function refuse(status, code, message) {
    return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}

/// What was sent to one session, so that a client whose stream broke gets the rest.
class Events {
    #sent = [];

    async storeEvent(stream, message) {
        return String(this.#sent.push({ stream, message }) - 1);
    }

    async getStreamIdForEventId(id) {
        return this.#sent[Number(id)]?.stream;
    }

    async replayEventsAfter(last, { send }) {
        const { stream } = this.#sent[Number(last)];
        for (const [id, event] of this.#sent.entries()) {
            // An event without a message only tells that the stream has begun.
            if (id > Number(last) && event.stream === stream && event.message.jsonrpc) await send(String(id), event.message);
        }
        return stream;
    }
}
