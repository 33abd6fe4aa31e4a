"""A client over HTTP+SSE on the official Python SDK.

http_sse_client.py VERSION URL
"""

import sys
from typing import Any

import anyio
import mcp.client.session
from mcp import ClientSession
from mcp.client.sse import sse_client
from mcp.types import ListRootsResult, Root
from report import equal, say, step, text_of


async def main(version: str, url: str) -> None:
    # This SDK always offers its newest revision of the stateful era.
    mcp.client.session.LATEST_HANDSHAKE_VERSION = version

    async def roots(_: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri="file:///a")])

    changed = anyio.Event()

    async def hear(message: Any) -> None:
        if getattr(message, "method", None) == "notifications/tools/list_changed":
            changed.set()

    step("connect")
    async with sse_client(url) as streams, ClientSession(*streams, list_roots_callback=roots, message_handler=hear) as session:
        begun = await session.initialize()
        say(version=begun.protocol_version, server=begun.server_info.name)

        step("calls")
        await session.send_ping()
        tools = (await session.list_tools()).tools
        equal(sorted(tool.name for tool in tools), ["change", "count", "echo", "roots", "slow"], "the tools")
        texts = [f"call {index}: 世界\n" for index in range(32)]
        answers: dict[str, str] = {}

        async def call(text: str) -> None:
            answers[text] = text_of(await session.call_tool("echo", {"text": text}))

        async with anyio.create_task_group() as group:
            for text in texts:
                group.start_soon(call, text)
        equal([answers[text] for text in texts], texts, "the answers to calls made at the same time")
        # This SDK takes events up to 1 MiB.
        large = "x" * (1 << 19)
        equal(text_of(await session.call_tool("echo", {"text": large})) == large, True, "whether a large text came back")
        say()

        step("progress")
        seen: list[float] = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            seen.append(progress)

        await session.call_tool("count", {"to": 5}, progress_callback=note)
        equal(sorted(seen)[:4], [1, 2, 3, 4], "the progress")
        say()

        step("asked")
        equal(text_of(await session.call_tool("roots", {})), "file:///a", "what the server was told")
        await session.call_tool("change", {})
        await changed.wait()
        say()
        step("close")
    say()


anyio.run(main, *sys.argv[1:])
