"""What vendors do wrong, seen by OpenAI clients: the absent are named, or an error says why."""

from __future__ import annotations

import json

import openai
import pytest

from fakes.failing import CANARY, SEATS, behind
from fakes.patience import LONG
from fakes.vendor import FakeVendor
from mutual_dissent.core.events import Status
from mutual_dissent.surfaces.openai import delivery
from mutual_dissent.surfaces.openai import openai as surface

QUERY = "Tabs or spaces?"
ASK = [{"role": "user", "content": QUERY}]
CONFIG = f"""
[defaults]
panel = {json.dumps(SEATS)}
synthesizer = "{SEATS[0]}"
mode = "reflection"
rounds = 1
[presets.hasty]
panel = {json.dumps(SEATS)}
mode = "reflection"
call_timeout = 2
"""
BROKE_OFF = ("midcut", "malformed")
ABSENT = ["404", "400", "hang", "midcut", "malformed", "badjson", "empty", "refusal", "error200"]
"""A fault that one panelist always has."""

SHAPES = ["chat", "chat stream", "responses", "responses stream"]


@pytest.fixture
async def vendor():
    async with FakeVendor() as found:
        yield found


@pytest.fixture
async def world(vendor, own_home):
    own_home.mkdir(mode=0o700)
    (own_home / "config.toml").write_text(CONFIG)
    (own_home / "config.toml").chmod(0o600)
    async with behind(vendor, own_home, surface) as (hosted, http):
        address = f"{http.base_url}/v1"
        async with openai.AsyncOpenAI(base_url=address, api_key="none", timeout=LONG) as client:
            yield hosted, client


class Asked:
    """One question in one of the shapes that clients ask in."""

    def __init__(self, client, shape):
        self.client, self.shape = client, shape

    async def __call__(self, model="dissent/default"):
        """The text of the answer, and what else is said of it."""
        stream = self.shape.endswith("stream")
        if self.shape.startswith("chat"):
            create = self.client.chat.completions.create
            said = await create(model=model, messages=ASK, stream=stream)
            return await self._chunks(said) if stream else self._completion(said)
        said = await self.client.responses.create(model=model, input=QUERY, stream=stream)
        if stream:
            said = [e async for e in said][-1].response
            if said.status == "failed":
                raise openai.APIError(said.error.message, None, body=None)
        return said.output_text, said.model_extra["dissent"]

    @staticmethod
    def _completion(said):
        return said.choices[0].message.content, said.model_extra["dissent"]

    @staticmethod
    async def _chunks(said):
        chunks = [c async for c in said]
        text = "".join(c.choices[0].delta.content or "" for c in chunks)
        return text, chunks[-1].model_extra["dissent"]


@pytest.fixture(params=SHAPES)
def asked(world, request):
    return Asked(world[1], request.param)


@pytest.fixture(params=["chat", "responses stream"])
def asked_twice(world, request):
    return Asked(world[1], request.param)


@pytest.mark.parametrize("fault", ABSENT)
async def test_a_panelist_that_fails_is_named_below_the_others_answer(vendor, asked_twice, fault):
    vendor.then(fault, model="m2", times=3, inner=429, retry_after=0)
    text, extra = await asked_twice("dissent/hasty" if fault == "hang" else "dissent/default")
    missed = "m2's answer broke off" if fault in BROKE_OFF else "m2 did not answer: "
    assert missed in text.partition("---")[2]
    assert "m0" in text.partition("---")[0]
    assert extra["status"] == "completed"
    assert CANARY not in text


@pytest.mark.parametrize("fault", ["429", "500", "reset"])
async def test_what_passes_is_waited_for(vendor, asked_twice, fault):
    vendor.then(fault, model="m2", retry_after=0)
    assert "did not answer" not in (await asked_twice())[0]
    assert len(vendor.arrivals) >= 8


async def test_an_answer_by_another_model_is_said(vendor, asked_twice):
    vendor.then("wrong_model", model="m2", served="cheap-1")
    assert "m2 was answered by " in (await asked_twice())[0]


@pytest.mark.parametrize("fault", ["401", "empty"])
async def test_where_nobody_answers_it_is_an_error_that_says_so(vendor, asked, fault):
    vendor.always(fault, retry_after=0)
    with pytest.raises(openai.APIError) as e:
        await asked()
    assert "the panel gave no answer: m0, m1 and m2 did not answer: " in e.value.message
    assert "no answer was written" not in e.value.message.lower(), "it is said once"
    assert ".;" not in e.value.message
    assert "/resume asks only what is missing" in e.value.message
    assert "dissent resume" not in e.value.message
    assert CANARY not in e.value.message
    if not asked.shape.endswith("stream"):
        assert (e.value.status_code, e.value.code) == (502, "no_answer")
        assert e.value.type == "server_error"


