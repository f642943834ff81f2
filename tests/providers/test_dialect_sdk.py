"""The official SDKs as witnesses: a call is written as they write it, and read as they read it."""

from __future__ import annotations

import json
import warnings
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from fakes.canned_vendor import CannedVendor
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Ask
from mutual_dissent.core.values.picture import Picture
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.dialects import DIALECTS
from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.http.stream import SSE
from mutual_dissent.providers.prices.own_search import own_search

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the SDKs' own, when they are first compiled
    import anthropic
    import openai
    from google import genai
    from google.genai import types

# Google's SDK subclasses aiohttp's session, which aiohttp discourages.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")

FIXTURES = Path(__file__).parents[1] / "fixtures" / "dialects"
SECRET = "sk-test-0123456789"
SCHEMA = {
    "title": "Verdict on tabs",
    "type": "object",
    "properties": {"position": {"type": "string"}, "confidence": {"type": "number"}},
    "required": ["position", "confidence"],
    "additionalProperties": False,
}
LONG = "Context. " * 1000
BUDGETS = {"low": 2048, "high": 24576}

PICTURES = tuple(
    Picture(
        media_type=kind, sha256=sha256(raw).hexdigest(), width=640, height=480, size=len(raw),
        _raw=raw,
    )
    # Bytes that the two alphabets of base 64 write differently.
    for kind, raw in (("image/png", b"\x89PNG\xff\xfe\xfb"), ("image/jpeg", b"\xff\xd8\xff\xe0>?"))
)  # fmt: skip

# What may be asked for, in our terms.
CALLS = {
    "plain": {},
    "with a system text": {"system": "You sit on a panel."},
    "with every setting": {"system": "s", "max_tokens": 77, "temperature": 0.25, "seed": 5},
    "zero is a setting, too": {"temperature": 0.0, "seed": 0},
    "with a schema": {"system": "s", "schema": SCHEMA},
    "with a long head": {"head": LONG, "tail": "Now answer."},
    "with nothing but a long head": {"head": LONG, "tail": ""},
    "beyond ASCII": {"tail": "Grüße, 你好 \U0001f600"},
    "with a picture": {"pictures": PICTURES[:1]},
    "with pictures, a system text and a long head": {
        "pictures": PICTURES,
        "system": "s",
        "head": LONG,
        "tail": "Now answer.",
    },
}


def ask(model="demo-1", effort="", **more):
    seat = Panelist(seat="a", route=Route(vendor="v", model_id=model, effort=effort))
    parts = {"system": "", "head": "What is better? ", "tail": "Tabs or spaces?"} | more
    return Ask(key="k", panelist=seat, round_number=0, role="initial", prompt="p", **parts)


def endpoint(dialect, base_url, **more):
    key = Key(SECRET, "TEST")
    return Endpoint(vendor="v", dialect=dialect, base_url=base_url, key=key, **more)


@pytest.fixture
async def vendor():
    async with CannedVendor() as server:
        yield server


# --- the SDKs, asked in their own terms ---------------------------------------------------------


def openai_content(a):
    urls = [f"data:{p.media_type};base64,{b64encode(p.raw).decode()}" for p in a.pictures]
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [*parts, {"type": "text", "text": a.text}] if parts else a.text


async def ask_openai(url, a, token_field="max_completion_tokens"):
    messages = [{"role": "system", "content": a.system}] if a.system else []
    settings = {
        token_field: a.max_tokens,
        "temperature": a.temperature,
        "seed": a.seed,
        "reasoning_effort": a.panelist.route.effort or None,
    }
    more = {k: v for k, v in settings.items() if v is not None}
    if a.schema:
        named = {"name": "Verdict_on_tabs", "schema": a.schema, "strict": True}
        more["response_format"] = {"type": "json_schema", "json_schema": named}
    async with openai.AsyncOpenAI(api_key=SECRET, base_url=f"{url}/v1", max_retries=0) as client:
        stream = await client.chat.completions.create(
            model=a.panelist.model_id,
            messages=[*messages, {"role": "user", "content": openai_content(a)}],
            stream=True,
            stream_options={"include_usage": True},
            **more,
        )
        return [chunk async for chunk in stream]


