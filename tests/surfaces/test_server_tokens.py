"""Who may come in, how often, and for how much: FAULTS W6, and the way in for a person."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from dataclasses import replace

import aiohttp
import pytest

from fakes.ledgers import unread
from fakes.raw_http import SOCKET, place, request, send
from fakes.served import served
from fakes.small_surface import Small
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.events import Status
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.surfaces.http import response_headers
from mutual_dissent.surfaces.http.auth import CookieEntry
from mutual_dissent.surfaces.http.backend import host
from mutual_dissent.surfaces.http.errors import ApiError
from mutual_dissent.surfaces.http.rate_limit import Rates

ENTRY = CookieEntry("start-word", "cookie-word")


class Talker(Scripted):
    """Takes a tenth of a dollar for each answer, once it is let."""

    def __init__(self) -> None:
        super().__init__({name: lambda _: "yes" for name in ("ada", "bob")})
        self.open = asyncio.Event()
        self.open.set()

    async def ask(self, ask, on_text):
        await self.open.wait()
        return replace(await super().ask(ask, on_text), cost_usd=0.1)


class Cheap(Tariff):
    """Prices that let any debate begin; what is billed is the vendor's to say."""

    def cost(self, route, input_tokens, output_tokens, cached_tokens=0):
        return 1e-9 * (input_tokens + output_tokens)


@pytest.fixture
async def md(tmp_path):
    world = {"provider": Talker(), "prices": Cheap()}
    async with MutualDissent(home=unread(tmp_path / "kept"), env={}, **world) as md:
        yield md


@pytest.fixture
def small():
    return Small()


@pytest.fixture
async def url(md, small):
    async with served(host(md), [small.surface], entry=ENTRY) as url:
        yield url


async def status(url: str, path: str = "/api/who/me", token: str | None = None, **more: str) -> int:
    field = {"authorization": f"Bearer {token}"} if token else {}
    return (await send(url, request(url, path, **field, **more))).status


async def test_where_there_is_no_token_this_machine_needs_none(url):
    assert await status(url) == 200
    assert await status(url, token="sk-canary-a-client-must-send") == 200


async def test_where_there_is_one_it_is_needed_at_once(url, md, small):
    word = md.tokens.new("laptop", md.clock())
    for path in ("/api/who/me", "/metrics", "/api/nothing", "/v1/models", "/mcp"):
        assert await status(url, path) == 401, path
        assert await status(url, path, "dissent_wrong") == 401, path
        assert await status(url, path, word[:-1]) == 401, path
    assert not small.reached
    assert await status(url, token=word) == 200
    assert await status(url, "/metrics", word) == 200
    assert await status(url, "/healthz") == 200, "whoever watches over it needs none"


@pytest.mark.parametrize("scheme", ["Basic {}", "{}", "Bearer", "Bearer  ", "Token {}"])
async def test_a_token_comes_as_a_bearers(url, md, scheme):
    word = md.tokens.new("laptop", md.clock())
    assert await status(url, authorization=scheme.format(word)) == 401


async def test_a_revoked_token_lets_nobody_in_also_if_it_was_the_only_one(url, md):
    word = md.tokens.new("laptop", md.clock())
    assert await status(url, token=word) == 200
    md.tokens.revoke("laptop", md.clock())
    raw = await send(url, request(url, "/api/who/me", authorization=f"Bearer {word}"))
    assert raw.status == 401
    assert "revoked" in json.loads(raw.body)["error"]["message"]
    assert await status(url) == 401, "who took the last key away did not open the door"


async def test_a_revoked_token_is_known_after_a_restart(md, small):
    word = md.tokens.new("laptop", md.clock())
    md.tokens.revoke("laptop", md.clock())
    async with served(host(md), [small.surface]) as url:
        assert await status(url, token=word) == 401


