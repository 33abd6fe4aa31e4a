// A server on version 2 of the official TypeScript SDK, on stdin and stdout or over HTTP, for both eras.
//
//   server.mjs [features] [http PORT]
import {
    completable,
    createMcpHandler,
    inputRequired,
    isLegacyRequest,
    McpServer,
    ResourceTemplate,
    WebStandardStreamableHTTPServerTransport
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';
import { listen, MAX_BODY, Sessions } from '../http.mjs';
import { registerOffers } from '../offers.mjs';
import { registerTools } from '../tools.mjs';

const hasFeatures = process.argv[2] === 'features';

const [transport, port] = process.argv.slice(-2);
let notifier;

if (transport === 'http') {
    const modern = createMcpHandler(make, { legacy: 'reject', maxRequestBodySize: MAX_BODY });
    notifier = modern.notify;
    const sessions = new Sessions(async options => {
        const transport = new WebStandardStreamableHTTPServerTransport(options);
        await make({ era: 'legacy' }).connect(transport);
        return transport;
    });
    const bound = { maxRequestBodySize: MAX_BODY };
    listen(Number(port), async request =>
        (await isLegacyRequest(request, undefined, bound)) ? sessions.handle(request) : modern.fetch(request)
    );
} else {
    serveStdio(make);
}

function make({ era }) {
    const capabilities = hasFeatures ? { logging: {}, resources: { subscribe: true } } : {};
    const server = new McpServer({ name: 'ts2-server', version: '1.0.0' }, { capabilities });
    if (hasFeatures) {
        offerFeatures(server, era);
    } else {
        registerTools(z.object, (name, config, handler) =>
            server.registerTool(name, config, async (args, context) =>
                handler(args, {
                    signal: context.mcpReq.signal,
                    token: context.mcpReq._meta?.progressToken,
                    notify: notification => context.mcpReq.notify(notification)
                })
            )
        );
    }
    return server;
}

function offerFeatures(server, era) {
    // In the stateful era this SDK leaves it to the server to know who subscribed to what.
    const followed = new Set();
    server.server.setRequestHandler('resources/subscribe', ({ params }) => (followed.add(params.uri), {}));
    server.server.setRequestHandler('resources/unsubscribe', ({ params }) => (followed.delete(params.uri), {}));
    registerOffers({
        server,
        completable,
        optional: (schema, complete) => completable(schema, complete).optional(),
        object: z.object,
        template: (pattern, complete) => new ResourceTemplate(pattern, { list: undefined, complete }),
        async updated(uri) {
            if (era === 'modern' && notifier) return notifier.resourceUpdated(uri);
            if (era === 'modern' || followed.has(uri)) await server.server.sendResourceUpdated({ uri });
        },
        extended(what) {
            const tell = { tool: 'toolsChanged', prompt: 'promptsChanged', resource: 'resourcesChanged' }[what];
            if (era === 'modern' && notifier && tell) notifier[tell]();
        },
        whenRootsChange: hear => server.server.setNotificationHandler('notifications/roots/list_changed', hear),
        prompt: (name, config, handler) =>
            server.registerPrompt(name, config, (args, context) => inRounds(context, means => handler(args, means))),
        resource: (name, template, config, handler) =>
            server.registerResource(name, template, config, (uri, args, context) =>
                inRounds(context, means => handler(uri, args, means))
            ),
        register: (name, config, handler) =>
            server.registerTool(name, config, (args, context) => inRounds(context, means => handler(args, means)))
    });
}

/// Runs a handler that asks as if it could wait: it starts anew when the answers are there, and those of earlier rounds
/// travel in the state.
async function inRounds(context, handler) {
    const known = { ...JSON.parse(context.mcpReq.requestState() ?? '{}'), ...context.mcpReq.inputResponses };
    const ask = async questions => {
        const open = Object.entries(questions).filter(([key]) => !(key in known));
        if (open.length > 0) throw new Unanswered(Object.fromEntries(open));
        return known;
    };
    try {
        return await handler({ ask, log: (level, data) => context.mcpReq.log(level, data, 'features') });
    } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        return inputRequired({ inputRequests: error.questions, requestState: JSON.stringify(known) });
    }
}

class Unanswered extends Error {
    constructor(questions) {
        super('a question is open');
        this.questions = questions;
    }
}
