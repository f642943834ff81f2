"""What a token may spend, it may spend in all: however many debates it has side by side."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from fakes.databases import BOTH, a_place
from fakes.funds import Book
from fakes.ledgers import unread
from fakes.mcp_process import META, MODERN
from fakes.served import served
from fakes.vendor import FakeVendor
from fakes.world import START, Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import OverBudget
from mutual_dissent.core.events import Answered, Status
from mutual_dissent.core.ports import Bid
from mutual_dissent.core.transcript import PROPOSAL
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.store.tokens import Tokens
from mutual_dissent.surfaces.http.backend import host
from mutual_dissent.surfaces.mcp.transport.http import mcp_part
from mutual_dissent.surfaces.openai import openai
from mutual_dissent.surfaces.rest import api

PANEL = ["openrouter:openai/gpt-4o-mini", "openrouter:openai/gpt-4o"]
CROWD = 100


@asynccontextmanager
async def a_server(home, vendor):
    """A server in this process whose debates are answered by the vendor on loopback."""
    env = {"OPENROUTER_API_KEY": "sk-test", "OPENROUTER_BASE_URL": vendor.base_url()}
    (home / "config.toml").write_text("[prices]\nrefresh = false\n[server]\nrunning = 64\n")
    async with MutualDissent(home=home, env=env) as md:
        word = md.tokens.new("ci", md.clock(), budget_usd=1.0)
        field = {"authorization": f"Bearer {word}"}
        async with (
            served(host(md), [api]) as url,
            httpx.AsyncClient(base_url=url, headers=field, timeout=120) as client,
        ):
            yield md, client


async def crowd(md, client) -> list[str]:
    """A hundred debates at once, each followed to its end; how each ended."""

    async def one(number: int) -> str:
        body = {"message": f"Question {number}?", "panel": PANEL, "mode": "reflection",
                "analyst": "none"}  # fmt: skip
        wait = {"Prefer": "wait=110"}
        answer = await client.post("/api/chat", json=body, headers=wait)
        return answer.json().get("status", str(answer.status_code))

    return await asyncio.gather(*(one(n) for n in range(CROWD)))


def on_record(md) -> float:
    """Dollars that all recorded answers cost."""
    names = [row.transcript_id for row in md.store.list(limit=CROWD)]
    answers = (e for name in names for e in md.store.events(name) if isinstance(e, Answered))
    return sum(e.response.cost_usd or 0.0 for e in answers)


@pytest.mark.slow
@pytest.mark.parametrize(
    "price", [None, 0.09, 0.4, 3.0], ids=["honest", "dear", "dearer", "absurd"]
)
async def test_a_hundred_debates_at_once_spend_a_tokens_dollar_once(own_home, price):
    own_home.mkdir(mode=0o700)
    usage = {"in": 300, "out": 120} | ({} if price is None else {"cost": price})
    async with FakeVendor(whole=True) as vendor, a_server(own_home, vendor) as (md, client):
        vendor.always(usage=usage)
        ended = await crowd(md, client)
        (token,) = md.tokens.active()
        for _ in range(100):  # what a token has paid is booked a moment after an answer is stored
            if token.spent_usd == pytest.approx(on_record(md)):
                break
            await asyncio.sleep(0.1)
            (token,) = md.tokens.active()
        billed = len(vendor.arrivals) * (price or 0.0)
    answer = price or 0.002
    assert token.spent_usd <= 1.0 + answer
    assert token.spent_usd == pytest.approx(on_record(md))
    assert billed <= 1.0 + answer, "what the vendor took, also for what was given up"
    assert "completed" in ended or (price and price > 0.2)
    if price is None:
        assert ended == ["completed"] * CROWD, "it is enough for all of them, one after the other"


@pytest.fixture(params=BOTH)
def tokens(request, tmp_path):
    made = Tokens(a_place(request.param, tmp_path))
    yield made
    made.close()


def bid(dollars: float) -> Bid:
    return Bid(least=dollars, fair=dollars, most=dollars)


async def test_no_two_processes_are_promised_the_same_dollar(tokens):
    tokens.new("ci", START, budget_usd=1.0)
    others = [Tokens(tokens.path) for _ in range(4)]

    def grab(one: Tokens, who: int) -> int:
        tries = (one.reserve("ci", {f"{who}/{n}": bid(0.1)}, START, 60) for n in range(10))
        return sum(granted is not None for granted in tries)

    found = await asyncio.gather(*(asyncio.to_thread(grab, o, i) for i, o in enumerate(others)))
    assert sum(found) == 10
    for other in others:
        other.close()


def test_what_a_dead_process_held_is_free_again_after_its_time(tokens):
    tokens.new("ci", START, budget_usd=1.0)
    assert tokens.reserve("ci", {"dead": bid(0.9)}, START, 60) == {"dead": 0.9}
    assert tokens.reserve("ci", {"next": bid(0.9)}, START, 60) is None
    later = START + timedelta(minutes=5)
    assert tokens.reserve("ci", {"next": bid(0.9)}, later, 60) == {"next": 0.9}


def test_what_was_spent_is_never_promised_again(tokens):
    tokens.new("ci", START, budget_usd=1.0)
    tokens.reserve("ci", {"a": bid(0.5)}, START, 60)
    tokens.settle([("ci", "a", 0.7)])
    with pytest.raises(OverBudget, match=r"'ci'.*\$0\.3 of \$1"):
        tokens.reserve("ci", {"b": bid(0.5)}, START, 60)
    assert tokens.reserve("ci", {"b": bid(0.2)}, START, 60) == {"b": 0.2}


def test_a_revoked_token_pays_for_nothing_more(tokens):
    tokens.new("ci", START)
    assert tokens.reserve("ci", {"a": bid(5.0)}, START, 60)
    tokens.revoke("ci", START)
    with pytest.raises(OverBudget, match="revoked"):
        tokens.reserve("ci", {"b": bid(5.0)}, START, 60)


class Held(Scripted):
    """Begins to answer, and does not end."""

    def __init__(self) -> None:
        super().__init__({})
        self.begun = asyncio.Event()

    async def ask(self, ask, on_text):
        on_text("x" * 3500)
        self.begun.set()
        await asyncio.Event().wait()


async def test_what_is_given_up_in_flight_is_paid_for_as_far_as_it_had_come(tmp_path):
    from mutual_dissent.hosting.sessions import Sessions

    book, held = Book(), Held()
    world = {"provider": held, "prices": Tariff()}
    async with MutualDissent(home=unread(tmp_path / "h"), env={}, **world) as md:
        sessions = Sessions(md, funds=book.of)
        name = await sessions.start("Tabs or spaces?", panel=["ada", "bob"], owner="ci")
        await held.begun.wait()
        await sessions.stop(name)
        assert (await sessions.wait(name, 30)).status is Status.STOPPED
    assert len(book.paid) == 2
    assert all(owner == "ci" and usd > 2.0 for owner, usd in book.paid)


class Unpriced(Tariff):
    """Knows no price of eve's."""

    def cost(self, route, *tokens, **more):
        return None if route.model_id.startswith("eve") else super().cost(route, *tokens, **more)