async def test_a_name_can_be_given_again(md):
    first = md.tokens.new("ci", md.clock())
    with pytest.raises(BadInput, match="revoke ci"):
        md.tokens.new("ci", md.clock())
    md.tokens.charge({"ci": 2.0})
    md.tokens.revoke("ci", md.clock())
    assert md.tokens.new("ci", md.clock()) != first
    md.tokens.charge({"ci": 1.0})
    (now,) = md.tokens.active()
    assert now.spent_usd == 1.0


async def test_of_a_token_only_its_hash_is_kept(md):
    word = md.tokens.new("laptop", md.clock())
    md.tokens.close()
    files = [f for f in md.home.root.rglob("*") if f.is_file()]
    assert files
    assert not any(word.encode() in f.read_bytes() for f in files)
    rows = sqlite3.connect(md.home.database).execute("SELECT * FROM tokens").fetchall()
    assert len(rows) == 1


PAGES = ["/page", "/", "/files/a.txt", "/socket.io/?EIO=4", "/nothing"]


async def test_a_page_always_needs_the_cookie(url, small):
    for path in PAGES:
        assert await status(url, path) == 401, path
        assert await status(url, path, cookie="dissent=cookie-word") == 401, path
        assert await status(url, path, cookie=f"dissent-{place(url)[1]}=wrong") == 401, path
        assert await status(url, path, cookie=f"dissent-{place(url)[1]}=start-word") == 401, path
    assert (await send(url, request(url, "/socket", **SOCKET))).status == 401
    assert not small.reached


async def test_the_start_address_gives_the_cookie_and_leads_on_without_the_token(url, small):
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
        async with browser.get(f"{url}/page?token=start-word", allow_redirects=False) as first:
            assert first.status == 303
            assert first.headers["location"] == "/page"
            said = first.headers["set-cookie"].lower()
        for word in ("httponly", "samesite=strict", "path=/"):
            assert word in said
        assert "start-word" not in said
        async with browser.get(f"{url}/page") as page:
            assert page.status == 200
        async with browser.get(f"{url}/api/who/me") as called:
            assert (await called.json())["name"] == ""
        async with browser.ws_connect(f"{url}/socket") as socket:
            assert await socket.receive_str() == "hello"


async def test_the_cookie_is_enough_where_tokens_are_needed(url, md):
    md.tokens.new("laptop", md.clock())
    assert await status(url, cookie=f"a=b; dissent-{place(url)[1]}=cookie-word") == 200


async def test_who_comes_from_a_link_keeps_the_cookie(url):
    """To a browser a redirect would be the other page's doing, and the cookie not be sent."""
    fields = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    raw = await send(url, request(url, "/page?token=start-word", **fields))
    assert raw.status == 200
    assert b'url=/page"' in raw.body
    assert "set-cookie" in raw.fields


async def test_the_start_address_leads_nowhere_else(url):
    for path in ("//evil.example/", "/\\evil.example", "///evil.example", "/%5Cevil.example"):
        raw = await send(url, request(url, f"{path}?token=start-word"))
        assert raw.status == 303
        assert raw.fields["location"].startswith("/evil.example"), path
    odd = await send(url, request(url, "/%0d%0aset-cookie:x?token=start-word"))
    assert "x" not in odd.fields
    assert "\n" not in odd.fields["location"]


@pytest.mark.parametrize("word", ["wrong", "", "start-wor", "start-word2", "cookie-word"])
async def test_a_wrong_start_address_gives_nothing(url, word):
    raw = await send(url, request(url, f"/page?token={word}"))
    assert raw.status == 401
    assert "set-cookie" not in raw.fields


async def test_a_person_is_told_where_to_begin(url):
    raw = await send(url, request(url, "/", accept="text/html,*/*"))
    assert raw.status == 401
    assert raw.fields["content-type"].startswith("text/html")
    assert b"dissent serve" in raw.body
    assert b'name="token"' in raw.body
    assert raw.fields["content-security-policy"].startswith("default-src 'none'; style-src 'sha256")


async def test_the_whole_start_address_may_be_pasted_where_its_token_is_asked_for(url):
    for given in ("http%3A%2F%2F127.0.0.1%3A1%2F%3Ftoken%3Dstart-word", "+start-word+"):
        raw = await send(url, request(url, f"/page?token={given}"))
        assert raw.status == 303
        assert raw.fields["location"] == "/page"


