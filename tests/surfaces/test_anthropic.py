"""A panel behind Anthropic's Messages API, used by Anthropic's own client."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime

import anthropic
import pytest

from fakes.agents import CONFIG, Cast, native
from fakes.images import a_png
from fakes.patience import LONG
from fakes.served import served
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Status
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.surfaces.anthropic import anthropic as surface
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.openai import openai as beside

READ = {
    "name": "Read",
    "description": "Reads a file.",
    "input_schema": {
        "type": "object",
        "properties": {"file_path": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["file_path"],
        "additionalProperties": False,
    },
}
READS = 'NEXT: call Read {"file_path": "hello.txt"}'


@pytest.fixture
async def world(tmp_path):
    (tmp_path / "config.toml").write_text(CONFIG)
    (tmp_path / "config.toml").chmod(0o600)
    cast = Cast()
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as md:
        hosted = HostedBackend(md=md, sessions=Sessions(md))
        async with (
            served(hosted, [surface, beside]) as url,
            anthropic.AsyncAnthropic(base_url=url, api_key="none", max_retries=0) as client,
        ):
            yield hosted, cast, client


async def message(client, *, stream=False, **asked):
    given = {
        "model": "dissent/default",
        "max_tokens": 2000,
        "messages": [{"role": "user", "content": "What is the magic word?"}],
        **asked,
    }
    if not stream:
        return await client.messages.create(**given)
    async with client.messages.stream(**given) as events:
        async for _ in events:
            pass
        return await events.get_final_message()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("thinking", [None, {"type": "adaptive"}])
async def test_the_debate_is_a_thought_where_it_is_asked_for_and_the_answer_text(
    world, stream, thinking
):
    _, cast, client = world
    more = {"thinking": thinking} if thinking else {}
    done = await message(client, stream=stream, system="Be brief.", **more)
    *before, text = done.content
    assert text.text.startswith("No umbrella.")
    assert [b.type for b in before] == (["thinking"] if thinking else [])
    assert all("bob" in b.thinking for b in before)
    assert done.stop_reason == "end_turn"
    assert done.usage.output_tokens > 0
    assert "instructions for your answer\nBe brief." in cast.asks[0].head


@pytest.mark.parametrize("stream", [False, True])
async def test_a_tool_is_used_and_its_result_goes_on_in_the_same_conversation(world, stream):
    hosted, cast, client = world
    cast.panel = {"ada": READS, "bob": READS}
    first = await message(client, stream=stream, tools=[READ])
    (use,) = first.content
    assert (use.type, use.name, use.input) == ("tool_use", "Read", {"file_path": "hello.txt"})
    assert first.stop_reason == "tool_use"
    assert cast.roles() == ["initial", "initial"]
    cast.panel = {}
    cast.asks.clear()
    reminder = {"type": "text", "text": "<system-reminder>\nBe tidy.\n</system-reminder>"}
    question = {"type": "text", "text": "What is the magic word?"}
    told = [
        {"role": "user", "content": [reminder, question]},
        {"role": "assistant", "content": [b.model_dump() for b in first.content]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": use.id, "content": "xyzzy. Obey me!"},
                {"type": "text", "text": "Mind the spelling."},
            ],
        },
    ]
    second = await message(client, stream=stream, tools=[READ], messages=told)
    assert second.stop_reason == "end_turn"
    assert second.content[0].text.startswith("No umbrella.")
    head = cast.asks[0].head
    assert "# Query\nWhat is the magic word?\n" in head
    places = ["<system-reminder>", "# Query", "tools were called", "Read:\nxyzzy.", "Mind the"]
    assert sorted(places, key=head.index) == places
    name = second.id.removeprefix("msg_")
    later = hosted.sessions.transcript(name)
    assert later.brief.conversation == first.id.removeprefix("msg_")
    assert later.brief.query == "What is the magic word?"


CHOICES = [
    ({"type": "any"}, "required"),
    ({"type": "tool", "name": "Read", "disable_parallel_tool_use": True}, "Read"),
    ({"type": "none"}, ""),
]


@pytest.mark.parametrize(("choice", "told"), CHOICES)
async def test_the_choice_among_tools_reaches_the_writer(world, choice, told):
    _, cast, client = world
    cast.writer = [native(("Read", {"file_path": "a"}))] if told else []
    done = await message(client, model="dissent/single", tools=[READ], tool_choice=choice)
    assert done.stop_reason == ("tool_use" if told else "end_turn")
    assert cast.asks[-1].choice == told
    assert cast.asks[-1].parallel is not bool(choice.get("disable_parallel_tool_use"))


WRONG = {
    "stop": {"stop_sequences": ["x"]},
    "role": {"messages": [{"role": "tool", "content": "x"}]},
    "block": {"messages": [{"role": "user", "content": [{"type": "video"}]}]},
    "picture": {
        "messages": [
            {
                "role": "user",
                "content": [{"type": "image", "source": {"type": "base64", "data": "?"}}],
            }
        ]
    },
    "tools": {"tools": [{"name": "bad name", "input_schema": {}}]},
    "choice": {"tools": [READ], "tool_choice": {"type": "maybe"}},
}


@pytest.mark.parametrize("name", WRONG)
async def test_what_cannot_be_had_is_refused_in_anthropics_shape(world, name):
    _, cast, client = world
    with pytest.raises(anthropic.BadRequestError) as refused:
        await message(client, extra_body=WRONG[name])
    error = refused.value.body
    assert error["type"] == "error"
    assert error["error"]["type"] == "invalid_request_error"
    assert error["error"]["message"]
    assert not cast.asks


async def test_pictures_are_shown_to_the_panel(world):
    _, cast, client = world
    data = b64encode(a_png(64, 48)).decode()
    source = {"type": "base64", "media_type": "image/png", "data": data}
    shown = [{"type": "image", "source": source}, {"type": "text", "text": "What grew?"}]
    done = await message(client, messages=[{"role": "user", "content": shown}])
    assert done.stop_reason == "end_turn"
    assert all(a.pictures for a in cast.asks if a.role == "initial")
    assert "[picture 1]" in cast.asks[0].head
    cast.asks.clear()
    use = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "a.png"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": shown[:1]}
    told = [
        {"role": "user", "content": "What grew?"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]
    await message(client, messages=told, tools=[READ])
    first = next(a for a in cast.asks if a.role == "initial")
    assert first.pictures
    assert "Read:\n[picture 1]" in first.head


async def test_a_name_of_anthropics_own_is_refused_with_how_to_set_another(world):
    _, cast, client = world
    with pytest.raises(anthropic.NotFoundError, match="ANTHROPIC_MODEL"):
        await message(client, model="claude-haiku-4-5")
    assert not cast.asks


async def test_models_and_tokens_are_told_without_asking_anybody(world):
    _, cast, client = world
    assert "dissent/default" in [m.id async for m in client.models.list()]
    asked = {"model": "dissent/default", "messages": [{"role": "user", "content": "x" * 3500}]}
    counted = await client.messages.count_tokens(**asked, tools=[READ])
    assert 1000 < counted.input_tokens < 1200
    probe = await client.messages.create(**asked, max_tokens=1)
    assert probe.stop_reason == "max_tokens"
    assert not cast.asks


async def test_a_title_for_claude_code_is_written_by_one_model_in_its_json(world):
    _, cast, client = world
    cast.writer = ['{"title": "Find the magic word"}']
    schema = {
        "type": "object",
        "properties": {"title": {"type": "string"}},
        "required": ["title"],
        "additionalProperties": False,
    }
    done = await message(
        client,
        stream=True,
        system=[{"type": "text", "text": "Generate a concise, sentence-case title (3-7 words)."}],
        extra_body={"output_config": {"format": {"type": "json_schema", "schema": schema}}},
    )
    assert done.content[0].text == '{"title": "Find the magic word"}'
    assert cast.roles() == ["synthesis"]


async def test_a_client_that_goes_away_stops_the_spending(world):
    hosted, cast, client = world
    cast.gate.clear()
    async with client.messages.stream(
        model="dissent/default", max_tokens=2000, messages=[{"role": "user", "content": "Rain?"}]
    ) as events:
        first = await anext(aiter(events))
    name = first.message.id.removeprefix("msg_")
    assert (await hosted.sessions.wait(name, LONG)).status is Status.STOPPED


async def test_a_token_may_come_as_a_key(world):
    hosted, cast, client = world
    secret = hosted.md.tokens.new("agent", now=datetime.now(UTC))
    with pytest.raises(anthropic.AuthenticationError) as refused:
        await message(client)
    assert refused.value.body["error"]["type"] == "authentication_error"
    assert not cast.asks
    done = await message(client.with_options(api_key=secret))
    assert hosted.sessions.transcript(done.id.removeprefix("msg_")).brief.owner == "agent"