@pytest.mark.parametrize("order", ["continue", "synthesize", "again"])
async def test_who_has_a_budget_goes_on_with_no_debate_whose_models_have_no_price(tmp_path, order):
    """It was begun by somebody who allowed that; a token with a budget cannot."""
    cast = Scripted({n: lambda _: "yes" for n in ("ada", "eve")})
    prices = Unpriced()
    async with MutualDissent(
        home=unread(tmp_path / "h"), env={}, provider=cast, prices=prices
    ) as md:
        done = await md.debate("Tabs or spaces?", panel=["ada", "eve"], max_cost=50.0,
                               allow_unpriced=True)  # fmt: skip
        asked = len(cast.asks)
        word = md.tokens.new("ci", md.clock(), budget_usd=100.0, scope="all")
        async with (
            served(host(md), [api]) as url,
            httpx.AsyncClient(base_url=url, headers={"authorization": f"Bearer {word}"}) as client,
        ):
            body = {"key": "0/initial/ada"} if order == "again" else {}
            path = f"/api/sessions/{done.transcript_id}/{order}"
            answer = await client.post(path, json=body)
    assert answer.status_code == 402, answer.text
    assert "eve" in answer.json()["error"]["message"]
    assert len(cast.asks) == asked


class DearProposer(Scripted):
    """Whoever proposes a procedure takes a quarter; nothing else costs anything."""

    async def ask(self, ask, on_text):
        cost = 0.25 if ask.role == PROPOSAL else 0.0
        return replace(await super().ask(ask, on_text), cost_usd=cost)


QUESTION = {"panel": ["ada", "bob"], "preset": "auto"}
TOOL = {"name": "start_roundtable",
        "arguments": {"topic": "Tabs?", "agents": ["ada", "bob"], "preset": "auto"}}  # fmt: skip
MCP = {"accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN,
       "Mcp-Method": "tools/call", "Mcp-Name": "start_roundtable"}  # fmt: skip
WAYS = {
    "/api/chat": ({"message": "Tabs?", **QUESTION}, {"Prefer": "wait=30"}),
    "/v1/chat/completions": (
        {"model": "dissent/default", "messages": [{"role": "user", "content": "Tabs?"}],
         "dissent": QUESTION}, {}),
    "/mcp": ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**TOOL, **META}}, MCP),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
async def test_a_token_pays_for_the_proposal_of_a_procedure_whichever_way_it_asks(tmp_path, way):
    cast = DearProposer({n: lambda _: "yes" for n in ("ada", "bob")})
    home, (body, more) = unread(tmp_path / "h"), WAYS[way]
    async with MutualDissent(home=home, env={}, provider=cast, prices=Tariff()) as md:
        word = md.tokens.new("ci", md.clock(), budget_usd=500.0)
        field = {"authorization": f"Bearer {word}", **more}
        async with (
            served(host(md), [api, openai, mcp_part]) as url,
            httpx.AsyncClient(base_url=url, headers=field, timeout=60) as client,
        ):
            answer = await client.post(way, json=body)
            assert answer.status_code == 200, answer.text
        assert [a.role for a in cast.asks].count(PROPOSAL) == 1
        (token,) = md.tokens.active()
        assert token.spent_usd >= 0.25
