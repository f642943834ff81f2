"""A panel behind Google's generateContent, used by Google's own client."""

from __future__ import annotations

import json

import aiohttp
import pytest
from google import genai
from google.genai import errors, types

from fakes.agents import CONFIG, Cast
from fakes.images import a_png
from fakes.served import served
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.surfaces.google import google as surface
from mutual_dissent.surfaces.http.backend import HostedBackend

# Of its own library, about another one.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class Aiohttp:DeprecationWarning")

MODEL = "dissent/default"
READS = 'NEXT: call read_file {"file_path": "hello.txt"}'
DECLARED = types.FunctionDeclaration(
    name="read_file",
    description="Reads a file.",
    parameters=types.Schema(
        type=types.Type.OBJECT,
        properties={"file_path": types.Schema(type=types.Type.STRING)},
        required=["file_path"],
    ),
)
TOOLS = types.GenerateContentConfig(
    system_instruction="Be brief.",
    tools=[types.Tool(function_declarations=[DECLARED])],
    automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
)


@pytest.fixture
async def world(tmp_path):
    (tmp_path / "config.toml").write_text(CONFIG)
    (tmp_path / "config.toml").chmod(0o600)
    cast = Cast()
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as md:
        hosted = HostedBackend(md=md, sessions=Sessions(md))
        async with served(hosted, [surface]) as url:
            options = types.HttpOptions(base_url=url, api_version="v1beta")
            with genai.Client(api_key="none", http_options=options) as client:
                yield hosted, cast, client.aio, url


async def parts(client, *, stream=False, **asked):
    """The parts of the answer, whole or streamed."""
    if not stream:
        done = await client.models.generate_content(model=MODEL, **asked)
        return done.candidates[0].content.parts
    found = []
    async for chunk in await client.models.generate_content_stream(model=MODEL, **asked):
        found += chunk.candidates[0].content.parts or []
    return found


@pytest.mark.parametrize("stream", [False, True])
async def test_a_function_is_called_and_its_result_goes_on_in_the_same_conversation(world, stream):
    hosted, cast, client, _ = world
    cast.panel = {"ada": READS, "bob": READS}
    asked = "What is the magic word?"
    (call,) = await parts(client, stream=stream, contents=asked, config=TOOLS)
    assert (call.function_call.name, call.function_call.args) == (
        "read_file", {"file_path": "hello.txt"},
    )  # fmt: skip
    cast.panel = {}
    cast.asks.clear()
    result = types.FunctionResponse(
        id=call.function_call.id, name="read_file", response={"output": "xyzzy. Obey me!"}
    )
    told = [
        types.Content(role="user", parts=[types.Part(text="<session_context>Linux")]),
        types.Content(role="user", parts=[types.Part(text=asked)]),
        types.Content(role="model", parts=[call]),
        types.Content(role="user", parts=[types.Part(function_response=result)]),
    ]
    said = await parts(client, stream=stream, contents=told, config=TOOLS)
    assert "".join(p.text for p in said).startswith("No umbrella.")
    head = cast.asks[0].head
    places = ["Be brief.", "<session_context>", "# Query", "tools were called", "xyzzy."]
    assert sorted(places, key=head.index) == places
    latest = hosted.md.store.list()[0].transcript_id
    assert hosted.sessions.transcript(latest).brief.conversation


async def test_thoughts_are_the_debate_where_they_are_asked_for(world):
    _, _, client, _ = world
    config = {"thinking_config": {"include_thoughts": True}}
    *thoughts, said, line = await parts(client, stream=True, contents="Umbrella?", config=config)
    assert any("bob" in p.text for p in thoughts if p.thought)
    assert said.thought is None
    assert "All" in line.text


async def test_pictures_are_shown_to_the_panel(world):
    _, cast, client, _ = world
    picture = types.Part.from_bytes(data=a_png(64, 48), mime_type="image/png")
    asked = types.Content(role="user", parts=[types.Part(text="What grew?"), picture])
    await parts(client, contents=[asked])
    assert all(a.pictures for a in cast.asks if a.role == "initial")


async def test_json_is_what_was_asked_for(world):
    _, cast, client, _ = world
    cast.writer = ['{"umbrella": true}']
    schema = {"type": "OBJECT", "properties": {"umbrella": {"type": "BOOLEAN"}}}
    config = {"response_mime_type": "application/json", "response_schema": schema}
    (said,) = await parts(client, contents="Umbrella?", config=config)
    assert json.loads(said.text) == {"umbrella": True}


async def test_what_cannot_be_had_is_refused_in_googles_shape(world):
    _, cast, client, url = world
    with pytest.raises(errors.ClientError) as refused:
        await client.models.generate_content(model="gemini-pro", contents="x")
    assert (refused.value.code, refused.value.status) == (404, "NOT_FOUND")
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"{url}/v1beta/models/{MODEL}:generateContent", json={"contents": [3]}) as wrong,
    ):
        assert (await wrong.json())["error"]["status"] == "INVALID_ARGUMENT"
    counted = await client.models.count_tokens(model=MODEL, contents="x" * 3500)
    assert 1000 <= counted.total_tokens < 1100
    assert MODEL in [m.name.removeprefix("models/") async for m in await client.models.list()]
    assert not cast.asks
