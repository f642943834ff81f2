"""Addresses as context: fetched once from the public web, on record, and from nowhere else."""

from __future__ import annotations

import pytest
import pytest_asyncio

from fakes.command_line import dissent
from fakes.rest import CHAT, rest
from fakes.web import FakeWeb
from mutual_dissent.parts import Parts
from mutual_dissent.tools.fetch import Pages

PRIVATE = (
    "http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://0x7f.1/", "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/",
    "https://user:pass@site.example/", "http://site.example:22/", "http://2130706433/",
    "http://[::ffff:7f00:1]/", "http://router.lan/",
)  # fmt: skip


@pytest_asyncio.fixture
async def site(monkeypatch):
    async with FakeWeb() as site:
        fetch = Pages(reach=site.reach, resolve=site.resolve, timeout=5)
        monkeypatch.setattr(Parts, "pages", lambda _: fetch)
        yield site


async def test_a_page_is_fetched_once_read_by_all_and_kept_on_record(own_home, site):
    site.put("/plan", "<title>The plan</title><script>no()</script><p>It costs 4711 crowns.</p>")
    site.redirect("/old", "/plan")
    async with rest(own_home) as api:
        quoted = await api.post("/api/quote", {**CHAT, "pages": [site.at("/old")]})
        assert [a["name"] for a in quoted["attached"]] == [site.at("/plan")]
        assert not api.cast.asks
        site.seen.clear()
        said = await api.chat(pages=[site.at("/old")])
        assert [path for _, path, *_ in site.seen] == ["/old", "/plan"]
        assert all("The plan\nIt costs 4711 crowns." in a.text for a in api.cast.asks[:2])
        brief = api.hosted.md.store.transcript(said["sessionId"]).brief
        assert [(a.name, a.text) for a in brief.context] == [
            (site.at("/plan"), "The plan\nIt costs 4711 crowns.")
        ]
        (note,) = [n for n in brief.notices if n.startswith("fetched")]
        assert note == (
            f'fetched {site.at("/old")}, which led to {site.at("/plan")}: "The plan", 21 characters'
        )


@pytest.mark.parametrize("address", PRIVATE)
def test_no_address_behind_the_public_web_is_fetched(vendor, address):
    result = dissent("ask", "Is this sound?", "--context", address)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"dissent: {address} was not fetched: ")
    assert not vendor.arrivals


async def test_a_page_that_leads_behind_it_or_is_none_is_refused_in_one_sentence(own_home, site):
    site.redirect("/in", "http://169.254.169.254/latest/meta-data/")
    site.put("/pdf", "x", "application/pdf")
    site.put("/empty", "<p> </p>")
    site.put("/huge", b"x" * 10_000_001)
    rows = {
        "/in": "'169.254.169.254' is not on the public web", "/pdf": "it is application/pdf",
        "/empty": "has no text", "/huge": "larger than 10 MB", "/gone": "status 404",
    }  # fmt: skip
    async with rest(own_home) as api:
        for path, why in rows.items():
            answer = await api.client.post("/api/chat", json={**CHAT, "pages": [site.at(path)]})
            assert answer.status_code == 422
            assert why in answer.json()["error"]["message"]
        many = [site.at(f"/{n}") for n in range(11)]
        answer = await api.client.post("/api/chat", json={**CHAT, "pages": many})
        assert answer.status_code == 422
        assert not api.cast.asks
