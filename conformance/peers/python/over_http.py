"""Serves a server over Streamable HTTP and says where: `listening on URL`, a line on stdout."""

from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import EventMessage, EventStore

MAX_BODY = 64 * 1024 * 1024
"""What a message may have: more than the largest that the clients send."""


async def serve(server: Server[Any], port: int) -> None:
    app = server.streamable_http_app(event_store=Events(), retry_interval=100, max_request_body_size=MAX_BODY)
    # A connection that ends while a request is on its way is a race that no client wins; by itself it ends after 5 s.
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning", timeout_keep_alive=300)
    await Announced(config).serve()


class Announced(uvicorn.Server):
    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets=sockets)
        port = self.servers[0].sockets[0].getsockname()[1]
        print(f"listening on http://127.0.0.1:{port}/mcp", flush=True)


class Events(EventStore):
    """What was sent, so that a client whose stream broke gets the rest."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []

    async def store_event(self, stream_id: str, message: Any) -> str:
        self.sent.append((stream_id, message))
        return str(len(self.sent) - 1)

    async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
        last = int(last_event_id)
        if last >= len(self.sent):
            return None
        stream = self.sent[last][0]
        for index, (sent_on, message) in enumerate(self.sent):
            # An event without a message only tells that the stream has begun.
            if index > last and sent_on == stream and message is not None:
                await send_callback(EventMessage(message, str(index)))
        return stream
