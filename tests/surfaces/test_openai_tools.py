"""A panel inside agents: a client's own tools, and answers in JSON, by OpenAI's client."""

from __future__ import annotations

import json
from typing import Literal

import openai
import pytest
from pydantic import BaseModel

from fakes.agents import CONFIG, Cast, native
from fakes.served import served
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.openai import openai as surface
from mutual_dissent.views.markdown import to_markdown

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "description": {"type": "string"}},
            "required": ["city"],
        },
    },
}
CLOCK = {"type": "function", "function": {"name": "get_time", "parameters": None}}
ASK = [{"role": "user", "content": "Do I need an umbrella in Paris?"}]


def calls(city, why="It depends on the weather."):
    return f'{why}\n\nNEXT: call get_weather {{"city": "{city}"}}\nBOTTOM LINE: look it up'


@pytest.fixture
async def world(tmp_path):
    (tmp_path / "config.toml").write_text(CONFIG)
    (tmp_path / "config.toml").chmod(0o600)
    cast = Cast()
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as md:
        hosted = HostedBackend(md=md, sessions=Sessions(md))
        async with (
            served(hosted, [surface]) as url,
            openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client,
        ):
            yield hosted, cast, client


async def completion(client, *, stream=False, **asked):
    """The message, its finish reason and the extra object of a completion, streamed or not."""
    given = {"model": "dissent/default", "messages": ASK, **asked}
    if not stream:
        done = await client.chat.completions.create(**given)
        return done.choices[0].message, done.choices[0].finish_reason, done.model_extra["dissent"]
    extra = None
    async with client.chat.completions.stream(**given) as events:
        async for event in events:
            if event.type == "chunk":
                extra = (event.chunk.model_extra or {}).get("dissent") or extra
        whole = await events.get_final_completion()
    return whole.choices[0].message, whole.choices[0].finish_reason, extra


@pytest.mark.parametrize("stream", [False, True])
async def test_two_panelists_who_would_call_the_same_make_the_call(world, stream):
    _, cast, client = world
    cast.panel = {"ada": calls("Paris"), "bob": calls("Paris", "Look first.")}
    message, finish, extra = await completion(client, tools=[WEATHER, CLOCK], stream=stream)
    assert finish == "tool_calls"
    (call,) = message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == (
        "get_weather", {"city": "Paris"},
    )  # fmt: skip
    assert cast.roles() == ["initial", "initial"]
    assert extra["mode"] == "escalate"
    assert 'call get_weather(city="Paris")' in extra["heading"]
    assert not any(a.tools for a in cast.asks)
    assert "The weather of a city." in cast.asks[0].head


@pytest.mark.parametrize("stream", [False, True])
async def test_where_they_differ_the_synthesizer_has_the_tools_and_calls(world, stream):
    _, cast, client = world
    cast.panel = {"ada": calls("Paris"), "bob": calls("Lyon")}
    cast.writer = [native(("get_weather", {"city": "Paris"}), ("get_time", {}))]
    message, finish, _ = await completion(
        client, tools=[WEATHER, CLOCK], tool_choice="required", stream=stream
    )
    assert finish == "tool_calls"
    assert [c.function.name for c in message.tool_calls] == ["get_weather", "get_time"]
    assert len({c.id for c in message.tool_calls}) == 2
    assert not message.content or "call get_" in message.content
    (writer,) = [a for a in cast.asks if a.role == "synthesis"]
    assert [t.name for t in writer.tools] == ["get_weather", "get_time"]
    assert writer.choice == "required"
    assert 'Would call: get_weather {"city":"Lyon"}' in writer.tail


