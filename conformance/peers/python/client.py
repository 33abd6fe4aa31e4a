"""A client on the official Python SDK. Does with a server what ../scenario.mjs does, with the same output.

client.py calls|features|unable VERSION COMMAND [ARGUMENT…]
client.py calls|features|unable VERSION http URL
"""

import json
import os
import sys
import time
import traceback
import warnings
from typing import Any

import anyio
import mcp.client.session
import mcp.client.stdio
from features import MODERN, features, unable
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from report import equal, fail, say, step, text_of

LARGE = 8 * 1024 * 1024
UNICODE = "\n".join(
    [
        "Grüße, 世界, שלום, 👩‍👩‍👧‍👦 🏳️‍🌈",
        "combining: e\u0301 a\u030a",
        "separators: \u2028 \u2029 \u0085 \ufeff",
        'escapes: "quoted" \\back/slash \t tab \r\n line \u0001 \u001f \u007f',
        "planes: \U0010ffff \U0001f600 \uffff \ud7ff",
    ]
)

async def main(scenario: str, version: str, command: str, arguments: list[str]) -> None:
    processes = record_processes()
    mode = mode_of(version)
    if command == "http":
        server = streamable_http_client(arguments[0], max_sse_event_size=None)
    else:
        server = StdioServerParameters(command=command, args=arguments)
    if scenario == "unable":
        await unable(server, mode)
    elif scenario == "features":
        await features(server, mode, version)
        step("close")
        say(value=processes[0].returncode if processes else None)
    else:
        await calls(Client(server, mode=mode), version, processes)


async def calls(client: Client, version: str, processes: list[Any]) -> None:
    step("connect")
    async with client:
        if version != "auto":
            equal(client.protocol_version, version, "the negotiated version")
        say(version=client.protocol_version, server=client.server_info.name if client.server_info else None)
        await steps(client)
        step("close")
        begun = time.monotonic()
    if not processes:
        say()
        return
    (process,) = processes
    equal(process.returncode, 0, "how the server ended")
    if os.path.exists(f"/proc/{process.pid}"):
        fail(f"the server's process {process.pid} is still there")
    say(pid=process.pid, milliseconds=round((time.monotonic() - begun) * 1000))


async def steps(client: Client) -> None:
    if client.protocol_version != MODERN:
        step("ping")
        await client.send_ping()
        say()

    step("list")
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    equal(sorted(tools), ["add", "cancelled", "count", "echo", "fail", "slow"], "the names of the tools")
    equal(tools["echo"].input_schema["type"], "object", "the type of the input schema of echo")
    equal(tools["echo"].input_schema["properties"]["text"]["type"], "string", "the type of the argument of echo")
    say(names=sorted(tools))

    step("call")
    equal(text_of(await client.call_tool("echo", {"text": "hello"})), "hello", "the echo")
    say()

    step("structured")
    total = await client.call_tool("add", {"a": 2, "b": 3})
    equal(json.loads(text_of(total)), {"sum": 5}, "the text of the sum")
    say(structured=total.structured_content)

    step("parallel")
    texts = [f"call {index}" for index in range(32)]
    answers: dict[str, str] = {}

    async def call(text: str) -> None:
        answers[text] = text_of(await client.call_tool("echo", {"text": text}))

    async with anyio.create_task_group() as group:
        for text in texts:
            group.start_soon(call, text)
    equal([answers[text] for text in texts], texts, "the answers to calls made at the same time")
    say(calls=len(texts))

    await progress_and_cancel(client)
    await failures(client)

    step("large")
    large = "x" * LARGE
    returned = text_of(await client.call_tool("echo", {"text": large}))
    if returned != large:
        fail(f"{len(returned)} characters came back, which is not what was sent")
    say(bytes=len(returned))

    step("unicode")
    equal(text_of(await client.call_tool("echo", {"text": UNICODE})), UNICODE, "the echo of unusual characters")
    say()


async def progress_and_cancel(client: Client) -> None:
    step("progress")
    seen: list[list[float | None]] = []
    settled = False

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        if settled:
            fail("a notification arrived after the answer")
        seen.append([progress, total])

    counted = await client.call_tool("count", {"to": 5}, progress_callback=on_progress)
    settled = True
    equal(text_of(counted), "5", "the count")
    equal(seen, [[1, 5], [2, 5], [3, 5], [4, 5], [5, 5]], "the progress")
    say(seen=len(seen))

    step("cancel")
    outcome = "cancelled"
    with anyio.CancelScope() as scope:

        async def on_begun(progress: float, total: float | None, message: str | None) -> None:
            scope.cancel()

        await client.call_tool("slow", {}, progress_callback=on_begun)
        outcome = "answered"
    equal(outcome, "cancelled", "the outcome of a cancelled call")
    seen_by_server = text_of(await client.call_tool("cancelled", {"at_least": 1}))
    equal(seen_by_server, "1", "how many calls the server saw cancelled")
    equal(text_of(await client.call_tool("echo", {"text": "still here"})), "still here", "the echo after the cancel")
    say(outcome=outcome)


async def failures(client: Client) -> None:
    step("tool error")
    failed = await client.call_tool("fail", {"message": "out of paper"})
    equal(failed.is_error, True, "is_error of a failed tool")
    if "out of paper" not in text_of(failed):
        fail(f"the text was {text_of(failed)!r}")
    say(text=text_of(failed))

    step("unknown tool")
    try:
        result = await client.call_tool("no_such_tool", {})
    except MCPError as error:
        say(kind="error", code=error.error.code, text=error.error.message)
    else:
        if not result.is_error:
            fail("the call succeeded")
        say(kind="result", text=text_of(result))


def mode_of(version: str) -> str:
    if version in ("auto", MODERN):
        return version
    # This SDK always offers its newest stateful revision, so the one to offer is put in its place.
    mcp.client.session.LATEST_HANDSHAKE_VERSION = version
    return "legacy"


def record_processes() -> list[Any]:
    """Returns the list to which each server process is added when it starts; the SDK keeps it to itself."""
    processes: list[Any] = []
    start = mcp.client.stdio._create_platform_compatible_process

    async def start_and_record(*args: Any, **kwargs: Any) -> Any:
        processes.append(await start(*args, **kwargs))
        return processes[-1]

    mcp.client.stdio._create_platform_compatible_process = start_and_record
    return processes


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("calls", "features", "unable"):
        sys.exit("usage: client.py calls|features|unable VERSION COMMAND [ARGUMENT…], or … VERSION http URL")
    warnings.simplefilter("ignore")
    try:
        anyio.run(main, sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
    except BaseException:
        traceback.print_exc()
        sys.exit("expectation failed: see above")
