// A client on version 1 of the official TypeScript SDK. See ../scenario.mjs.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { childOf, oneByOne, run } from '../scenario.mjs';

const SCHEMAS = {
    'elicitation/create': types.ElicitRequestSchema,
    'sampling/createMessage': types.CreateMessageRequestSchema,
    'roots/list': types.ListRootsRequestSchema,
    'notifications/message': types.LoggingMessageNotificationSchema,
    'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
    'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
    'notifications/prompts/list_changed': types.PromptListChangedNotificationSchema,
    'notifications/resources/list_changed': types.ResourceListChangedNotificationSchema
};

/// This SDK always offers its newest revision, so an older one is put into `initialize` on its way out.
const dated = Transport =>
    class extends Transport {
        #version;
        negotiated;

        constructor(version, server) {
            super(server);
            this.#version = version;
        }

        send(message, options) {
            if (message.method === 'initialize' && this.#version !== 'auto') {
                message = { ...message, params: { ...message.params, protocolVersion: this.#version } };
            }
            return super.send(message, options);
        }

        setProtocolVersion(version) {
            super.setProtocolVersion?.(version);
            this.negotiated = version;
        }
    };
const DatedChild = dated(StdioClientTransport);
const DatedHttp = dated(StreamableHTTPClientTransport);

await run(async (version, server, capabilities) => {
    const transport = server.url ? new DatedHttp(version, server.url) : new DatedChild(version, server);
    const client = new Client({ name: 'ts1-client', version: '1.0.0' }, { capabilities });
    return {
        sdk: client,
        async connect() {
            await client.connect(transport);
            oneByOne(transport);
            return {
                negotiated: transport.negotiated,
                server: client.getServerVersion()?.name,
                ...childOf(transport)
            };
        },
        list: async () => (await client.listTools()).tools,
        call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
        ping: () => client.ping(),
        async close() {
            await transport.terminateSession?.();
            await client.close();
        },
        answer: (method, handler) => client.setRequestHandler(SCHEMAS[method], async request => handler(request)),
        hear: (method, handler) => client.setNotificationHandler(SCHEMAS[method], handler),
        async watch({ resourceSubscriptions: [uri] }) {
            await client.subscribeResource({ uri });
            return { honoured: null, close: () => client.unsubscribeResource({ uri }) };
        }
    };
});
