"""What ../offers.mjs offers, for both eras."""

import json
from typing import Annotated, Any, Literal

import anyio
import over_http
from mcp.server.elicitation import render_elicitation_schema
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import AssistantMessage, Prompt, UserMessage
from mcp.server.mcpserver.resolve import Elicit, ElicitationResult, ListRoots, Resolve, Sample
from mcp.server.mcpserver.resources import FunctionResource
from mcp.server.stdio import stdio_server
from mcp import types
from pydantic import BaseModel, Field

MODERN = "2026-07-28"
COUNTER = "test://counter"
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]

server = MCPServer("python-server", log_level="WARNING")
lowlevel = server._lowlevel_server
tool = server.tool(structured_output=False)


def among(typed: str, values: list[str]) -> types.Completion:
    found = [value for value in values if value.startswith(typed)]
    return types.Completion(values=found, total=len(found), has_more=False)


@server.resource("test://greeting", name="greeting", mime_type="text/plain")
def greeting() -> str:
    return "hello"


@server.resource("test://bytes", name="bytes", mime_type="application/octet-stream")
def some_bytes() -> bytes:
    return bytes([0, 1, 2, 255])


@server.resource("test://item/{id}", name="item", mime_type="text/plain")
def item(id: str) -> str:
    return f"item {id}"


@server.prompt()
def greet(name: str, style: str = "plain") -> list[UserMessage | AssistantMessage]:
    """Has somebody greeted"""
    return [UserMessage(f"Greet {name}, {style}"), AssistantMessage("With pleasure.")]


@server.completion()
async def complete(reference: Any, argument: Any, context: Any) -> types.Completion:
    if isinstance(reference, types.ResourceTemplateReference):
        return among(argument.value, ["alpha", "alps", "beta"])
    if argument.name == "name":
        return among(argument.value, ["ada", "alan", "grace"])
    others = (context and context.arguments) or {}
    return among(argument.value, ["formal", "friendly"] if others.get("name") == "ada" else ["plain"])


level = "debug"


async def set_level(_: Any, params: types.SetLevelRequestParams) -> types.EmptyResult:
    """In the stateful era this SDK leaves the level to the server; in the stateless one it does not."""
    global level
    level = params.level
    return types.EmptyResult()


lowlevel.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)


@tool
async def log(context: Context) -> str:
    """Logs at several levels"""
    for each, data in [("debug", "quiet"), ("info", {"step": 1}), ("warning", "careful"), ("error", "broken")]:
        if context.protocol_version == MODERN or LEVELS.index(each) >= LEVELS.index(level):
            await context.log(each, data, logger_name="features")
    return "logged"


class Who(BaseModel):
    name: str = Field(min_length=1)
    age: int = Field(ge=0)
    member: bool = False
    colour: Literal["blue", "red"]


def ask_who(how: str) -> Elicit[Who]:
    return Elicit(f"Who are you? ({how})", Who)


def ask_roots() -> ListRoots:
    return ListRoots()


def user(text: str) -> types.SamplingMessage:
    return types.SamplingMessage(role="user", content=types.TextContent(text=text))


def ask_hello() -> Sample:
    return Sample([user("Hello")], max_tokens=100, system_prompt="Be brief. ")


def ask_greeting(who: Annotated[Who, Resolve(ask_who)]) -> Sample:
    return Sample([user(f"Greet {who.name}")], max_tokens=100)


@tool
async def form(how: str, who: Annotated[ElicitationResult[Who], Resolve(ask_who)]) -> str:
    """Has a form filled in"""
    answer = {"action": who.action}
    if who.action == "accept":
        answer["content"] = who.data.model_dump()
    return json.dumps(answer)


@tool
async def address(how: str, context: Context) -> str | types.InputRequiredResult:
    """Has an address opened"""
    message, url = f"Sign in ({how})", "https://example.com/login"
    if context.protocol_version != MODERN:
        capabilities = context.client_capabilities
        if capabilities is None or capabilities.elicitation is None or capabilities.elicitation.url is None:
            raise ToolError("the client opens no addresses")
        return (await context.elicit_url(message, url, "login")).action
    if context.input_responses is None:
        question = types.ElicitRequest(params=types.ElicitRequestURLParams(message=message, url=url))
        return types.InputRequiredResult(input_requests={"login": question})
    return context.input_responses["login"].action


@tool
async def sample(said: Annotated[types.CreateMessageResult, Resolve(ask_hello)]) -> str:
    """Has a model answer"""
    return f"{said.model}: {said.content.text}"


TOOLS = [
    types.Tool(
        name="look_up",
        description="Looks a word up",
        input_schema={"type": "object", "properties": {"word": {"type": "string"}}},
    )
]


def ask_tea() -> Sample:
    return Sample([user("What is tea?")], max_tokens=100, tools=TOOLS)