async def ask_responses(url, a):
    urls = [f"data:{p.media_type};base64,{b64encode(p.raw).decode()}" for p in a.pictures]
    shown = [{"type": "input_image", "image_url": url, "detail": "auto"} for url in urls]
    parts = [*shown, {"type": "input_text", "text": a.text}] if shown else a.text
    settings = {
        "instructions": a.system or None,
        "max_output_tokens": a.max_tokens,
        "temperature": a.temperature,  # and no seed, which this wire does not know
        "reasoning": {"effort": a.panelist.route.effort} if a.panelist.route.effort else None,
    }
    more = {k: v for k, v in settings.items() if v is not None}
    if a.schema:
        named = {"name": "Verdict_on_tabs", "schema": a.schema, "strict": True}
        more["text"] = {"format": {"type": "json_schema", **named}}
    if a.own_search:
        more["tools"] = [{"type": "web_search"}]
        more |= {"max_tool_calls": a.own_search.most} if a.own_search.bounded else {}
    async with openai.AsyncOpenAI(api_key=SECRET, base_url=f"{url}/v1", max_retries=0) as client:
        stream = await client.responses.create(
            model=a.panelist.model_id,
            input=[{"role": "user", "content": parts}],
            stream=True,
            store=False,
            **more,
        )
        return [event async for event in stream]


