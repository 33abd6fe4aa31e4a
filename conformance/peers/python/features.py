"""What ../features.mjs does, with the same output."""

import re
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp import Client, types
from report import equal, fail, say, step, tell, text_of

MODERN = "2026-07-28"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
COUNTER = "test://counter"
CHANGES = {
    "tool": "notifications/tools/list_changed",
    "prompt": "notifications/prompts/list_changed",
    "resource": "notifications/resources/list_changed",
}


async def features(server: Any, mode: str, version: str) -> None:
    heard, asked = Heard(), Asked()
    client = Client(
        server,
        mode=mode,
        message_handler=heard.push,
        logging_callback=heard.log,
        elicitation_callback=asked.elicit,
        sampling_callback=asked.sample,
        sampling_capabilities=types.SamplingCapability(tools=types.SamplingToolsCapability()),
        list_roots_callback=asked.roots,
    )
    step("connect")
    async with client:
        if version != "auto":
            equal(client.protocol_version, version, "the negotiated version")
        say(value=client.protocol_version)
        await resources(client)
        await prompts(client)
        await logs(client, heard)
        await questions(client, asked)
        if client.protocol_version != MODERN:
            await roots_changed(client)
        await changes(client, heard)


async def unable(server: Any, mode: str) -> None:
    """What a client is told that answers nothing."""
    step("connect")
    async with Client(server, mode=mode) as client:
        say(value=client.protocol_version)

        async def call(name: str) -> Any:
            result = await client.call_tool(name, {"how": "accept"})
            return {"text": text_of(result), "isError": result.is_error or False}

        for name in ["form", "address", "sample", "use tools", "roots", "interview"]:
            await tell(name, lambda name=name: call(name.replace(" ", "_")))
        await tell("prompt that asks", lambda: client.get_prompt("asked", {"how": "accept"}))
        await tell("resource that asks", lambda: client.read_resource("test://asked/accept"))


async def resources(client: Client) -> None:
    async def listed() -> Any:
        return [kept(resource, "uri", "name", "mimeType") for resource in await every(client.list_resources, "resources")]

    async def read(uri: str) -> Any:
        return [wire(contents) for contents in (await client.read_resource(uri)).contents]

    async def templates() -> Any:
        all_of_them = await every(client.list_resource_templates, "resource_templates")
        return [kept(template, "uriTemplate", "name") for template in all_of_them]

    async def complete() -> Any:
        reference = types.ResourceTemplateReference(uri="test://item/{id}")
        return wire((await client.complete(reference, {"name": "id", "value": "al"})).completion)

    await tell("resources", listed)
    for uri in ["test://greeting", "test://bytes", "test://item/alpha", "test://missing"]:
        await tell(f"read {uri}", lambda uri=uri: read(uri))
    await tell("templates", templates)
    await tell("complete id", complete)


async def prompts(client: Client) -> None:
    async def listed() -> Any:
        return [
            {
                "name": prompt.name,
                "arguments": [{"name": each.name, "required": each.required or False} for each in prompt.arguments],
            }
            for prompt in await every(client.list_prompts, "prompts")
        ]

    async def got(arguments: dict[str, str]) -> Any:
        return [wire(message) for message in (await client.get_prompt("greet", arguments)).messages]

    async def complete(name: str, value: str, context: dict[str, str] | None) -> Any:
        reference = types.PromptReference(name="greet")
        return wire((await client.complete(reference, {"name": name, "value": value}, context)).completion)

    await tell("prompts", listed)
    await tell("prompt", lambda: got({"name": "Ada", "style": "formal"}))
    await tell("prompt without style", lambda: got({"name": "Ada"}))
    await tell("prompt without name", lambda: got({}))
    await tell("complete name", lambda: complete("name", "a", None))
    await tell("complete style", lambda: complete("style", "f", {"name": "ada"}))


async def logs(client: Client, heard: "Heard") -> None:
    is_modern = client.protocol_version == MODERN

    async def logged(level: str | None) -> Any:
        heard.logs.clear()
        if is_modern:
            await client.call_tool("log", {}, meta={LOG_LEVEL: level} if level else None)
        else:
            await client.set_logging_level(level)
            await client.call_tool("log", {})
        return list(heard.logs)

    await tell("logs from warning", lambda: logged("warning"))
    await tell("logs from debug", lambda: logged("debug"))
    if is_modern:
        await tell("logs not asked for", lambda: logged(None))


async def questions(client: Client, asked: "Asked") -> None:
    async def call(name: str, **arguments: str) -> Any:
        asked.questions.clear()
        result = await client.call_tool(name, arguments)
        return {"text": text_of(result), "isError": result.is_error or False}

    async def form_asked_for() -> Any:
        await call("form", how="accept")
        return asked.questions[0].requested_schema if asked.questions else None

    async def address_asked_for() -> Any:
        await call("address", how="accept")
        return asked.questions[0].url if asked.questions else None

    async def count_of_interview() -> Any:
        await call("interview", how="accept")
        return len(asked.questions)

    for how in ["accept", "decline", "cancel"]:
        await tell(f"form, {how}", lambda how=how: call("form", how=how))
    await tell("form asked for", form_asked_for)
    for how in ["accept", "decline"]:
        await tell(f"address, {how}", lambda how=how: call("address", how=how))
    await tell("address asked for", address_asked_for)
    await tell("sample", lambda: call("sample"))
    await tell("use tools", lambda: call("use_tools"))
    await tell("roots", lambda: call("roots"))
    await tell("interview", lambda: call("interview", how="accept"))
    await tell("interview asked for", count_of_interview)

    async def prompt(how: str) -> Any:
        return (await client.get_prompt("asked", {"how": how})).messages[0].content.text

    async def resource(how: str) -> Any:
        return (await client.read_resource(f"test://asked/{how}")).contents[0].text

    for how in ["accept", "decline"]:
        await tell(f"prompt that asks, {how}", lambda how=how: prompt(how))
        await tell(f"resource that asks, {how}", lambda how=how: resource(how))


