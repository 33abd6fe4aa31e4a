"""A server on the official Python SDK, on stdin and stdout or over HTTP, for both eras.

server.py [features] [http PORT]
"""

import sys
import warnings

import anyio
import over_http
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

server = MCPServer("python-server", log_level="WARNING")


class Cancellations:
    """How many calls were cancelled, for who waits for the next one."""

    def __init__(self) -> None:
        self.count = 0
        self.more = anyio.Event()

    def add(self) -> None:
        self.count += 1
        self.more.set()
        self.more = anyio.Event()

    async def reach(self, at_least: int) -> int:
        while self.count < at_least:
            await self.more.wait()
        return self.count


class Sum(BaseModel):
    sum: float


cancellations = Cancellations()


@server.tool(structured_output=False)
async def echo(text: str) -> str:
    """Answers with the text"""
    return text


@server.tool()
async def add(a: float, b: float) -> Sum:
    """Adds two numbers"""
    return Sum(sum=a + b)


@server.tool(structured_output=False)
async def count(to: int, context: Context) -> str:
    """Counts, with progress"""
    for progress in range(1, to + 1):
        await context.report_progress(progress, to)
    return str(to)


@server.tool(structured_output=False)
async def slow(context: Context) -> str:
    """Reports that it has begun, then runs until it is cancelled"""
    await context.report_progress(0)
    try:
        await anyio.sleep_forever()
    except anyio.get_cancelled_exc_class():
        cancellations.add()
        raise
    return "never"


@server.tool(structured_output=False)
async def cancelled(at_least: int) -> str:
    """Waits until that many calls were cancelled, answers how many were"""
    return str(await cancellations.reach(at_least))


@server.tool(structured_output=False)
async def fail(message: str) -> str:
    """Fails with the message"""
    raise ToolError(message)


port = int(sys.argv[-1]) if sys.argv[-2:-1] == ["http"] else None

if sys.argv[1:2] == ["features"]:
    import offers

    warnings.simplefilter("ignore")
    offers.run(port)
elif port is not None:
    anyio.run(over_http.serve, server._lowlevel_server, port)
else:
    server.run("stdio")
