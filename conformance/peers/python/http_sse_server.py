"""A server over HTTP+SSE on the official Python SDK. Says its port on stdout, and runs until the end of stdin."""

import json
import os
import socket
import sys
import threading

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

server = MCPServer("python-sse-server", log_level="WARNING")


class Sum(BaseModel):
    sum: float


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
async def fail(message: str) -> str:
    """Fails with the message"""
    raise ToolError(message)


def end_with_stdin() -> None:
    sys.stdin.read()
    os._exit(0)


listener = socket.create_server(("127.0.0.1", 0))
print(json.dumps({"port": listener.getsockname()[1]}), flush=True)
threading.Thread(target=end_with_stdin, daemon=True).start()
uvicorn.Server(uvicorn.Config(server.sse_app(), log_level="warning")).run(sockets=[listener])