async def roots_changed(client: Client) -> None:
    async def told() -> Any:
        await client.send_roots_list_changed()
        return text_of(await client.call_tool("roots_changed", {}))

    await tell("roots changed", told)


async def changes(client: Client, heard: "Heard") -> None:
    async def update() -> Any:
        counted = text_of(await client.call_tool("change", {}))
        await heard.until(lambda notification: notification.method == "notifications/resources/updated")
        read = (await client.read_resource(COUNTER)).contents[0].text
        return {"counted": counted, "read": read, "updates": heard.updates()}

    lists = {
        "tool": lambda: every(client.list_tools, "tools"),
        "prompt": lambda: every(client.list_prompts, "prompts"),
        "resource": lambda: every(client.list_resources, "resources"),
    }

    async def add(what: str) -> Any:
        await client.call_tool("extend", {"what": what})
        await heard.until(lambda notification: notification.method == CHANGES[what])
        return "added" in [each.name for each in await lists[what]()]

    async def added() -> Any:
        return text_of(await client.call_tool("added", {}))

    async def no_more() -> Any:
        # The end of the watch may still be on its way; at the end of a call it has arrived.
        await client.call_tool("added", {})
        await client.call_tool("change", {})
        # What the server would have said of the change comes before this answer, or by a stream of its own, where that
        # the tools changed comes behind it.
        told = heard.count(CHANGES["tool"])
        await client.call_tool("extend", {"what": "nothing"})
        if client.protocol_version != MODERN:
            await heard.until(lambda _: heard.count(CHANGES["tool"]) > told)
        return len(heard.updates())

    async with watching(client) as honoured:
        await tell("watch", lambda: ready(honoured))
        await tell("update", update)
        for what in CHANGES:
            await tell(f"{what} added", lambda what=what: add(what))
        await tell("call what was added", added)
    await tell("no more updates", no_more)


@asynccontextmanager
async def watching(client: Client) -> Any:
    if client.protocol_version == MODERN:
        filter = {"tools_list_changed": True, "prompts_list_changed": True, "resources_list_changed": True}
        async with client.listen(**filter, resource_subscriptions=[COUNTER]) as subscription:
            yield wire(subscription.honored)
    else:
        await client.subscribe_resource(COUNTER)
        yield None
        await client.unsubscribe_resource(COUNTER)


class Asked:
    """Answers as the questions say: each ends in the action that is wanted, in brackets."""

    def __init__(self) -> None:
        self.questions: list[Any] = []

    async def elicit(self, _: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.questions.append(params)
        action = re.search(r"\((\w+)\)$", params.message)
        if action is None:
            fail(f"asked {params!r}")
        if action[1] != "accept" or params.mode == "url":
            return types.ElicitResult(action=action[1])
        return types.ElicitResult(action="accept", content={"name": "Ada", "age": 36, "colour": "blue"})

    async def sample(self, _: Any, params: types.CreateMessageRequestParams) -> Any:
        self.questions.append(params)
        content = params.messages[-1].content
        first = content[0] if isinstance(content, list) else content
        if first.type == "tool_result":
            text = f"It is {first.content[0].text}"
        elif params.tools is None:
            text = f"{params.system_prompt or ''}{first.text}!"
        else:
            use = types.ToolUseContent(id="use-1", name=params.tools[0].name, input={"word": "tea"})
            return types.CreateMessageResultWithTools(
                role="assistant", model="small-1", stop_reason="toolUse", content=[use]
            )
        content = types.TextContent(text=text)
        return types.CreateMessageResult(role="assistant", model="small-1", stop_reason="endTurn", content=content)

    async def roots(self, context: Any) -> types.ListRootsResult:
        self.questions.append(context)
        return types.ListRootsResult(
            roots=[types.Root(uri="file:///work", name="work"), types.Root(uri="file:///play")]
        )


class Heard:
    """What the server said unasked, for who waits for some of it."""

    def __init__(self) -> None:
        self.notifications: list[Any] = []
        self.logs: list[Any] = []
        self.more = anyio.Event()

    async def push(self, message: Any) -> None:
        if isinstance(message, Exception):
            fail(f"the SDK reports {message!r}")
        self.notifications.append(message)
        self.more.set()
        self.more = anyio.Event()

    async def log(self, params: types.LoggingMessageNotificationParams) -> None:
        self.logs.append([params.level, params.logger, params.data])

    async def until(self, wanted: Callable[[Any], bool]) -> None:
        while not any(wanted(notification) for notification in self.notifications):
            await self.more.wait()

    def count(self, method: str) -> int:
        return sum(notification.method == method for notification in self.notifications)

    def updates(self) -> list[str]:
        return [
            notification.params.uri
            for notification in self.notifications
            if notification.method == "notifications/resources/updated"
        ]


async def every(page: Callable[..., Any], member: str) -> list[Any]:
    """Goes through all pages of a list."""
    entries, cursor = [], None
    while True:
        result = await page(cursor=cursor)
        entries += getattr(result, member)
        cursor = result.next_cursor
        if cursor is None:
            return entries


async def ready(value: Any) -> Any:
    return value


def wire(model: Any) -> Any:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def kept(model: Any, *names: str) -> Any:
    return {name: value for name, value in wire(model).items() if name in names}