async def test_an_error_of_the_vendors_is_not_bought_again_by_the_client(world, vendor):
    """OpenAI's own client would send a request that failed with a 502 twice more."""
    vendor.always("404")
    assert world[1].max_retries == 2
    with pytest.raises(openai.InternalServerError):
        await Asked(world[1], "chat")()
    assert len(vendor.arrivals) == 3
    assert world[0].md.store.count() == 1


async def test_below_quorum_the_one_answer_is_shown_for_what_it_is(world, vendor, asked):
    for model in ("m1", "m2"):
        vendor.then("404", model=model)
    text, extra = await asked()
    assert "One answer, by m0" in text
    assert "1 of 3 panelists answered, 2 are needed" in text
    assert extra["status"] == "error"
    assert world[0].md.store.transcript(extra["session_id"]).synthesis is None


async def test_where_nobody_can_write_the_answer_a_panelists_own_stands_there(vendor, asked):
    for model in ("m0", "m1", "m2"):
        vendor.then("ok", model=model, times=2)
        vendor.then("404", model=model, times=4)
    text, extra = await asked()
    assert text.strip()
    assert extra["status"] == "error"
    assert "No answer was written" in text
    assert "by m0" in extra["heading"]


@pytest.mark.parametrize("shape", ["chat stream", "responses"])
async def test_an_answer_that_breaks_off_is_not_run_into_the_next(world, vendor, shape):
    for model in ("m0", "m1", "m2"):
        vendor.then("ok", model=model, times=2)
        vendor.then(
            "midcut", model=model, times=9, text="Half of what I mean to say is this", cut=3
        )
    text, _ = await Asked(world[1], shape)()
    if shape.endswith("stream"):
        assert text.count("broke off here") >= 1
        assert "Half" in text.partition("broke off")[0]
    else:
        assert "Half" not in text
        assert "broke off" not in text


async def test_a_stream_that_fails_still_ends_as_clients_wait_for_it(world, vendor):
    vendor.always("404")
    http = world[1]._client
    body = {"model": "dissent/default", "messages": ASK, "stream": True}
    said = (await http.post("chat/completions", json=body)).text
    assert said.endswith("data: [DONE]\n\n")
    last = json.loads(said.split("\n\n")[-3].removeprefix("data: "))
    assert last["error"].keys() == {"message", "type", "param", "code"}
    assert last["dissent"]["status"] == "error"


async def test_a_stream_that_finds_no_room_costs_nothing_more(vendor, own_home):
    """That there is none turns out when the debate is on record already."""
    vendor.always("held")
    async with behind(vendor, own_home, surface, streams=0) as (hosted, http):
        body = {"model": "dissent/single", "messages": ASK, "stream": True}
        refused = await http.post("/v1/chat/completions", json=body)
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "too_many_streams"
        [row] = hosted.md.store.list()
        done = await hosted.sessions.wait(row.transcript_id, LONG)
        assert done.status in (Status.STOPPED, Status.INTERRUPTED)


async def test_a_client_that_leaves_after_a_sign_of_life_leaves_no_trace(
    world, vendor, monkeypatch, caplog
):
    hosted, client = world
    monkeypatch.setattr(delivery, "BEAT", 0.01)
    vendor.always("held")
    body = {"model": "dissent/default", "messages": ASK, "stream": True}
    async with client._client.stream("POST", "chat/completions", json=body) as answer:
        async for line in answer.aiter_lines():
            if line.startswith(":"):
                break
    [name] = hosted.sessions.live
    assert (await hosted.sessions.wait(name, LONG)).status is Status.STOPPED
    assert "failed" not in caplog.text


@pytest.mark.parametrize(
    "default", ['mode = "reflexion"', 'panel = ["clod", "gpt"]', 'synthesizer = "clod"']
)
async def test_a_default_that_cannot_be_used_is_said_without_the_servers_paths(
    vendor, own_home, default
):
    own_home.mkdir(mode=0o700)
    async with behind(vendor, own_home, surface) as (hosted, http):
        (own_home / "config.toml").write_text(f"[defaults]\n{default}\n")
        (own_home / "config.toml").chmod(0o600)
        hosted.md.reload()
        body = {"model": "dissent/default", "messages": ASK}
        for stream in (False, True):
            said = await http.post("/v1/chat/completions", json={**body, "stream": stream})
            assert said.status_code == 500
            assert said.headers["x-should-retry"] == "false"
            error = said.json()["error"]
            assert (error["type"], error["code"]) == ("server_error", "bad_config")
            assert "the server's configuration cannot be used: defaults." in error["message"]
            assert str(own_home) not in said.text
            assert "config.toml" not in said.text