def ask_again(first: Annotated[types.CreateMessageResultWithTools, Resolve(ask_tea)]) -> Sample:
    use = first.content[0] if isinstance(first.content, list) else first.content
    found = types.TextContent(text=f"a drink, says {use.name}")
    result = types.ToolResultContent(tool_use_id=use.id, content=[found])
    messages = [
        user("What is tea?"),
        types.SamplingMessage(role="assistant", content=[use]),
        types.SamplingMessage(role="user", content=[result]),
    ]
    return Sample(messages, max_tokens=100, tools=TOOLS)


@tool
async def use_tools(said: Annotated[types.CreateMessageResultWithTools, Resolve(ask_again)]) -> str:
    """Has a model use a tool"""
    return (said.content[0] if isinstance(said.content, list) else said.content).text


@tool
async def roots(found: Annotated[types.ListRootsResult, Resolve(ask_roots)]) -> str:
    """Asks for the roots"""
    return ", ".join(f"{root.uri} {root.name or '-'}" for root in found.roots)


@tool
async def interview(
    how: str,
    who: Annotated[Who, Resolve(ask_who)],
    found: Annotated[types.ListRootsResult, Resolve(ask_roots)],
    said: Annotated[types.CreateMessageResult, Resolve(ask_greeting)],
) -> str:
    """Asks two questions at once, then one more"""
    return f"{who.name} at {found.roots[0].uri}: {said.content.text}"


async def answer(how: str, context: Context) -> str | types.InputRequiredResult:
    """Asks where this SDK resolves no questions before the function is called: in prompts and resources."""
    message = f"Who are you? ({how})"
    if context.protocol_version != MODERN:
        who = await context.elicit(message, Who)
        return f"You are {who.data.name if who.action == 'accept' else 'nobody'}"
    if context.input_responses is None:
        form = types.ElicitRequestFormParams(message=message, requested_schema=render_elicitation_schema(Who))
        return types.InputRequiredResult(input_requests={"who": types.ElicitRequest(params=form)})
    content = context.input_responses["who"].content
    return f"You are {content['name'] if content else 'nobody'}"


@server.prompt(name="asked")
async def asked_prompt(how: str, context: Context) -> str | types.InputRequiredResult:
    return await answer(how, context)


@server.resource("test://asked/{how}", name="asked")
async def asked_resource(how: str, context: Context) -> str | types.InputRequiredResult:
    return await answer(how, context)


roots_changes = 0
have_roots_changed = anyio.Event()


async def roots_list_changed(_: Any, __: Any) -> None:
    global roots_changes
    roots_changes += 1
    have_roots_changed.set()


lowlevel.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, roots_list_changed)


@tool
async def roots_changed() -> str:
    """Waits until the roots have changed"""
    await have_roots_changed.wait()
    return str(roots_changes)


followed: set[str] = set()


async def follow(_: Any, params: types.SubscribeRequestParams) -> types.EmptyResult:
    followed.add(params.uri)
    return types.EmptyResult()


async def follow_no_more(_: Any, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
    followed.discard(params.uri)
    return types.EmptyResult()


# In the stateful era this SDK leaves it to the server to know who subscribed to what.
lowlevel.add_request_handler("resources/subscribe", types.SubscribeRequestParams, follow)
lowlevel.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, follow_no_more)

count = 0


@server.resource(COUNTER, name="counter", mime_type="text/plain")
def counter() -> str:
    return str(count)


@tool
async def change(context: Context) -> str:
    """Changes the counter"""
    global count
    count += 1
    if context.protocol_version == MODERN:
        await context.notify_resource_updated(COUNTER)
    elif COUNTER in followed:
        await context.session.send_resource_updated(COUNTER)
    return str(count)


@tool
async def extend(what: str, context: Context) -> str:
    """Adds a tool, a prompt, a resource or nothing, and tells of it"""

    def added() -> str:
        return "added"

    is_modern, session = context.protocol_version == MODERN, context.session
    if what in ("tool", "nothing"):
        if what == "tool":
            server.add_tool(added, description="New", structured_output=False)
        await (context.notify_tools_changed() if is_modern else session.send_tool_list_changed())
    elif what == "prompt":
        server.add_prompt(Prompt.from_function(added))
        await (context.notify_prompts_changed() if is_modern else session.send_prompt_list_changed())
    else:
        server.add_resource(FunctionResource(uri="test://added", name="added", fn=added))
        await (context.notify_resources_changed() if is_modern else session.send_resource_list_changed())
    return what


# Over HTTP this SDK asks the server for what it declares, without the lists that change.
declare = lowlevel.create_initialization_options
changing = NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
lowlevel.create_initialization_options = lambda: declare(changing)


async def serve_stdio() -> None:
    async with stdio_server() as (read, write):
        await lowlevel.run(read, write, lowlevel.create_initialization_options())


def run(port: int | None) -> None:
    if port is None:
        anyio.run(serve_stdio)
    else:
        anyio.run(over_http.serve, lowlevel, port)
