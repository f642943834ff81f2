"""Whose debates a token sees and changes: its own, all to look at, or all."""

from __future__ import annotations

from contextlib import asynccontextmanager

import httpx
import pytest

from fakes.gate import Gate
from fakes.ledgers import unread
from fakes.served import served
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.api import api
from mutual_dissent.surfaces.openai import openai
from mutual_dissent.surfaces.server.hosted import host

BODY = {"message": "Tabs or spaces?", "panel": ["ada", "bob"], "mode": "reflection"}
LOOKS = ["", "/events", "/transcript", "/rounds", "/consensus", "/conversation"]
ORDERS = ["pause", "stop", "resume", "continue", "synthesize", "analyze", "tell", "again", "hurry"]


@asynccontextmanager
async def as_token(url, md, name, scope):
    word = md.tokens.new(name, md.clock(), scope=scope)
    field = {"authorization": f"Bearer {word}"}
    async with httpx.AsyncClient(base_url=url, headers=field, timeout=60) as client:
        yield client


@pytest.fixture
async def place(tmp_path):
    gate = Gate()
    gate.open.set()
    world = {"provider": gate, "prices": Tariff()}
    async with MutualDissent(home=unread(tmp_path / "h"), env={}, **world) as md:
        hosted = host(md)
        async with served(hosted, [api, openai]) as url, as_token(url, md, "alice", "own") as alice:
            started = await alice.post("/api/chat", json=BODY, headers={"Prefer": "wait=60"})
            name = started.json()["sessionId"]
            await hosted.sessions.wait(name, 60)
            yield url, md, name, alice


def body_of(order: str) -> dict:
    return {"tell": {"remark": "x"}, "again": {"key": "0/initial/ada"}}.get(order, {})


async def test_a_debate_belongs_to_the_token_that_began_it(place):
    _, md, name, alice = place
    assert md.store.transcript(name).brief.owner == "alice"
    assert (await alice.get(f"/api/sessions/{name}")).status_code == 200
    listed = (await alice.get("/api/sessions")).json()
    assert name in str(listed)


async def test_another_token_does_not_even_learn_that_it_is_there(place):
    url, md, name, _ = place
    asked = len(md.provider.asks)
    async with as_token(url, md, "mallory", "own") as mallory:
        for look in LOOKS:
            answer = await mallory.get(f"/api/sessions/{name}{look}")
            assert answer.status_code == 404, (look, answer.text)
        for order in ORDERS:
            answer = await mallory.post(f"/api/sessions/{name}/{order}", json=body_of(order))
            assert answer.status_code == 404, (order, answer.text)
        assert (await mallory.delete(f"/api/sessions/{name}")).status_code == 404
        assert (await mallory.get(f"/api/sessions/{name[:8]}")).status_code == 404
        assert name not in (await mallory.get("/api/sessions")).text
        follow = {**BODY, "conversationId": name}
        assert (await mallory.post("/api/chat", json=follow)).status_code == 404
    assert len(md.provider.asks) == asked
    assert md.store.transcript(name)


async def test_a_token_that_reads_sees_all_and_changes_only_its_own(place):
    url, md, name, _ = place
    async with as_token(url, md, "auditor", "read") as auditor:
        assert (await auditor.get(f"/api/sessions/{name}")).status_code == 200
        assert name in (await auditor.get("/api/sessions")).text
        for order in ORDERS:
            answer = await auditor.post(f"/api/sessions/{name}/{order}", json=body_of(order))
            if order == "resume":  # it is finished: that is told, and nobody is asked
                assert answer.status_code == 200
                continue
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_yours"), order
        assert (await auditor.delete(f"/api/sessions/{name}")).status_code == 403
        own = await auditor.post("/api/chat", json=BODY, headers={"Prefer": "wait=60"})
        assert own.status_code in (200, 202)
    assert md.store.transcript(name)


async def test_a_token_for_all_may_delete_anything(place):
    url, md, name, _ = place
    async with as_token(url, md, "root", "all") as root:
        assert (await root.delete(f"/api/sessions/{name}")).status_code in (200, 204)
    assert md.store.count() == 0


async def test_without_a_token_all_is_seen(place):
    _, md, name, _ = place
    assert md.store.find(name[:8]) == name
    assert [r.transcript_id for r in md.store.list()] == [name]
