"""Two hundred debates at once over REST, and a server that is killed in the middle of many."""

from __future__ import annotations

import asyncio

import httpx
import psutil
import pytest

from fakes.patience import LONG
from fakes.serving_process import serving
from fakes.vendor import FakeVendor
from mutual_dissent.core.events import Answered
from mutual_dissent.store.store import Store

SEATS = ["openai:m0", "openai:m1"]
CALLS = 5
CROWD, FEW = 200, 12


@pytest.fixture
def home(own_home):
    own_home.mkdir()
    (own_home / "config.toml").write_text("[server]\nrunning = 20\n")
    (own_home / "config.toml").chmod(0o600)
    return own_home


def env_of(vendor) -> dict[str, str]:
    return {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": vendor.base_url()}


def client_of(server) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=40)
    return httpx.AsyncClient(base_url=server.url, timeout=LONG, limits=limits)


async def ask(client, number: int) -> str:
    body = {"message": f"Question {number}?", "panel": SEATS, "mode": "reflection", "seed": 1,
            "analyst": "none"}  # fmt: skip
    key = {"Idempotency-Key": f"question-{number}"}
    answer = await client.post("/api/chat", json=body, headers=key)
    assert answer.status_code in (200, 202), answer.text  # 200: asked before, and broken off
    return answer.json()["sessionId"]


async def status_of(client, name: str) -> str:
    answer = await client.post(f"/api/sessions/{name}/resume", headers={"Prefer": "wait=300"})
    if answer.status_code == 409:  # it is under way
        return "held"
    assert answer.status_code == 200, answer.text
    return answer.json()["status"]


async def over(client, count: int) -> None:
    """Wait until so many debates are over."""
    while True:
        page = (
            await client.get("/api/sessions", params={"status": "completed", "limit": 1})
        ).json()
        if page["total"] >= count:
            return
        await asyncio.sleep(0.2)


@pytest.mark.slow
async def test_two_hundred_debates_at_once_queue_and_none_is_lost(home):
    async with FakeVendor(whole=True) as vendor, serving(home, **env_of(vendor)) as server:
        async with client_of(server) as client:
            names = await asyncio.gather(*(ask(client, n) for n in range(CROWD)))
            await over(client, CROWD)
            page = (await client.get("/api/sessions", params={"limit": 200})).json()
        memory = psutil.Process(server.process.pid).memory_info().rss / 2**20
    assert len(set(names)) == page["total"] == CROWD
    assert {s["status"] for s in page["items"]} == {"completed"}
    assert [s["failed"] for s in page["items"]] == [0] * CROWD
    assert len(vendor.arrivals) == CROWD * CALLS
    assert vendor.most_in_flight <= 20 * len(SEATS)
    assert memory < 400


@pytest.mark.slow
async def test_after_a_kill_everything_is_readable_and_nothing_is_bought_twice(home):
    async with FakeVendor(whole=True) as vendor:
        vendor.always("ok", delay=0.05)
        async with serving(home, **env_of(vendor)) as server, client_of(server) as client:
            names = await asyncio.gather(*(ask(client, n) for n in range(FEW)))
            while len(vendor.arrivals) < FEW * CALLS // 2:
                vendor.heard.clear()
                await vendor.heard.wait()
            await server.kill()
        recorded = answers_in(home)
        while vendor.in_flight:
            await asyncio.sleep(0.01)
        before = len(vendor.arrivals)
        async with serving(home, **env_of(vendor)) as server, client_of(server) as client:
            again = [await ask(client, n) for n in range(FEW)]
            for name in names:
                shown = await client.get(f"/api/sessions/{name}")
                assert shown.json()["query"].startswith("Question")
            statuses = await asyncio.gather(*(status_of(client, name) for name in names))
            page = (await client.get("/api/sessions")).json()
    assert again == names
    assert 0 < recorded < FEW * CALLS
    assert statuses == ["completed"] * FEW
    assert page["total"] == FEW
    assert len(vendor.arrivals) - before == FEW * CALLS - recorded


def answers_in(home) -> int:
    """How many answers are on record."""
    with Store(home / "dissent.db") as store:
        logs = [store.events(name) for name in store.ids()]
    return sum(isinstance(e, Answered) for log in logs for e in log)
