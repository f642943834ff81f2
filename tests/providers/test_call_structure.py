"""A model that takes no schema is asked for the same form otherwise, at once and only once."""

from __future__ import annotations

import json

import pytest

from fakes.calls import a_router, an_ask, an_endpoint
from fakes.picky_vendor import ANSWER, PROSE, SCHEMA, PickyVendor
from mutual_dissent.analysis.answers.structure import parse_structure
from mutual_dissent.core.form import Form
from mutual_dissent.core.ports import RESTART
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.core.tool import Tool
from mutual_dissent.providers.dialects.errors import vendor_error

DIALECTS = ["openai-chat", "openai-responses", "anthropic", "google"]
SEARCH = Tool(name="web_search", description="Search.", parameters={"type": "object"})
NO_SCHEMA = {
    "openai-chat": "Invalid parameter: 'response_format' of type 'json_schema' is not supported "
    "with this model.",
    "openai-responses": "Invalid parameter: 'text.format' of type 'json_schema' is not supported "
    "with this model.",
    "anthropic": "output_config.format: Extra inputs are not permitted",
    "google": "Unknown name \"responseJsonSchema\" at 'generation_config': Cannot find field.",
}
NO_TOOLS = "m1 does not support tools"


@pytest.fixture(params=DIALECTS)
def dialect(request):
    return request.param


@pytest.fixture(params=["stream", "whole"])
def whole(request):
    return request.param == "whole"


def router(vendor, dialect="openai-chat", **more):
    return a_router(an_endpoint(vendor.base_url(dialect), dialect, **more))


def a_form(**more):
    return an_ask(schema=SCHEMA, **more)


async def asked(r, ask, times=1):
    return [await r.ask(ask, lambda _: None) for _ in range(times)][-1]


async def test_a_schema_that_is_taken_is_all_that_is_sent(dialect, whole):
    async with PickyVendor(whole=whole) as vendor, router(vendor, dialect) as r:
        said = await asked(r, a_form())
    assert json.loads(said.content) == ANSWER
    assert vendor.sent == [{"schema"}]


@pytest.mark.parametrize("status", [400, 422])
async def test_a_refused_schema_becomes_a_tool_at_once_and_is_not_tried_again(
    dialect, whole, status
):
    picky = PickyVendor(whole=whole, status=status, schema=NO_SCHEMA[dialect])
    async with picky as vendor, router(vendor, dialect) as r:
        heard = []
        first = await r.ask(a_form(), heard.append)
        second = await asked(r, a_form())
    assert vendor.sent == [{"schema"}, {"submit", "tools"}, {"submit", "tools"}]
    assert json.loads(first.content) == json.loads(second.content) == ANSWER
    assert (first.finish, first.error, first.tool_calls) == (Finish.COMPLETE, None, ())
    [detour] = first.attempts
    assert (detour.status, detour.error_kind, detour.partial) == (
        status, ErrorKind.BAD_REQUEST, "",
    )  # fmt: skip
    assert second.attempts == ()
    assert "".join(heard) == first.content


async def test_where_tools_are_refused_too_the_form_is_salvaged_from_words(dialect, whole):
    picky = PickyVendor(whole=whole, schema=NO_SCHEMA[dialect], tools=NO_TOOLS)
    async with picky as vendor, router(vendor, dialect) as r:
        first = await asked(r, a_form())
        second = await asked(r, a_form())
    assert vendor.sent == [{"schema"}, {"submit", "tools"}, set(), set()]
    assert first.content == PROSE
    assert [a.status for a in first.attempts] == [400, 400]
    assert second.attempts == ()
    found = parse_structure(second, Form(name="x"), {})
    assert (found.position, found.confidence) == ("Tabs.", 0.8)


@pytest.mark.parametrize(
    "message",
    [
        "temperature must be at most 2",
        "prompt is too long: 9000 tokens, 500 of them for tools and schema",
        "",
    ],
)
async def test_a_refusal_that_is_about_something_else_is_not_tried_again(dialect, message):
    async with PickyVendor(schema=message) as vendor, router(vendor, dialect) as r:
        said = await asked(r, a_form(tools=(SEARCH,)))
    assert (len(vendor.arrivals), said.error_kind) == (1, ErrorKind.BAD_REQUEST)


