"""How a program tells what it saw: one JSON line per step on stdout. The first expectation that fails ends it."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult

current = "start"


def step(name: str) -> None:
    global current
    current = name


def say(**fields: Any) -> None:
    print(json.dumps({"step": current, **fields}), flush=True)


async def tell(name: str, act: Callable[[], Awaitable[Any]]) -> None:
    """Does a step and says what came of it: a value, or the error."""
    step(name)
    try:
        say(value=await act())
    except MCPError as error:
        say(error={"code": error.error.code, "message": error.error.message, "data": error.error.data})


def text_of(result: CallToolResult) -> str:
    equal(result.content[0].type, "text", "the type of the content")
    return result.content[0].text


def equal(actual: Any, expected: Any, what: str) -> None:
    if actual != expected:
        fail(f"{what} should be {expected!r}, but is {actual!r}")


def fail(text: str) -> NoReturn:
    raise AssertionError(f"{current}: {text}")
