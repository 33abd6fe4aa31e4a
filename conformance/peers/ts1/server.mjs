// A server on version 1 of the official TypeScript SDK, on stdin and stdout or over HTTP.
//
//   server.mjs [features] [http PORT]
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { listen, Sessions } from '../http.mjs';
import { registerOffers } from '../offers.mjs';
import { registerTools } from '../tools.mjs';

const hasFeatures = process.argv[2] === 'features';
const [transport, port] = process.argv.slice(-2);

if (transport === 'http') {
    const sessions = new Sessions(async options => {
        const transport = new WebStandardStreamableHTTPServerTransport(options);
        await make().connect(transport);
        return transport;
    });
    listen(Number(port), request => sessions.handle(request));
} else {
    const server = make();
    // This SDK's transport does not look at the end of its input, and a server has to.
    process.stdin.once('end', () => server.close());
    await server.connect(new StdioServerTransport());
}

function make() {
    const capabilities = hasFeatures ? { logging: {}, resources: { subscribe: true } } : {};
    const server = new McpServer({ name: 'ts1-server', version: '1.0.0' }, { capabilities });
    if (hasFeatures) {
        offerFeatures(server);
    } else {
        registerTools(shape => shape, (name, config, handler) =>
            server.registerTool(name, config, async (args, extra) =>
                handler(args, {
                    signal: extra.signal,
                    token: extra._meta?.progressToken,
                    notify: notification => extra.sendNotification(notification)
                })
            )
        );
    }
    return server;
}

function offerFeatures(server) {
    // This SDK leaves it to the server to know who subscribed to what.
    const followed = new Set();
    server.server.setRequestHandler(types.SubscribeRequestSchema, ({ params }) => (followed.add(params.uri), {}));
    server.server.setRequestHandler(types.UnsubscribeRequestSchema, ({ params }) => (followed.delete(params.uri), {}));
    registerOffers({
        server,
        completable,
        optional: (schema, complete) => completable(schema.optional(), complete),
        object: shape => shape,
        template: (pattern, complete) => new ResourceTemplate(pattern, { list: undefined, complete }),
        updated: async uri => followed.has(uri) && server.server.sendResourceUpdated({ uri }),
        whenRootsChange: hear => server.server.setNotificationHandler(types.RootsListChangedNotificationSchema, hear),
        prompt: (name, config, handler) => server.registerPrompt(name, config, (args, extra) => handler(args, asking(server, extra))),
        resource: (name, template, config, handler) =>
            server.registerResource(name, template, config, (uri, args, extra) => handler(uri, args, asking(server, extra))),
        register: (name, config, handler) => server.registerTool(name, config, (args, extra) => handler(args, asking(server, extra)))
    });
}

function asking(server, extra) {
    return {
        ask: questions => askAll(server, questions, extra),
        log: (level, data) => log(server, { level, logger: 'features', data }, extra)
    };
}

async function askAll(server, questions, extra) {
    const ask = ({ method, params = {} }) => {
        const related = { relatedRequestId: extra.requestId };
        if (method === 'elicitation/create') return server.server.elicitInput(params, related);
        if (method === 'sampling/createMessage') return server.server.createMessage(params, related);
        return server.server.listRoots(params, related);
    };
    const answers = Object.entries(questions).map(async ([key, question]) => [key, await ask(question)]);
    return Object.fromEntries(await Promise.all(answers));
}

/// Logs on the stream of the request; over HTTP this SDK's own function uses that of the session.
async function log(server, params, { sessionId, sendNotification }) {
    if (server.server.isMessageIgnored(params.level, sessionId)) return;
    await sendNotification({ method: 'notifications/message', params });
}