async def test_a_token_may_ask_so_often_and_is_told_when_again(url, md):
    word = md.tokens.new("ci", md.clock(), per_minute=5)
    found = [await status(url, token=word) for _ in range(5)]
    raw = await send(url, request(url, "/api/who/me", authorization=f"Bearer {word}"))
    assert found == [200] * 5
    assert raw.status == 429
    assert 1 <= int(raw.fields["retry-after"]) <= 60
    other = md.tokens.new("other", md.clock())
    assert await status(url, token=other) == 200


def test_a_rate_holds_over_any_minute_and_what_is_told_is_right():
    now = 0.0
    rates = Rates(lambda: now)
    granted = []
    while now < 300:
        try:
            rates.take("ci", 6)
        except ApiError as e:
            now += int(e.problem.headers["retry-after"])
            rates.take("ci", 6)
        granted.append(now)
        now += 0.75
    for first in granted:
        assert sum(first <= at < first + 60 for at in granted) <= 6
    assert len(granted) >= 30


async def post(client, url: str, word: str) -> tuple[int, dict]:
    told = {"query": "Tabs or spaces?", "panel": ["ada", "bob"]}
    field = {"authorization": f"Bearer {word}"}
    async with client.post(f"{url}/api/debates", json=told, headers=field) as answer:
        return answer.status, await answer.json()


async def test_what_a_debate_costs_is_charged_to_its_token_and_kept(md, small):
    word = md.tokens.new("ci", md.clock(), budget_usd=1000)
    hosted = host(md)
    async with served(hosted, [small.surface]) as url, aiohttp.ClientSession() as client:
        _, found = await post(client, url, word)
        done = await hosted.sessions.wait(found["id"], 30)
        assert done.status is Status.COMPLETED
    (token,) = md.tokens.active()
    assert token.spent_usd == pytest.approx(0.5), "two answers, two reflections, one synthesis"


async def test_a_token_without_money_starts_nothing_but_may_look(url, md):
    word = md.tokens.new("ci", md.clock(), budget_usd=5)
    md.tokens.charge({"ci": 5.0})
    async with aiohttp.ClientSession() as client:
        code, said = await post(client, url, word)
    assert (code, said["error"]["code"]) == (402, "over_budget")
    assert "'ci'" in said["error"]["message"]
    assert md.store.count() == 0
    assert await status(url, token=word) == 200


async def test_debates_side_by_side_do_not_spend_a_budget_each(md, small):
    """The vendor takes far more than its price: what is spent in all is one answer too much."""
    word = md.tokens.new("ci", md.clock(), budget_usd=0.6)
    hosted = host(md)
    md.provider.open.clear()
    async with served(hosted, [small.surface]) as url, aiohttp.ClientSession() as client:
        names = [(await post(client, url, word))[1]["id"] for _ in range(6)]
        md.provider.open.set()
        ended = await asyncio.gather(*(hosted.sessions.wait(name, 30) for name in names))
        code, _ = await post(client, url, word)
    assert code == 402
    assert {t.status for t in ended} == {Status.STOPPED, Status.COMPLETED}
    (token,) = md.tokens.active()
    assert token.spent_usd <= 0.7 + 1e-9


async def test_a_stream_ends_when_its_token_is_revoked(md, small, url, monkeypatch):
    monkeypatch.setattr(response_headers, "LOOK", 0.0)
    word = md.tokens.new("laptop", md.clock())
    field = {"authorization": f"Bearer {word}"}
    async with (
        aiohttp.ClientSession(headers=field) as http,
        http.get(f"{url}/api/events") as stream,
    ):
        assert await stream.content.readline() == b"data: hello\n"
        await stream.content.readline()
        md.tokens.revoke("laptop", md.clock())
        small.end.set()
        with pytest.raises(aiohttp.ClientPayloadError):
            await stream.content.read()
    assert await status(url, token=word) == 401