async def ask_anthropic(url, a):
    content = a.text
    if len(a.head) >= 4000 or a.pictures:
        kept = {"type": "text", "text": a.head, "cache_control": {"type": "ephemeral"}}
        content = [kept, {"type": "text", "text": a.tail}] if a.tail else [kept]
    if a.pictures:
        encoded = [(p.media_type, b64encode(p.raw).decode()) for p in a.pictures]
        sources = [{"type": "base64", "media_type": kind, "data": data} for kind, data in encoded]
        content = [*({"type": "image", "source": s} for s in sources), *content]
    more = {"system": a.system} if a.system else {}
    if a.schema:
        more["output_config"] = {"format": {"type": "json_schema", "schema": a.schema}}
    if a.temperature is not None:
        # This SDK sends the API version of 2026-10-21, which knows no temperature; ours does.
        more["extra_body"] = {"temperature": a.temperature}
    most, model = 8192 if a.max_tokens is None else a.max_tokens, a.panelist.model_id
    if effort := a.panelist.route.effort:
        most += BUDGETS[effort] if a.max_tokens is None else 0
        by_number = {"type": "enabled", "budget_tokens": min(BUDGETS[effort], most // 2)}
        old = model == "claude-sonnet-4-5"
        more["thinking"] = by_number if old else {"type": "adaptive"}
        if not old:
            more["output_config"] = {**more.get("output_config", {}), "effort": effort}
    async with anthropic.AsyncAnthropic(api_key=SECRET, base_url=url, max_retries=0) as client:
        stream = client.messages.stream(
            model=model,
            max_tokens=most,
            messages=[{"role": "user", "content": content}],
            **more,
        )
        async with stream as events:
            return await events.get_final_message()


def google_contents(a):
    shown = [types.Part.from_bytes(data=p.raw, mime_type=p.media_type) for p in a.pictures]
    return [*shown, types.Part.from_text(text=a.text)] if shown else a.text


async def ask_google(url, a):
    settings = {
        "system_instruction": a.system or None,
        "temperature": a.temperature,
        "seed": a.seed,
        "max_output_tokens": a.max_tokens,
        "response_mime_type": "application/json" if a.schema else None,
        "response_json_schema": a.schema,
    }
    given = {k: v for k, v in settings.items() if v is not None}
    if effort := a.panelist.route.effort:
        old = "2.5" in a.panelist.model_id
        how = {"thinking_budget": BUDGETS[effort]} if old else {"thinking_level": effort.upper()}
        given["thinking_config"] = types.ThinkingConfig(**how)
    config = types.GenerateContentConfig(**given) if given else None
    options = types.HttpOptions(base_url=url, api_version="v1beta")
    client = genai.Client(api_key=SECRET, http_options=options)
    stream = await client.aio.models.generate_content_stream(
        model=a.panelist.model_id, contents=google_contents(a), config=config
    )
    chunks = [chunk async for chunk in stream]
    await client.aio.aclose()
    return chunks


ASK = {
    "openai-chat": ask_openai,
    "openai-responses": ask_responses,
    "anthropic": ask_anthropic,
    "google": ask_google,
}
BASE = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": "", "google": ""}


def fixture(wire, name):
    return json.loads((FIXTURES / wire / f"{name}.json").read_text(encoding="utf-8"))


def wire_bytes(events):
    lines = []
    for name, data in events:
        lines += [f"event: {name}\n"] if name else []
        lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
    return "".join(lines).encode()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wire", DIALECTS)
async def test_a_request_equals_the_official_one(vendor, wire, call):
    vendor.will_answer(wire_bytes(fixture(wire, "text")["events"]), "text/event-stream")
    a = ask(**CALLS[call])
    await ASK[wire](vendor.url, a)
    path, headers, body = vendor.requests[-1]
    more = {"token_field": "max_completion_tokens"} if wire == "openai-chat" else {}
    ours = DIALECTS[wire].request(a, endpoint(wire, vendor.url + BASE[wire], **more))
    assert ours.body == body
    assert ours.url == vendor.url + path
    assert ours.headers["content-type"] == headers["content-type"]
    if wire != "anthropic":  # its SDK moved to another header; the vendor takes both
        carries_key = {k for k, v in headers.items() if SECRET in v}
        assert {k: ours.headers[k] for k in carries_key} == {k: headers[k] for k in carries_key}


@pytest.mark.filterwarnings("ignore:The model .* is deprecated:DeprecationWarning")
@pytest.mark.parametrize("more", [{}, {"schema": SCHEMA, "system": "s"}, {"max_tokens": 5000}])
@pytest.mark.parametrize("effort", BUDGETS)
@pytest.mark.parametrize(
    ("wire", "model"),
    [
        ("openai-chat", "gpt-6.1-sol"), ("openai-responses", "gpt-6.1-sol"),
        ("anthropic", "claude-sonnet-5-5"), ("anthropic", "claude-sonnet-4-5"),
        ("google", "gemini-4-argon"), ("google", "gemini-2.5-pro"),
    ],
)  # fmt: skip
async def test_an_effort_is_asked_for_as_the_official_sdk_does(vendor, wire, model, effort, more):
    vendor.will_answer(wire_bytes(fixture(wire, "text")["events"]), "text/event-stream")
    a = ask(model, effort, **more)
    await ASK[wire](vendor.url, a)
    field = {"token_field": "max_completion_tokens"} if wire == "openai-chat" else {}
    ours = DIALECTS[wire].request(a, endpoint(wire, vendor.url + BASE[wire], **field))
    assert ours.body == vendor.requests[-1][2]


@pytest.mark.parametrize("name", ["openai:gpt-5", "xai:grok-4"])
async def test_a_search_is_asked_for_as_the_official_sdk_does(vendor, name):
    vendor.will_answer(
        wire_bytes(fixture("openai-responses", "web-search")["events"]), "text/event-stream"
    )
    maker, _, model = name.partition(":")
    a = ask(model, search=own_search(Route(vendor=maker, model_id=model)).way, system="s")
    await ask_responses(vendor.url, a)
    ours = DIALECTS[a.search.wire].request(a, endpoint(a.search.wire, vendor.url + "/v1"))
    assert ours.body == vendor.requests[-1][2]


def test_openrouter_is_told_the_effort_in_its_own_object():
    through = Endpoint(vendor="openrouter", dialect="openai-chat", base_url="http://h")
    body = DIALECTS["openai-chat"].request(ask(effort="high"), through).body
    assert body["reasoning"] == {"effort": "high"}
    assert "reasoning_effort" not in body


async def test_the_older_name_of_the_limit_is_sent_where_the_endpoint_wants_it(vendor):
    vendor.will_answer(wire_bytes(fixture("openai-chat", "text")["events"]), "text/event-stream")
    a = ask(max_tokens=9)
    await ask_openai(vendor.url, a, token_field="max_tokens")
    ours = DIALECTS["openai-chat"].request(a, endpoint("openai-chat", vendor.url + "/v1"))
    assert ours.body == vendor.requests[-1][2]


@pytest.mark.parametrize("wire", DIALECTS)
def test_the_key_is_in_one_header_and_nowhere_else(wire):
    sent = DIALECTS[wire].request(ask(system="s"), endpoint(wire, "https://host.example/"))
    assert sum(SECRET in v for v in sent.headers.values()) == 1
    assert SECRET not in sent.url + json.dumps(sent.body) + repr(sent)
    assert sent.url.startswith("https://host.example/")
    assert "//" not in sent.url.removeprefix("https://")


@pytest.mark.parametrize("wire", DIALECTS)
def test_an_endpoint_without_a_key_gets_none(wire):
    keyless = Endpoint(vendor="v", dialect=wire, base_url="http://127.0.0.1:1", needs_key=False)
    names = set(DIALECTS[wire].request(ask(), keyless).headers)
    assert not names & {"authorization", "x-api-key", "x-goog-api-key"}


@pytest.mark.parametrize("wire", DIALECTS)
def test_text_that_utf8_cannot_carry_is_replaced(wire):
    sent = DIALECTS[wire].request(ask(system="a\ud800", tail="b\udfff"), endpoint(wire, "http://h"))
    json.dumps(sent.body, ensure_ascii=False).encode()


def test_a_models_name_cannot_leave_its_place_in_the_address():
    asked = ask(model="models/../x?key=1#y")
    url = DIALECTS["google"].request(asked, endpoint("google", "https://h")).url
    assert url == "https://h/v1beta/models/..%2Fx%3Fkey%3D1%23y:streamGenerateContent?alt=sse"


# --- reading, compared --------------------------------------------------------------------------


def ours(wire, raw):
    sse, reading = SSE(), PartialAnswer()
    for event in [*sse.feed(raw), *sse.close()]:
        DIALECTS[wire].read_event(reading, *event)
    calls = [(c["id"], c["name"], c["arguments"]) for c in reading.tool_calls]
    tokens = reading.input_tokens, reading.output_tokens, reading.cached_tokens
    return "".join(reading.text), reading.finish_reason, tokens, calls, reading.served_model


async def theirs_openai(url):
    text, reason, tokens, calls, model = "", "", (None, None, None), {}, None
    for chunk in await ask_openai(url, ask()):
        model = chunk.model or model
        if chunk.usage:
            details = chunk.usage.prompt_tokens_details
            cached = details.cached_tokens if details else None
            tokens = chunk.usage.prompt_tokens, chunk.usage.completion_tokens, cached
        for choice in chunk.choices[:1]:
            text += choice.delta.content or ""
            reason = choice.finish_reason or reason
            for call in choice.delta.tool_calls or []:
                made = calls.setdefault(call.index, [call.id, call.function.name, ""])
                made[2] += call.function.arguments or ""
    done = [(i, name, json.loads(a or "{}")) for i, name, a in calls.values()]
    return text, reason, tokens, done, model


async def theirs_responses(url):
    answer = (await ask_responses(url, ask()))[-1].response
    usage, ended = answer.usage, answer.incomplete_details
    tokens = usage.input_tokens, usage.output_tokens, usage.input_tokens_details.cached_tokens
    calls = [
        (c.call_id, c.name, json.loads(c.arguments))
        for c in answer.output
        if c.type == "function_call"
    ]
    reason = ended.reason if ended else answer.status
    return answer.output_text, reason, tokens, calls, answer.model


async def theirs_anthropic(url):
    message = await ask_anthropic(url, ask())
    usage = message.usage
    written, cached = usage.cache_creation_input_tokens, usage.cache_read_input_tokens
    tokens = usage.input_tokens + (written or 0) + (cached or 0), usage.output_tokens, cached
    text = "".join(b.text for b in message.content if b.type == "text")
    calls = [(b.id, b.name, b.input) for b in message.content if b.type == "tool_use"]
    return text, message.stop_reason, tokens, calls, message.model


async def theirs_google(url):
    text, reason, tokens, calls, model = "", "", (None, None, None), [], None
    for chunk in await ask_google(url, ask()):
        model = chunk.model_version or model
        if usage := chunk.usage_metadata:
            asked = usage.prompt_token_count + (usage.tool_use_prompt_token_count or 0)
            said = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
            tokens = asked, said, usage.cached_content_token_count
        for candidate in chunk.candidates or []:
            reason = candidate.finish_reason.value if candidate.finish_reason else reason
            for part in (candidate.content and candidate.content.parts) or []:
                if part.text and not part.thought:
                    text += part.text
                if call := part.function_call:
                    calls.append((call.id or "", call.name, call.args or {}))
    return text, reason, tokens, calls, model


THEIRS = {
    "openai-chat": theirs_openai,
    "openai-responses": theirs_responses,
    "anthropic": theirs_anthropic,
    "google": theirs_google,
}
READABLE = [
    ("openai-chat", "text"), ("openai-chat", "tool-calls"), ("openai-chat", "truncated"),
    ("openai-chat", "filtered"), ("openai-chat", "refusal"), ("openai-chat", "reasoning-content"),
    *(
        ("openai-responses", name)
        for name in ("text", "web-search", "xai-search", "reasoning", "reasoning-only", "refusal",
                     "truncated", "filtered", "function-calls", "whole-at-the-end", "empty")
    ),
    ("openai-chat", "openrouter-cost"), ("anthropic", "text"), ("anthropic", "thinking"),
    ("anthropic", "tool-use"), ("anthropic", "refusal"), ("anthropic", "web-search"),
    ("anthropic", "truncated"), ("google", "text"), ("google", "thoughts"), ("google", "truncated"),
    ("google", "function-call"), ("google", "grounding"), ("google", "filtered"),
]  # fmt: skip


@pytest.mark.parametrize(("wire", "name"), READABLE)
async def test_an_answer_is_read_as_the_official_sdk_reads_it(vendor, wire, name):
    raw = wire_bytes(fixture(wire, name)["events"])
    vendor.will_answer(raw, "text/event-stream")
    assert ours(wire, raw) == await THEIRS[wire](vendor.url)


@pytest.mark.shared
@pytest.mark.slow
async def test_recorded_streams_are_read_as_the_official_sdks_read_them(vendor, shared):
    path = shared / "recordings" / "recordings.jsonl"
    if not path.is_file():
        pytest.skip("SKIPPED: ../shared/recordings is not here")
    compared = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        r = json.loads(line)
        if r["response_text"] is None or "event: error" in r["response_text"]:
            continue
        raw = r["response_text"].encode()
        vendor.will_answer(raw, "text/event-stream")
        assert ours(r["wire"], raw) == await THEIRS[r["wire"]](vendor.url), r["id"]
        compared += 1
    assert compared == 32


async def whole_openai(url):
    async with openai.AsyncOpenAI(api_key=SECRET, base_url=url, max_retries=0) as client:
        answer = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "x"}]
        )
    choice = answer.choices[0]
    calls = [
        (c.id, c.function.name, json.loads(c.function.arguments or "{}"))
        for c in choice.message.tool_calls or []
    ]
    usage = answer.usage.prompt_tokens, answer.usage.completion_tokens
    return choice.message.content or "", choice.finish_reason, usage, calls, answer.model


