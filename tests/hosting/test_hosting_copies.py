"""Two copies of `dissent serve` on one database: what one runs, the other sees and orders."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import httpx
import pytest

from fakes.cluster import a_home
from fakes.databases import a_database
from fakes.patience import LONG, not_for_ever
from fakes.rest import sent
from fakes.serving_process import serving
from fakes.vendor import FakeVendor
from mutual_dissent.core.events import Answered
from mutual_dissent.store.postgres.server import PostgresServer
from mutual_dissent.store.store import Store

pytestmark = pytest.mark.postgres

CHAT = {"message": "Why?", "panel": ["openai:m0", "openai:m1"], "mode": "reflection", "seed": 1}


class Copies:
    """Two copies that run, a vendor that holds its answers back, and the record."""

    def __init__(self, vendor, url, one, two):
        self.vendor, self.url, self.one, self.two = vendor, url, one, two
        self.store = Store(PostgresServer(url))

    async def calls(self, number):
        while len(self.vendor.arrivals) < number:
            await asyncio.sleep(0.01)

    async def heard(self):
        """Wait until whoever runs a debate has taken its orders."""
        while self.store.debates_with_directives():
            await asyncio.sleep(0.01)

    def release(self):
        """Let the answers that are held back come; later ones are held back again."""
        gate, self.vendor.gate = self.vendor.gate, asyncio.Event()
        gate.set()


@pytest.fixture
async def copies(tmp_path):
    url = a_database()
    async with not_for_ever(), AsyncExitStack() as stack:
        vendor = await stack.enter_async_context(FakeVendor())
        vendor.always("held")
        env = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": vendor.base_url()}
        starts = (
            serving(a_home(tmp_path / f"{port}"), port, MUTUAL_DISSENT_DB=url, **env)
            for port in (21_300, 21_400)
        )
        servers = await asyncio.gather(*map(stack.enter_async_context, starts))
        clients = (httpx.AsyncClient(base_url=s.url, timeout=LONG) for s in servers)
        found = Copies(vendor, url, *[await stack.enter_async_context(c) for c in clients])
        stack.callback(found.store.close)
        yield found


async def followed(client, name):
    """What a client is told of a debate until nobody works on it."""
    async with client.stream("GET", f"/api/sessions/{name}/events") as answer:
        return [event async for event in sent(answer.aiter_lines())]


async def told(client, path, **more):
    answer = await client.post(path, **more)
    assert answer.status_code in (200, 202), answer.text
    return answer.json()


async def test_a_debate_of_one_copy_is_seen_followed_paused_and_stopped_through_another(copies):
    one, two = copies.one, copies.two
    name = (await told(one, "/api/chat", json=CHAT))["sessionId"]
    await copies.calls(2)
    shown = (await two.get(f"/api/sessions/{name}")).json()
    assert (shown["transcript_id"], shown["status"]) == (name, "active")
    assert (await two.get("/api/sessions")).json()["items"][0]["sessionId"] == name

    following = asyncio.create_task(followed(two, name))
    await told(two, f"/api/sessions/{name}/pause")
    await copies.heard()
    copies.release()
    events = await following
    assert [e.event for e in events].count("answered") == 2
    assert events[-1].data["status"] == "paused"
    assert [int(e.id) for e in events] == list(range(1, len(events) + 1))

    await told(two, f"/api/sessions/{name}/resume")  # now the other one runs it
    await copies.calls(4)
    following = asyncio.create_task(followed(one, name))
    await told(one, f"/api/sessions/{name}/stop")
    assert (await following)[-1].data["status"] == "stopped"

    copies.vendor.always("ok")
    waiting = {"Prefer": "wait=300"}
    answer = await told(one, f"/api/sessions/{name}/resume", headers=waiting)
    assert answer["answer"]
    assert (await followed(one, name))[-1].data["status"] == "completed"
    answered = [e.key for e in copies.store.events(name) if isinstance(e, Answered)]
    assert len(answered) == len(set(answered)) == len(copies.vendor.arrivals) - 2  # were given up
