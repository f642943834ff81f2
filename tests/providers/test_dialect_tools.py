"""Tools on every wire: told of, called and answered as the official SDKs do it."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.canned_vendor import CannedVendor
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Ask, Finish
from mutual_dissent.core.tool import MOST_USES, Exchange, SearchWay, Tool, Use, submission
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.dialects import DIALECTS
from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.endpoints import TABLE, Endpoint
from mutual_dissent.providers.http.limits import Bounds
from mutual_dissent.providers.http.stream import SSE
from mutual_dissent.providers.prices.own_search import own_search
from mutual_dissent.providers.router import Router

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
PARAMETERS = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "What to look for."}},
    "required": ["query"],
    "additionalProperties": False,
}
SEARCH = Tool(name="web_search", description="Search the web.", parameters=PARAMETERS)
CHECK = Tool(name="fact_check", description="Check a claim.", parameters=PARAMETERS)
SIGNATURE = "c2lnbmVk"  # base64, as this wire has it
FIRST = Exchange(
    text="Let me look.",
    uses=(
        Use(id="call_1", name="web_search", arguments={"query": "tabs"}, result="1. Tabs win."),
        Use(id="call_2", name="fact_check", arguments={"query": "é"}, result="down", failed=True),
    ),
)
SECOND = Exchange(
    text="",
    uses=(Use(id="call_3", name="web_search", arguments={"query": "spaces"}, result="None."),),
)
HANDED_IN = {"schema": PARAMETERS, "submits": True}
CALLS = {
    "offered": {"tools": (SEARCH,)},
    "two, with a system text": {"tools": (SEARCH, CHECK), "system": "s"},
    "after one exchange": {"tools": (SEARCH, CHECK), "exchanges": (FIRST,)},
    "after two exchanges": {"tools": (SEARCH, CHECK), "exchanges": (FIRST, SECOND), "system": "s"},
    "spent": {"tools": (SEARCH, CHECK), "exchanges": (FIRST, FIRST)},
    "handed in": {**HANDED_IN, "system": "s"},
    "handed in beside others": {**HANDED_IN, "tools": (SEARCH,), "exchanges": (SECOND,)},
    "handed in when spent": {
        **HANDED_IN,
        "tools": (SEARCH, CHECK),
        "exchanges": (FIRST, FIRST),
    },
}


def ask(model="demo-1", **more):
    seat = Panelist(seat="a", route=Route(vendor="v", model_id=model))
    parts = {"system": "", "head": "What is better? ", "tail": "Tabs or spaces?"} | more
    return Ask(key="k", panelist=seat, round_number=0, role="initial", prompt="p", **parts)


def endpoint(wire, base_url="http://127.0.0.1:9", **more):
    key = Key(SECRET, "TEST")
    return Endpoint(vendor="v", dialect=wire, base_url=base_url, key=key, **more)


def body(wire, a, **more):
    return DIALECTS[wire].request(a, endpoint(wire, **more)).body


@pytest.fixture
async def vendor():
    async with CannedVendor() as server:
        yield server


def fixture(wire, name):
    return json.loads((FIXTURES / wire / f"{name}.json").read_text(encoding="utf-8"))


def wire_bytes(events):
    lines = []
    for name, data in events:
        lines += [f"event: {name}\n"] if name else []
        lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
    return "".join(lines).encode()


# --- the SDKs, asked in their own terms ---------------------------------------------------------


def told_of(a):
    """The tools of an ask, with the one by which its answer is handed in."""
    return [*a.tools, submission(a.schema)] if a.submits else a.tools


def chosen(a):
    """What the model is to do with them: nothing, anything, or to hand in."""
    if a.submits:
        return "any" if a.tools and not a.tools_spent else "submit"
    return "none" if a.tools_spent else ""


async def ask_openai(url, a):
    def call(use):
        arguments = json.dumps(use.arguments, ensure_ascii=False, separators=(",", ":"))
        function = {"name": use.name, "arguments": arguments}
        return {"id": use.id, "type": "function", "function": function}

    messages = [{"role": "system", "content": a.system}] if a.system else []
    messages.append({"role": "user", "content": a.text})
    for e in a.exchanges:
        calls = [call(u) for u in e.uses]
        messages.append({"role": "assistant", "content": e.text or None, "tool_calls": calls})
        for u in e.uses:
            messages.append({"role": "tool", "tool_call_id": u.id, "content": u.result})
    choice = {"none": "none", "any": "required"}.get(chosen(a))
    if chosen(a) == "submit":
        choice = {"type": "function", "function": {"name": "submit_response"}}
    tools = [
        {
            "type": "function",
            "function": {
                "name": t.name,
                "description": t.description,
                "parameters": t.parameters,
            },
        }
        for t in told_of(a)
    ]
    async with openai.AsyncOpenAI(api_key=SECRET, base_url=f"{url}/v1", max_retries=0) as client:
        stream = await client.chat.completions.create(
            model="demo-1",
            messages=messages,
            stream=True,
            stream_options={"include_usage": True},
            tools=tools,
            **({"tool_choice": choice} if choice else {}),
        )
        return [chunk async for chunk in stream]


async def ask_responses(url, a):
    said = [{"role": "user", "content": a.text}]
    for e in a.exchanges:
        said += [{"role": "assistant", "content": e.text}] if e.text else []
        for u in e.uses:
            arguments = json.dumps(u.arguments, ensure_ascii=False, separators=(",", ":"))
            call = {"type": "function_call", "call_id": u.id, "name": u.name}
            said.append({**call, "arguments": arguments})
        for u in e.uses:
            found = {"type": "function_call_output", "call_id": u.id, "output": u.result}
            said.append(found)
    choice = {"none": "none", "any": "required"}.get(chosen(a))
    if chosen(a) == "submit":
        choice = {"type": "function", "name": "submit_response"}
    tools = [
        {
            "type": "function",
            "name": t.name,
            "description": t.description,
            "parameters": t.parameters,
            "strict": False,
        }
        for t in told_of(a)
    ]
    more = {"instructions": a.system} if a.system else {}
    async with openai.AsyncOpenAI(api_key=SECRET, base_url=f"{url}/v1", max_retries=0) as client:
        stream = await client.responses.create(
            model="demo-1",
            input=said,
            stream=True,
            store=False,
            tools=tools,
            **more,
            **({"tool_choice": choice} if choice else {}),
        )
        return [event async for event in stream]


async def ask_anthropic(url, a):
    messages = [{"role": "user", "content": a.text}]
    for e in a.exchanges:
        said = [{"type": "text", "text": e.text}] if e.text else []
        for u in e.uses:
            said.append({"type": "tool_use", "id": u.id, "name": u.name, "input": u.arguments})
        results = [
            {
                "type": "tool_result",
                "tool_use_id": u.id,
                "content": u.result,
                "is_error": u.failed,
            }
            for u in e.uses
        ]
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": results}]
    tools = [
        {"name": t.name, "description": t.description, "input_schema": t.parameters}
        for t in told_of(a)
    ]
    more = {"system": a.system} if a.system else {}
    if chosen(a) == "submit":
        more["tool_choice"] = {"type": "tool", "name": "submit_response"}
    elif chosen(a):
        more["tool_choice"] = {"type": chosen(a)}
    async with anthropic.AsyncAnthropic(api_key=SECRET, base_url=url, max_retries=0) as client:
        stream = client.messages.stream(
            model="demo-1", max_tokens=8192, messages=messages, tools=tools, **more
        )
        async with stream as events:
            return await events.get_final_message()


def google_contents(a):
    contents = [types.Content(role="user", parts=[types.Part(text=a.text)])]
    for e in a.exchanges:
        said = [types.Part(text=e.text)] if e.text else []
        said += [
            types.Part(function_call=types.FunctionCall(id=u.id, name=u.name, args=u.arguments))
            for u in e.uses
        ]
        results = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=u.id,
                    name=u.name,
                    response={"error" if u.failed else "output": u.result},
                )
            )
            for u in e.uses
        ]
        contents.append(types.Content(role="model", parts=said))
        contents.append(types.Content(role="user", parts=results))
    return contents


async def ask_google(url, a):
    declared = [
        types.FunctionDeclaration(
            name=t.name, description=t.description, parameters_json_schema=t.parameters
        )
        for t in told_of(a)
    ]
    more = {"system_instruction": a.system} if a.system else {}
    if chosen(a):
        only = {"allowed_function_names": ["submit_response"]} if chosen(a) == "submit" else {}
        mode = types.FunctionCallingConfigMode["NONE" if chosen(a) == "none" else "ANY"]
        calling = types.FunctionCallingConfig(mode=mode, **only)
        more["tool_config"] = types.ToolConfig(function_calling_config=calling)
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=declared)],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        **more,
    )
    options = types.HttpOptions(base_url=url, api_version="v1beta")
    client = genai.Client(api_key=SECRET, http_options=options)
    stream = await client.aio.models.generate_content_stream(
        model="demo-1", contents=google_contents(a), config=config
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


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("wire", DIALECTS)
async def test_a_request_with_tools_equals_the_official_one(vendor, wire, call):
    vendor.will_answer(wire_bytes(fixture(wire, "text")["events"]), "text/event-stream")
    a = ask(**CALLS[call])
    await ASK[wire](vendor.url, a)
    sent = DIALECTS[wire].request(a, endpoint(wire, vendor.url + BASE[wire]))
    assert sent.body == vendor.requests[-1][2]


@pytest.mark.parametrize("wire", DIALECTS)
def test_a_request_without_tools_is_what_it_was(wire):
    plain = body(wire, ask(system="s"))
    assert body(wire, ask(system="s", search=SearchWay(by="Brave")), takes_tools=False) == plain
    assert not {"tools", "tool_choice", "toolConfig", "plugins"} & set(plain)


# --- what must go back --------------------------------------------------------------------------


def read(wire, events):
    sse, reading = SSE(), PartialAnswer()
    for event in [*sse.feed(wire_bytes(events)), *sse.close()]:
        DIALECTS[wire].read_event(reading, *event)
    return reading


def went_back(wire, reading):
    """The messages of the next request after these calls were answered."""
    uses = tuple(Use.of(call, "found") for call in reading.tool_calls)
    exchange = Exchange(text="".join(reading.text), uses=uses)
    return body(wire, ask(tools=(SEARCH,), exchanges=(exchange,)))


def test_google_sees_its_signature_beside_the_call_that_it_came_with():
    parts = [
        {"functionCall": {"name": "a", "args": {"q": 1}}, "thoughtSignature": SIGNATURE},
        {"functionCall": {"name": "b", "args": {}}},
    ]
    chunk = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
    model, results = went_back("google", read("google", [("", chunk)]))["contents"][1:]
    assert model == {"parts": parts, "role": "model"}
    answers = [p["functionResponse"] for p in results["parts"]]
    assert answers == [{"name": n, "response": {"output": "found"}} for n in "ab"]


def anthropic_events():
    def start(i, block):
        event = {"type": "content_block_start", "index": i, "content_block": block}
        return ("content_block_start", event)

    def delta(i, d):
        return ("content_block_delta", {"type": "content_block_delta", "index": i, "delta": d})

    def stop(i):
        return ("content_block_stop", {"type": "content_block_stop", "index": i})

    return [
        start(0, {"type": "thinking", "thinking": "", "signature": ""}),
        delta(0, {"type": "thinking_delta", "thinking": "Hm, "}),
        delta(0, {"type": "thinking_delta", "thinking": "so."}),
        delta(0, {"type": "signature_delta", "signature": "sig=="}),
        stop(0),
        start(1, {"type": "redacted_thinking", "data": "xyz"}),
        stop(1),
        start(2, {"type": "tool_use", "id": "toolu_1", "name": "web_search", "input": {}}),
        delta(2, {"type": "input_json_delta", "partial_json": '{"query": "x"}'}),
        stop(2),
        ("message_delta", {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
    ]


def test_anthropic_sees_its_signed_thoughts_before_the_call():
    said, results = went_back("anthropic", read("anthropic", anthropic_events()))["messages"][1:]
    assert said["content"] == [
        {"type": "thinking", "thinking": "Hm, so.", "signature": "sig=="},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "tool_use", "id": "toolu_1", "name": "web_search", "input": {"query": "x"}},
    ]
    [result] = results["content"]
    assert (result["tool_use_id"], result["content"]) == ("toolu_1", "found")


def chunks(*deltas):
    made = [{"choices": [{"index": 0, "delta": d}]} for d in deltas]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    return [("", c) for c in (*made, end)]


CALL = {"index": 0, "id": "c1", "function": {"name": "web_search", "arguments": "{}"}}


def test_openrouter_sees_its_reasoning_details_whole():
    text = {"type": "reasoning.text", "index": 0, "format": "google-gemini-v1"}
    sealed = {"type": "reasoning.encrypted", "data": "abc", "id": "c1", "index": 0}
    events = chunks(
        {"reasoning_details": [{**text, "text": "Let me "}]},
        {"reasoning_details": [{**text, "text": "think."}]},
        {"reasoning_details": [{**text, "text": "", "signature": "s"}]},
        {"reasoning_details": [sealed], "tool_calls": [CALL]},
    )
    said = went_back("openai-chat", read("openai-chat", events))["messages"][1]
    whole = {**text, "text": "Let me think.", "signature": "s"}
    assert said["reasoning_details"] == [whole, sealed]
    assert "reasoning_content" not in said


def test_deepseek_sees_its_reasoning_again():
    events = chunks(
        {"reasoning_content": "Hm, "}, {"reasoning_content": "so."}, {"tool_calls": [CALL]}
    )
    said = went_back("openai-chat", read("openai-chat", events))["messages"][1]
    assert said["reasoning_content"] == "Hm, so."
    assert said["content"] is None


def test_thoughts_of_absurd_length_are_not_kept():
    events = chunks({"reasoning_content": "x" * 1_100_000}, {"tool_calls": [CALL]})
    assert "wire" not in read("openai-chat", events).tool_calls[0]


@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
def test_calls_without_an_id_get_one_that_their_results_name(wire):
    use = Use(id="", name="web_search", arguments={}, result="r")
    a = ask(tools=(SEARCH,), exchanges=(Exchange(text="", uses=(use, use)),) * 2)
    text = json.dumps(body(wire, a)["messages"])
    for id_ in ("call_0_0", "call_0_1", "call_1_0", "call_1_1"):
        assert text.count(f'"{id_}"') == 2


@pytest.mark.parametrize("wire", DIALECTS)
def test_results_that_utf8_cannot_carry_are_replaced(wire):
    use = Use(id="1", name="web_search", arguments={"query": "é"}, result="\udfff")
    a = ask(tools=(SEARCH,), exchanges=(Exchange(text="\ud800", uses=(use,)),))
    json.dumps(body(wire, a), ensure_ascii=False).encode()


def test_a_call_whose_arguments_are_no_object_is_shown_without_any():
    use = Use.of({"id": "1", "name": "x", "arguments": "{broken"}, "no", failed=True)
    assert use.arguments == {}


# --- answers that are handed in by a tool -------------------------------------------------------


def handed_in(wire, pieces):
    """The events of a reply that says something, then hands in its answer piece by piece."""
    whole = {"name": "submit_response", "arguments": pieces[0]}
    match wire:
        case "openai-chat":
            first = {"index": 0, "id": "c1", "function": whole}
            rest = [{"index": 0, "function": {"arguments": p}} for p in pieces[1:]]
            return chunks({"content": "So."}, *({"tool_calls": [c]} for c in (first, *rest)))
        case "openai-responses":
            item = {"type": "function_call", "call_id": "t", "name": "submit_response"}
            given = {"type": "response.function_call_arguments.delta", "output_index": 1}
            done = {"type": "response.output_item.done", "output_index": 1}
            return [
                ("", {"type": "response.output_text.delta", "output_index": 0, "delta": "So."}),
                ("", {**done, "type": "response.output_item.added", "item": item}),
                *(("", {**given, "delta": p}) for p in pieces),
                ("", {**done, "item": {**item, "arguments": "".join(pieces)}}),
                ("", {"type": "response.completed", "response": {"output": []}}),
            ]
        case "anthropic":
            block = {"type": "tool_use", "id": "t", "name": "submit_response", "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": p} for p in pieces]
            return [
                ("", {"type": "content_block_start", "index": 0,
                      "content_block": {"type": "text", "text": "So."}}),
                ("", {"type": "content_block_start", "index": 1, "content_block": block}),
                *(("", {"type": "content_block_delta", "index": 1, "delta": d}) for d in deltas),
                ("", {"type": "content_block_stop", "index": 1}),
                ("", {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            ]  # fmt: skip
        case _:
            call = {"name": "submit_response", "args": json.loads("".join(pieces))}
            parts = [{"text": "So."}, {"functionCall": call}]
            return [("", {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]})]


@pytest.mark.parametrize("wire", DIALECTS)
def test_an_answer_that_is_handed_in_is_heard_as_it_comes(wire):
    pieces = ['{"query"', ': "ta', 'bs"}']
    sse, reading = SSE(), PartialAnswer()
    events = [*sse.feed(wire_bytes(handed_in(wire, pieces))), *sse.close()]
    heard = [t for e in events if (t := DIALECTS[wire].read_event(reading, *e))]
    assert "".join(heard) == "".join(reading.text)
    said, answer = "".join(heard).split("\n\n")
    assert (said, json.loads(answer)) == ("So.", {"query": "tabs"})
    assert (reading.submitted, reading.tool_calls) == (True, [])
    assert reading.finish is Finish.COMPLETE
    if wire != "google":  # which sends the arguments whole
        assert len(heard) > len(pieces)


# --- search by the vendor itself ----------------------------------------------------------------


SEARCHING = [
    ("openrouter", "x/y", {"plugins": [{"id": "web", "engine": "exa", "max_results": 5}]}),
    ("openai", "gpt-5-search-api", {"web_search_options": {}}),
    ("perplexity", "sonar", {}),
    ("groq", "groq/compound", {}),
    ("openai", "gpt-5", {"tools": [{"type": "web_search"}]}),
    ("openai", "gpt-4.1-mini", {"tools": [{"type": "web_search"}]}),
    ("xai", "grok-4", {"tools": [{"type": "web_search"}]}),
    (
        "anthropic",
        "claude-sonnet-4-5",
        {"tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": MOST_USES}]},
    ),
    ("google", "gemini-2.5-pro", {"tools": [{"googleSearch": {}}]}),
]
ASKED_FOR = ("tools", "plugins", "web_search_options", "tool_choice", "toolConfig")


@pytest.mark.parametrize(("name", "model", "expected"), SEARCHING)
def test_a_vendor_searches_by_itself_in_the_way_that_it_has(name, model, expected):
    row = replace(TABLE[name], key=Key(SECRET, "TEST"))
    way = own_search(Route(vendor=name, model_id=model)).way
    sent = DIALECTS[way.wire or row.dialect].request(ask(model, search=way), row).body
    assert {k: sent[k] for k in ASKED_FOR if k in sent} == expected


def test_perplexity_is_never_told_of_tools():
    row = replace(TABLE["perplexity"], key=Key(SECRET, "TEST"))
    sent = DIALECTS[row.dialect].request(ask(tools=(SEARCH,)), row).body
    assert not {"tools", "plugins"} & set(sent)


# --- through the router -------------------------------------------------------------------------


def router(vendor, wire="openai-chat"):
    return Router({"v": endpoint(wire, vendor.url + BASE[wire])}, bounds=Bounds(backoff=0.01))


async def answer(vendor, a):
    async with router(vendor) as r:
        return await r.ask(a, lambda _: None)


async def test_calls_alone_are_an_answer_where_tools_were_offered(vendor):
    vendor.will_answer(wire_bytes(chunks({"tool_calls": [CALL]})), "text/event-stream")
    said = await answer(vendor, ask(tools=(SEARCH,)))
    assert (said.error, said.finish, said.content) == (None, Finish.COMPLETE, "")
    assert said.tool_calls == ({"id": "c1", "name": "web_search", "arguments": {}},)


async def test_a_search_beside_an_answer_that_is_handed_in_is_not_waited_for(vendor):
    given = {"index": 1, "id": "c2", "function": {"name": "submit_response", "arguments": "{}"}}
    vendor.will_answer(wire_bytes(chunks({"tool_calls": [CALL, given]})), "text/event-stream")
    said = await answer(vendor, ask(tools=(SEARCH,), **HANDED_IN))
    assert (said.error, said.content, said.tool_calls) == (None, "{}", ())


@pytest.mark.parametrize("more", [{}, {"tools": (SEARCH, CHECK), "exchanges": (FIRST, FIRST)}])
async def test_calls_alone_are_no_answer_where_none_were_wanted(vendor, more):
    vendor.will_answer(wire_bytes(chunks({"tool_calls": [CALL]})), "text/event-stream")
    said = await answer(vendor, ask(**more))
    assert said.finish is Finish.EMPTY
    assert said.error


class Toolless(CannedVendor):
    """A vendor whose models know no tools, as Ollama and OpenRouter say it."""

    async def _answer(self, request):
        sent = json.loads(await request.read())
        if "tools" in sent:
            error = {"error": {"message": "demo-1 does not support tools"}}
            self.will_answer(json.dumps(error).encode(), "application/json", 400)
        else:
            events = chunks({"content": "Tabs."})
            self.will_answer(wire_bytes(events), "text/event-stream")
        return await super()._answer(request)


async def test_a_model_that_refuses_tools_is_asked_without_them_and_only_once():
    async with Toolless() as vendor, router(vendor) as r:
        for _ in range(2):
            said = await r.ask(ask(tools=(SEARCH,)), lambda _: None)
            assert (said.error, said.content) == (None, "Tabs.")
    assert ["tools" in sent for _, _, sent in vendor.requests] == [True, False, False]


OF_A_PROGRAM = {
    ("", "openai-chat"): {},
    ("", "openai-responses"): {},
    ("", "anthropic"): {},
    ("", "google"): {},
    ("required", "openai-chat"): {"tool_choice": "required"},
    ("required", "openai-responses"): {"tool_choice": "required"},
    ("required", "anthropic"): {"tool_choice": {"type": "any"}},
    ("required", "google"): {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
    ("fact_check", "openai-chat"): {
        "tool_choice": {"type": "function", "function": {"name": "fact_check"}}
    },
    ("fact_check", "openai-responses"): {"tool_choice": {"type": "function", "name": "fact_check"}},
    ("fact_check", "anthropic"): {"tool_choice": {"type": "tool", "name": "fact_check"}},
    ("fact_check", "google"): {
        "toolConfig": {
            "functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["fact_check"]}
        }
    },
}


@pytest.mark.parametrize(("choice", "wire"), OF_A_PROGRAM)
def test_what_a_users_program_wants_to_be_called_is_told_in_every_dialect(choice, wire):
    asked = ask(tools=(SEARCH, CHECK), calls_out=True, choice=choice)
    sent = body(wire, asked)
    kept = {k: v for k, v in sent.items() if k in ("tool_choice", "toolConfig")}
    assert kept == OF_A_PROGRAM[choice, wire]
    assert "web_search" in json.dumps(sent["tools"])
    one = body(wire, replace(asked, parallel=False))
    assert one.get("parallel_tool_calls") is (False if wire.startswith("openai") else None)
    if wire == "anthropic":
        assert one["tool_choice"]["disable_parallel_tool_use"] is True
