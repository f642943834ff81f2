"""What vendors do wrong, seen through REST: a debate goes on, and says who was missing."""

from __future__ import annotations

import asyncio

import pytest

from fakes.failing import SEATS, behind
from fakes.outages import LOCKED, impatient, outage
from fakes.rest import CHAT, rest
from fakes.vendor import FakeVendor
from mutual_dissent.surfaces.rest import router

BODY = {
    "analyst": "none",
    "message": "Tabs or spaces?",
    "panel": SEATS,
    "mode": "reflection",
    "synthesizer": SEATS[0],
}
WAIT = {"Prefer": "wait=300"}

ABSENT = {
    "404": "unknown_model",
    "400": "bad_request",
    "hang": "timeout",
    "midcut": "connection",
    "badjson": "bad_response",
    "html": "bad_response",
    "empty": "bad_response",
    "refusal": "refused",
    "filter": "filtered",
    "error200": "rate_limit",
}
"""A fault that one panelist always has, and what its answer's `error_kind` is."""


@pytest.fixture
async def vendor():
    async with FakeVendor() as found:
        yield found


@pytest.fixture
async def client(vendor, own_home):
    async with behind(vendor, own_home, router) as (_, found):
        yield found


async def asked(client, **more):
    answer = await client.post("/api/chat", json={**BODY, **more}, headers=WAIT)
    assert answer.status_code == 200, answer.text
    assert "sk-canary" not in answer.text
    return answer.json()


@pytest.mark.parametrize("fault", ABSENT)
async def test_a_panelist_that_fails_is_named_and_the_others_answers_stand(client, vendor, fault):
    vendor.then(fault, model="m2", times=3, inner=429, retry_after=0)
    said = await asked(client, callTimeout=2 if fault == "hang" else 60)
    assert (said["status"], said["answerBy"]) == ("completed", "openai:m0")
    missed = "m2's answer broke off" if fault == "midcut" else "m2 did not answer: "
    assert missed in said["heading"]
    rounds = (await client.get(f"{said['links']['self']}/rounds")).json()["rounds"]
    [failed] = [r for r in rounds[0]["responses"] if r["model_alias"] == "openai:m2"]
    assert failed["error_kind"] == ABSENT[fault]
    assert all(r["content"] for r in rounds[1]["responses"] if r["model_alias"] != "openai:m2")


@pytest.mark.parametrize("fault", ["429", "500", "reset"])
async def test_what_passes_is_waited_for(client, vendor, fault):
    vendor.then(fault, model="m2", retry_after=0)
    said = await asked(client)
    assert "did not answer" not in said["heading"]
    assert len(vendor.arrivals) == 8


async def test_an_answer_by_another_model_is_said(client, vendor):
    vendor.then("wrong_model", model="m2", served="cheap-1")
    assert "m2 was answered by " in (await asked(client))["heading"]


async def test_a_key_that_is_refused_stops_what_it_is_for_and_is_not_told(client, vendor):
    vendor.always("401")
    said = await asked(client)
    assert said["status"] in ("error", "stopped")
    assert said["answer"] is None
    events = await client.get(said["links"]["events"])
    assert "sk-canary" not in events.text


async def test_below_quorum_no_answer_is_made_up_and_resume_asks_what_is_missing(client, vendor):
    for model in ("m1", "m2"):
        vendor.then("500", model=model, times=3)
    said = await asked(client)
    assert (said["status"], said["isFallback"]) == ("error", True)
    before = len(vendor.arrivals)
    done = await client.post(f"{said['links']['self']}/resume", headers=WAIT)
    assert done.json()["status"] == "completed"
    assert len(vendor.arrivals) == before + 6


async def test_a_record_that_cannot_be_written_is_507_and_loses_no_answer(tmp_path, monkeypatch):
    impatient(monkeypatch)
    folder = tmp_path / "my own, old" / "debates"
    folder.mkdir(parents=True)
    async with rest(folder) as served:
        served.cast.open.clear()
        chat, store = asyncio.create_task(served.chat(mode="reflection")), served.hosted.md.store
        while not (here := served.hosted.sessions.live) or not served.hosted.sessions.partial(
            *here
        ):
            await asyncio.sleep(0.001)
        with outage(store, LOCKED):
            served.cast.open.set()
            said = await chat
            assert (said["status"], bool(said["answer"])) == ("completed", True)
            assert "could not be written" in said["notSaved"]
            assert "Not saved: " in said["heading"]
            path = said["links"]["self"]
            assert (await served.get(path))["not_saved"] == said["notSaved"]
            problem = await served.post("/api/chat", CHAT, status=507)
            assert problem["error"]["code"] == "not_saved"
            for told in (problem["error"]["message"], said["notSaved"], said["heading"]):
                assert "dissent.db could not be written: another process" in told
                assert "/" not in told
                assert "old" not in told
            await served.post(f"{path}/continue", {}, status=507)
        asked = len(served.cast.asks)
        while "not_saved" in (kept := await served.get(path)):
            await asyncio.sleep(0.01)
        assert kept["synthesis"]["content"]
        assert asked == sum(len(r["responses"]) for r in kept["rounds"]) + 1