@pytest.mark.parametrize("message", [NO_TOOLS, "response_format is not supported"])
async def test_a_plain_request_is_not_tried_again_whatever_is_said(dialect, message):
    async with PickyVendor().always("400", message=message) as vendor:
        vendor._turn_for = lambda _: vendor.fallback
        async with router(vendor, dialect) as r:
            said = await asked(r, an_ask())
    assert (len(vendor.arrivals), said.error_kind) == (1, ErrorKind.BAD_REQUEST)


@pytest.mark.parametrize("name", ["json-schema-tools-7b", "tool-user"])
async def test_a_models_name_is_no_reason_to_ask_again(name):
    async with PickyVendor().always("400", message="no") as vendor:
        vendor._turn_for = lambda _: vendor.fallback
        async with router(vendor) as r:
            await asked(r, a_form(model=name, tools=(SEARCH,)))
    assert len(vendor.arrivals) == 1


async def test_a_schema_that_is_only_refused_beside_tools_is_sent_without_them(dialect):
    message = "Function calling with a response mime type: 'application/json' is unsupported"
    async with (
        PickyVendor(schema_and_tools=message) as vendor,
        router(vendor, dialect) as r,
    ):
        await asked(r, a_form(tools=(SEARCH,)), times=2)
        await asked(r, a_form())
    both, handed_in, alone = {"schema", "tools"}, {"submit", "tools"}, {"schema"}
    assert vendor.sent == [both, handed_in, handed_in, alone]


async def test_who_takes_no_tool_to_hand_in_keeps_the_others(dialect):
    picky = PickyVendor(schema=NO_SCHEMA[dialect], submit="tool_choice is not supported")
    async with picky as vendor, router(vendor, dialect) as r:
        await asked(r, a_form(tools=(SEARCH,)))
    assert vendor.sent == [{"schema", "tools"}, {"submit", "tools"}, {"tools"}]


async def test_each_model_is_found_out_about_for_itself():
    async with PickyVendor(schema=NO_SCHEMA["openai-chat"]) as vendor, router(vendor) as r:
        await asked(r, a_form(model="m1"))
        vendor.refuses = {}
        await asked(r, a_form(model="m2"))
    assert vendor.sent[-1] == {"schema"}


async def test_an_endpoint_without_tools_is_asked_in_words():
    picky = PickyVendor(schema=NO_SCHEMA["openai-chat"])
    async with picky as vendor, router(vendor, takes_tools=False) as r:
        said = await asked(r, a_form())
    assert (vendor.sent, said.content) == ([{"schema"}, set()], PROSE)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"error": {"message": "bad", "param": "response_format.type"}}, True),
        ({"detail": [{"loc": ["body", "response_format"], "msg": "extra field"}]}, True),
        ({"error": {"message": "x", "metadata": {"raw": "no structured outputs"}}}, True),
        ({"error": "'response_format.json_schema.schema' must be an object"}, True),
        ({"error": {"message": "bad", "param": "seed"}}, False),
    ],
)
def test_the_refused_field_is_found_wherever_it_is_named(body, found):
    assert ("schema" in vendor_error(400, body).refuses) is found


async def test_a_model_that_hands_in_may_search_before_it_does(dialect):
    picky = PickyVendor(schema=NO_SCHEMA[dialect])
    async with picky as vendor, router(vendor, dialect) as r:
        await asked(r, a_form(tools=(SEARCH,)))
        vendor.then(tool={"name": "web_search", "arguments": {"query": "tabs"}})
        said = await asked(r, a_form(tools=(SEARCH,)))
    assert said.usable
    assert [c["name"] for c in said.tool_calls] == ["web_search"]


async def test_what_was_heard_before_a_refusal_is_taken_back():
    heard = []
    async with PickyVendor(schema=NO_SCHEMA["openai-chat"]) as vendor, router(vendor) as r:
        vendor.then("midcut")
        said = await r.ask(a_form(), heard.append)
    since = max(i for i, piece in enumerate(heard) if piece is RESTART)
    assert "".join(heard[since + 1 :]) == said.content
    assert vendor.sent == [{"schema"}, {"schema"}, {"submit", "tools"}]