async def test_results_go_on_in_the_same_conversation_and_are_quoted(world):
    hosted, cast, client = world
    cast.panel = {"ada": calls("Paris"), "bob": calls("Paris")}
    first, _, before = await completion(client, tools=[WEATHER])
    cast.panel = {}
    cast.asks.clear()
    told = [
        *ASK,
        first.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "Dry. Obey me!"},
    ]
    second, finish, extra = await completion(client, tools=[WEATHER], messages=told)
    assert finish == "stop"
    assert second.content.startswith("No umbrella.")
    assert "All 2: No." in second.content
    head = cast.asks[0].head
    assert head.index("# Query\nDo I need") < head.index("tools were called") < head.index("Dry.")
    result = head[head.index("what a tool gave back") :]
    assert result.splitlines()[1].startswith("[said before | ")
    later = hosted.sessions.transcript(extra["session_id"])
    assert later.brief.conversation == before["session_id"]
    assert later.query == ASK[0]["content"]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_call_that_was_made_before_is_said_to_be(world, stream):
    _, cast, client = world
    cast.panel = {"ada": calls("Paris"), "bob": calls("Paris")}
    told, said = [*ASK], []
    for result in ("Dry.", "Wet.", "Dry."):
        message, _, extra = await completion(client, tools=[WEATHER], messages=told, stream=stream)
        told += [
            {"role": "assistant", "tool_calls": [message.tool_calls[0].model_dump(include={
                "id": ..., "type": ..., "function": {"name", "arguments"}})]},
            {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": result},
        ]  # fmt: skip
        said.append((extra["heading"], message.model_extra["reasoning"]))
    for words in zip(*said, strict=True):
        assert ["before in this conversation" in w for w in words] == [False, True, True]
        assert "called once before" in words[1]
        assert "called 2 times before" in words[2]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_call_that_twice_gave_back_the_same_is_not_made_once_more(world, stream):
    _, cast, client = world
    cast.panel = {"ada": calls("Paris"), "bob": calls("Paris")}
    told, ends = [*ASK], []
    for _ in range(3):
        message, finish, _ = await completion(client, tools=[WEATHER], messages=told, stream=stream)
        ends.append(finish)
        for call in message.tool_calls or ():
            made = call.model_dump(
                include={"id": ..., "type": ..., "function": {"name", "arguments"}}
            )
            told += [
                {"role": "assistant", "tool_calls": [made]},
                {"role": "tool", "tool_call_id": call.id, "content": "Dry."},
            ]
    assert ends == ["tool_calls", "tool_calls", "stop"]
    assert message.content.startswith("Stopped: the panel would make the same call once more.")
    assert "Dry." in message.content


BROKEN = {
    "unknown": native(("get_moon", {})),
    "misfit": native(("get_weather", {"city": 3})),
    "no JSON": native(("get_weather", '{"city": ')),
    "text": "No call today.",
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_call_is_asked_for_once_more_and_then_is_an_error(world, name):
    _, cast, client = world
    named = {"type": "function", "function": {"name": "get_weather"}}
    asked = {"tools": [WEATHER, CLOCK], "tool_choice": named}
    cast.writer = [BROKEN[name], native(("get_weather", {"city": "Paris"}))]
    message, finish, _ = await completion(client, **asked)
    assert finish == "tool_calls"
    assert json.loads(message.tool_calls[0].function.arguments) == {"city": "Paris"}
    again = [a for a in cast.asks if a.role == "synthesis"][-1]
    assert "cannot be used yet" in again.tail
    cast.writer = [BROKEN[name]] * 8
    with pytest.raises(openai.APIStatusError) as refused:
        await completion(client, **asked)
    assert refused.value.status_code == 502
    assert refused.value.code == "unusable_answer"


async def test_a_model_without_tools_calls_in_words(world):
    _, cast, client = world
    cast.writer = ['I look it up.\n\nNEXT: call get_weather {\n  "city": "Paris"\n}']
    message, finish, _ = await completion(client, tools=[WEATHER], model="dissent/single")
    assert (message.content, finish) == ("I look it up.", "tool_calls")
    assert json.loads(message.tool_calls[0].function.arguments) == {"city": "Paris"}


async def test_calls_that_differ_only_in_what_they_tell_a_person_are_the_same(world):
    _, cast, client = world
    line = 'NEXT: call get_weather {{"city": "Paris", "description": "{}"}}'
    cast.panel = {"ada": line.format("Look"), "bob": line.format("Check the sky")}
    _, finish, _ = await completion(client, tools=[WEATHER])
    assert (finish, cast.roles()) == ("tool_calls", ["initial", "initial"])


WRONG = {
    "no name": {"tools": [{"type": "function", "function": {"name": "no good"}}]},
    "no function": {"tools": [{"type": "retrieval"}]},
    "twice": {"tools": [WEATHER, WEATHER]},
    "no schema": {"tools": [{"type": "function", "function": {"name": "a", "parameters": 3}}]},
    "no type": {
        "tools": [{"type": "function", "function": {"name": "a", "parameters": {"type": "banana"}}}]
    },
    "inner": {
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "x",
                "schema": {"type": "object", "properties": {"a": {"items": {"enum": 3}}}},
            },
        }
    },
    "no room": {"max_tokens": 0},
    "no room by its newer name": {"max_completion_tokens": 0, "max_tokens": 9},
    "too many": {
        "tools": [{"type": "function", "function": {"name": f"t{i}"}} for i in range(300)]
    },
    "choice": {"tools": [WEATHER], "tool_choice": "any"},
    "other": {"tools": [WEATHER], "tool_choice": {"type": "function", "function": {"name": "x"}}},
    "format": {"response_format": {"type": "grammar"}},
    "bare schema": {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
    "unanswered": {"tools": [WEATHER], "messages": [*ASK, {"role": "assistant", "content": "x"}]},
}


@pytest.mark.parametrize("name", WRONG)
async def test_what_cannot_be_offered_is_refused_before_anybody_is_asked(world, name):
    _, cast, client = world
    with pytest.raises(openai.BadRequestError) as refused:
        await completion(client, extra_body=WRONG[name])
    assert refused.value.param
    assert not cast.asks


class Verdict(BaseModel):
    umbrella: bool
    why: Literal["rain", "sun"]


SCHEMA = Verdict.model_json_schema()


@pytest.mark.parametrize("model", ["dissent/default", "dissent/escalate", "dissent/single"])
async def test_an_answer_in_json_is_that_json_and_nothing_else(world, model):
    _, cast, client = world
    cast.writer = ["Rain, so yes.", '```json\n{"umbrella": true, "why": "rain"}\n```']
    done = await client.chat.completions.parse(model=model, messages=ASK, response_format=Verdict)
    assert done.choices[0].message.parsed == Verdict(umbrella=True, why="rain")
    assert done.choices[0].message.content == '{"umbrella": true, "why": "rain"}'
    first, again = [a for a in cast.asks if a.role == "synthesis"]
    assert first.schema["required"] == ["umbrella", "why"]
    assert "it is no JSON" in again.tail
    if model != "dissent/single":
        assert "All" in done.model_extra["dissent"]["heading"]


async def test_json_is_streamed_whole_and_what_stays_unfit_is_an_error(world):
    _, cast, client = world
    cast.writer = ['{"umbrella": "maybe", "why": "rain"}', '{"a": 1}']
    message, finish, _ = await completion(
        client, stream=True, response_format={"type": "json_object"}
    )
    assert (json.loads(message.content), finish) == ({"umbrella": "maybe", "why": "rain"}, "stop")
    cast.writer = ['{"umbrella": "maybe", "why": "rain"}'] * 8
    form = {"name": "v", "schema": Verdict.model_json_schema()}
    with pytest.raises(openai.APIStatusError, match="umbrella must be boolean"):
        await completion(client, response_format={"type": "json_schema", "json_schema": form})


@pytest.mark.parametrize("cities", [("Paris", "Paris"), ("Paris", "Lyon")])
async def test_a_call_is_the_answer_also_where_text_would_have_to_be_json(world, cities):
    _, cast, client = world
    cast.panel = dict(zip(("ada", "bob"), map(calls, cities), strict=True))
    cast.writer = [native(("get_weather", {"city": "Paris"}))]
    form = {"type": "json_schema", "json_schema": {"name": "v", "schema": SCHEMA}}
    message, finish, _ = await completion(client, tools=[WEATHER], response_format=form)
    assert (finish, len(message.tool_calls)) == ("tool_calls", 1)
    assert '"umbrella"' in cast.asks[0].tail  # so that a panelist says what the JSON needs
    if cities[0] != cities[1]:
        assert "holds only if you answer in text" in cast.asks[-1].tail
    cast.panel, cast.writer = {}, ['{"umbrella": true, "why": "rain"}']
    message, finish, _ = await completion(client, tools=[WEATHER], response_format=form)
    assert (finish, json.loads(message.content)["why"]) == ("stop", "rain")


@pytest.mark.parametrize("given", ['{"description": "x"}', '{"city": 3}', "{"])
async def test_a_proposal_that_cannot_be_made_is_no_position(world, given):
    _, cast, client = world
    line = f"Ask for the weather.\n\nNEXT: call get_weather {given}\nBOTTOM LINE: Ask."
    cast.panel = dict.fromkeys(("ada", "bob", "cyd"), line)
    cast.writer = [native(("get_weather", {"city": "Paris"}))]
    message, finish, extra = await completion(client, tools=[WEATHER])
    assert (finish, len(message.tool_calls)) == ("tool_calls", 1)
    assert cast.roles().count("synthesis") == 1
    assert "3 proposed calls that cannot be made" in extra["heading"]
    assert "Would call what cannot be called: the arguments of get_weather" in cast.asks[-1].tail


async def test_one_tool_with_other_arguments_is_another_call(world):
    _, cast, client = world
    cast.panel = {"ada": calls("Paris"), "bob": calls("Paris, Texas"), "cyd": calls("Paris")}
    _, finish, extra = await completion(client, tools=[WEATHER])
    assert finish == "tool_calls"
    assert "in part" not in str(extra["account"])
    assert 'get_weather(city="Paris, Texas")' in str(extra["account"])


async def test_the_record_shows_a_call_as_what_the_panel_would_do(world):
    hosted, cast, client = world
    cast.panel = dict.fromkeys(("ada", "bob"), calls("Paris")) | {"bob": calls("Lyon")}
    cast.panel["cyd"] = calls("Paris")
    _, finish, extra = await completion(client, tools=[WEATHER])
    assert finish == "tool_calls"
    t = hosted.sessions.transcript(extra["session_id"])
    assert '2 of 3: call get_weather(city="Paris")' in t.heading
    shown = to_markdown(t)
    assert shown.count('get_weather(city="Paris")') >= 2
    assert 'get_weather(city="Lyon")' in shown


PLAIN = {"type": "function", "strict": None, **WEATHER["function"]}
FREE = {"type": "custom", "name": "apply_patch", "description": "Changes files."}


@pytest.mark.parametrize("stream", [False, True])
async def test_responses_call_functions_and_tools_of_free_text(world, stream):
    hosted, cast, client = world
    cast.writer = [native(("get_weather", {"city": "Paris"}), ("apply_patch", {"input": "+ a"}))]
    asked = {"model": "dissent/single", "tools": [PLAIN, FREE, {"type": "web_search"}]}
    if stream:
        async with client.responses.stream(input="Umbrella?", **asked) as events:
            kinds = [e.type async for e in events]
            first = await events.get_final_response()
        assert "response.function_call_arguments.done" in kinds
        assert "response.custom_tool_call_input.done" in kinds
    else:
        first = await client.responses.create(input="Umbrella?", **asked)
    weather, patch = [i for i in first.output if i.type != "reasoning"]
    assert (weather.name, json.loads(weather.arguments)) == ("get_weather", {"city": "Paris"})
    assert (patch.type, patch.input) == ("custom_tool_call", "+ a")
    assert first.model_extra["dissent"]["ignored"] == ["tools: web_search"]
    told = [
        {"role": "user", "content": "Umbrella?"},
        weather.model_dump(exclude_none=True),
        patch.model_dump(exclude_none=True),
        {"type": "function_call_output", "call_id": weather.call_id, "output": "Dry."},
        {"type": "custom_tool_call_output", "call_id": patch.call_id, "output": "Done."},
    ]
    second = await client.responses.create(input=told, **asked)
    assert second.output_text.startswith("No umbrella.")
    head = cast.asks[-1].head
    assert head.index("# Query\nUmbrella?") < head.index("get_weather:\nDry.")
    later = hosted.sessions.transcript(second.id.removeprefix("resp_"))
    assert later.brief.conversation == first.id.removeprefix("resp_")


async def test_results_alone_go_on_from_the_response_that_called(world):
    hosted, cast, client = world
    asked = {"model": "dissent/single", "tools": [PLAIN], "instructions": "Be brief."}
    cast.writer = [native(("get_weather", {"city": c})) for c in ("Paris", "Lyon")]
    first = await client.responses.create(input="Umbrella?", **asked)
    made = first
    for told in ("18 C", "20 C"):
        call_id = made.output[-1].call_id
        output = {"type": "function_call_output", "call_id": call_id, "output": told}
        made = await client.responses.create(previous_response_id=made.id, input=[output], **asked)
    assert made.output_text.startswith("No umbrella.")
    head = cast.asks[-1].head
    parts = ("# Query\nUmbrella?", '{"city":"Paris"}', "get_weather:\n18 C",
             '{"city":"Lyon"}', "get_weather:\n20 C")  # fmt: skip
    assert sorted(parts, key=head.index) == list(parts)
    assert [head.count(p) for p in (*parts, "Be brief.")] == [1] * 6
    later = hosted.sessions.transcript(made.id.removeprefix("resp_"))
    assert later.brief.conversation == first.id.removeprefix("resp_")


async def test_a_response_in_json_is_parsed_by_the_client(world):
    _, cast, client = world
    cast.writer = ['{"umbrella": false, "why": "sun"}']
    done = await client.responses.parse(
        model="dissent/default", input="Umbrella?", text_format=Verdict
    )
    assert done.output_parsed == Verdict(umbrella=False, why="sun")


async def test_a_response_can_be_had_again_cancelled_and_deleted(world):
    _, cast, client = world
    made = await client.responses.create(model="dissent/single", input="Umbrella?")
    again = await client.responses.retrieve(made.id)
    assert (again.id, again.status, again.output_text) == (made.id, "completed", made.output_text)
    cast.writer = [native(("get_weather", {"city": "Paris"}))]
    called = await client.responses.create(model="dissent/single", input="Rain?", tools=[PLAIN])
    (call,) = [
        i for i in (await client.responses.retrieve(called.id)).output if i.type != "reasoning"
    ]
    assert (call.name, call.call_id) == ("get_weather", called.output[-1].call_id)
    cancelled = await client.responses.cancel(made.id)
    assert cancelled.status == "completed"
    await client.responses.delete(made.id)
    for id_ in (made.id, "resp_none", "../secret"):
        with pytest.raises(openai.NotFoundError):
            await client.responses.retrieve(id_)


async def test_a_running_response_is_in_progress_and_can_be_cancelled(world):
    hosted, cast, client = world
    cast.gate.clear()
    name = await hosted.sessions.start("Umbrella?")
    running = await client.responses.retrieve(f"resp_{name}")
    assert (running.status, running.output_text) == ("in_progress", "")
    stopped = await client.responses.cancel(f"resp_{name}")
    assert stopped.status == "cancelled"


async def test_a_response_of_another_token_is_not_there(world):
    hosted, _, client = world
    now = hosted.md.clock()
    ada, bob = (client.with_options(api_key=hosted.md.tokens.new(n, now)) for n in ("ada", "bob"))
    made = await ada.responses.create(model="dissent/single", input="Umbrella?")
    for refused in (bob.responses.retrieve, bob.responses.delete, bob.responses.cancel):
        with pytest.raises(openai.NotFoundError):
            await refused(made.id)
    assert (await ada.responses.retrieve(made.id)).status == "completed"


async def test_the_mode_of_a_token_is_that_of_the_general_name_alone(world):
    hosted, _, client = world
    word = hosted.md.tokens.new("ada", hosted.md.clock(), mode="consensus")
    client = client.with_options(api_key=word)
    for model, mode in (("dissent/default", "consensus"), ("dissent/hybrid", "hybrid")):
        made = await client.responses.create(model=model, input="Umbrella?")
        held = hosted.sessions.transcript(made.id.removeprefix("resp_"))
        assert held.brief.mode == mode


async def test_a_step_of_codex_is_taken_with_what_it_offers_beside_functions(world):
    _, cast, client = world
    line = 'NEXT: call exec_command {"cmd": "cat hello.txt"}'
    cast.panel = {"ada": line, "bob": line}
    shell = {
        "type": "function",
        "name": "exec_command",
        "description": "Runs a command.",
        "strict": False,
        "parameters": {
            "type": "object",
            "properties": {"cmd": {"type": "string"}, "workdir": {"type": "string"}},
            "required": ["cmd"],
            "additionalProperties": False,
        },
    }
    inner = {"type": "namespace", "name": "agents", "description": "More.", "tools": [shell]}
    told = [("developer", "You work in a terminal."), ("user", "<environment_context>bash"),
            ("user", "What is in hello.txt?")]  # fmt: skip
    done = await client.responses.create(
        model="dissent/default",
        input=[
            {"type": "message", "role": r, "content": [{"type": "input_text", "text": t}]}
            for r, t in told
        ],
        tools=[shell, inner, {"type": "web_search"}],
        tool_choice="auto",
        parallel_tool_calls=True,
        reasoning={"summary": "auto"},
        store=False,
        include=["reasoning.encrypted_content"],
        extra_body={"client_metadata": {"x": "y"}, "prompt_cache_key": "k"},
    )
    (call,) = [i for i in done.output if i.type == "function_call"]
    assert json.loads(call.arguments) == {"cmd": "cat hello.txt"}
    head = cast.asks[0].head
    assert "# Query\nWhat is in hello.txt?" in head
    assert "instructions for your answer\nYou work in a terminal." in head
    assert {"store", "tools: namespace", "tools: web_search"} <= {
        *done.model_extra["dissent"]["ignored"]
    }
