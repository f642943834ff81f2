"""Fixtures of the MCP conformance suite that ask for input by their result."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer, UserMessage

Either = str | types.InputRequiredResult


def inputs(server: MCPServer[Any]) -> None:
    """Give a server the tools and the prompt."""
    for tool in TOOLS:
        server.tool()(tool)
    server.prompt()(test_input_required_result_prompt)


def form(message: str, **fields: str) -> types.ElicitRequest:
    properties = {name: {"type": kind} for name, kind in fields.items()}
    schema = {"type": "object", "properties": properties, "required": list(fields)}
    params = types.ElicitRequestFormParams(message=message, requested_schema=schema)
    return types.ElicitRequest(params=params)


def sample(text: str, most: int = 100) -> types.CreateMessageRequest:
    said = types.SamplingMessage(role="user", content=types.TextContent(text=text))
    params = types.CreateMessageRequestParams(messages=[said], max_tokens=most)
    return types.CreateMessageRequest(params=params)


ROOTS = types.ListRootsRequest()


def wanted(state: str | None = None, **requests: Any) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def given(ctx: Context, key: str, kind: type) -> Any:
    """What the client sent under a key, if it is of that kind."""
    found = (ctx.input_responses or {}).get(key)
    return found if isinstance(found, kind) else None


def field(ctx: Context, key: str, name: str) -> Any:
    found = given(ctx, key, types.ElicitResult)
    return (found.content or {}).get(name) if found else None


async def test_input_required_result_elicitation(ctx: Context) -> Either:
    """A fixture: input required result elicitation."""
    name = field(ctx, "user_name", "name")
    return (
        f"Hello, {name}!" if name else wanted(user_name=form("What is your name?", name="string"))
    )


async def test_streaming_elicitation(ctx: Context) -> Either:
    """A fixture: streaming elicitation."""
    await ctx.report_progress(1, 2)
    return wanted(user_name=form("What is your name?", name="string"))


async def test_input_required_result_sampling(ctx: Context) -> Either:
    """A fixture: input required result sampling."""
    found = given(ctx, "capital_question", types.CreateMessageResult)
    question = sample("What is the capital of France?")
    return found.content.text if found else wanted(capital_question=question)


async def test_input_required_result_list_roots(ctx: Context) -> Either:
    """A fixture: input required result list roots."""
    found = given(ctx, "client_roots", types.ListRootsResult)
    return ", ".join(str(r.uri) for r in found.roots) if found else wanted(client_roots=ROOTS)


def confirmed(ctx: Context) -> Either:
    ok = field(ctx, "confirm", "ok")
    if ok is None or ctx.request_state != "known":
        return wanted("known", confirm=form("Please confirm", ok="boolean"))
    return "state-ok"


async def test_input_required_result_request_state(ctx: Context) -> Either:
    """A fixture: input required result request state."""
    return confirmed(ctx)


async def test_input_required_result_tampered_state(ctx: Context) -> Either:
    """A fixture: input required result tampered state."""
    return confirmed(ctx)


async def test_input_required_result_multiple_inputs(ctx: Context) -> Either:
    """A fixture: input required result multiple inputs."""
    name = field(ctx, "user_name", "name")
    greeting = given(ctx, "greeting", types.CreateMessageResult)
    roots = given(ctx, "client_roots", types.ListRootsResult)
    if name and greeting and roots:
        return f"{greeting.content.text} {name}, {len(roots.roots)} roots"
    return wanted(
        "many",
        user_name=form("What is your name?", name="string"),
        greeting=sample("Generate a greeting", 50),
        client_roots=ROOTS,
    )


async def test_input_required_result_multi_round(ctx: Context) -> Either:
    """A fixture: input required result multi round."""
    color = field(ctx, "step2", "color")
    if color and ctx.request_state:
        return f"{json.loads(ctx.request_state)['name']} likes {color}"
    if name := field(ctx, "step1", "name"):
        state = json.dumps({"round": 2, "name": name})
        return wanted(state, step2=form("Step 2: What is your favorite color?", color="string"))
    return wanted("1", step1=form("Step 1: What is your name?", name="string"))


async def test_input_required_result_capabilities(ctx: Context) -> Either:
    """A fixture: input required result capabilities."""
    can, asks = ctx.client_capabilities, {}
    if can and can.sampling is not None:
        asks["greeting"] = sample("Generate a greeting")
    if can and can.elicitation is not None:
        asks["user_name"] = form("What is your name?", name="string")
    return wanted("asked", **asks)


async def test_input_required_result_prompt(
    ctx: Context,
) -> list[UserMessage] | types.InputRequiredResult:
    """A prompt that needs something first."""
    found = field(ctx, "user_context", "context")
    if not found:
        asked = form("What context should the prompt use?", context="string")
        return wanted(user_context=asked)
    return [UserMessage(f"Use this context: {found}")]


TOOLS = (
    test_input_required_result_elicitation,
    test_streaming_elicitation,
    test_input_required_result_sampling,
    test_input_required_result_list_roots,
    test_input_required_result_request_state,
    test_input_required_result_tampered_state,
    test_input_required_result_multiple_inputs,
    test_input_required_result_multi_round,
    test_input_required_result_capabilities,
)