async def whole_anthropic(url):
    async with anthropic.AsyncAnthropic(api_key=SECRET, base_url=url, max_retries=0) as client:
        message = await client.messages.create(
            model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}]
        )
    usage = message.usage
    asked = usage.input_tokens + (usage.cache_creation_input_tokens or 0)
    tokens = asked + (usage.cache_read_input_tokens or 0), usage.output_tokens
    text = "".join(b.text for b in message.content if b.type == "text")
    calls = [(b.id, b.name, b.input) for b in message.content if b.type == "tool_use"]
    return text, message.stop_reason, tokens, calls, message.model


async def whole_google(url):
    client = genai.Client(api_key=SECRET, http_options=types.HttpOptions(base_url=url))
    answer = await client.aio.models.generate_content(model="m", contents="x")
    await client.aio.aclose()
    candidate, usage = answer.candidates[0], answer.usage_metadata
    parts = candidate.content.parts or []
    text = "".join(p.text for p in parts if p.text and not p.thought)
    found = [p.function_call for p in parts if p.function_call]
    asked = usage.prompt_token_count + (usage.tool_use_prompt_token_count or 0)
    said = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    calls = [(c.id or "", c.name, c.args or {}) for c in found]
    return text, candidate.finish_reason.value, (asked, said), calls, answer.model_version


WHOLE = {"openai-chat": whole_openai, "anthropic": whole_anthropic, "google": whole_google}


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("wire", WHOLE)
async def test_recorded_bodies_are_read_as_the_official_sdks_read_them(vendor, shared, wire):
    path = shared / "recordings" / "recordings.jsonl"
    if not path.is_file():
        pytest.skip("SKIPPED: ../shared/recordings is not here")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [r for r in rows if r["wire"] == wire and r["response_json"] and r["status"] < 400]
    for r in rows[::3]:  # a third, for time; all are compared with their bodies elsewhere
        vendor.will_answer(json.dumps(r["response_json"]).encode(), "application/json")
        reading = PartialAnswer()
        DIALECTS[wire].read_body(reading, r["response_json"])
        calls = [(c["id"], c["name"], c["arguments"]) for c in reading.tool_calls]
        tokens = reading.input_tokens, reading.output_tokens
        made = "".join(reading.text), reading.finish_reason, tokens, calls, reading.served_model
        assert made == await WHOLE[wire](vendor.url), r["id"]
    assert len(rows) > 80
