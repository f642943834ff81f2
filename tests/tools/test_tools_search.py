"""Searches by each backend, and that what they send back is data and nothing else."""

from __future__ import annotations

import json

import pytest

from fakes.patience import not_for_ever
from fakes.web import FakeWeb
from mutual_dissent.core.values.secret import Key
from mutual_dissent.tools.options import SearchOptions
from mutual_dissent.tools.search import Brave, Search, SearchFailed, SearXNG, Tavily, backends

CANARY = "tvly-canary-5f3a9b2c5d"
KEY = Key(CANARY, "TAVILY_API_KEY")
ROW = {"title": "Tabs", "url": "https://tabs.example/a", "content": "Tabs win.",
       "description": "Tabs win."}  # fmt: skip


@pytest.fixture
async def web():
    async with FakeWeb() as server:
        server.results = [ROW]
        yield server


MAKE = {
    "SearXNG": lambda url: SearXNG(url + "/"),
    "Tavily": lambda url: Tavily(KEY, url),
    "Brave": lambda url: Brave(KEY, url),
}


@pytest.fixture(params=MAKE)
def backend(request, web):
    return MAKE[request.param](web.url)


async def find(*backends, words="tabs", **more):
    return await Search(backends, **more).find(words)


async def test_every_backend_finds_pages(web, backend):
    [found] = await find(backend)
    assert (found.title, found.url) == ("Tabs", "https://tabs.example/a")
    assert found.snippet == "Tabs win."


async def test_searxng_is_asked_for_json(web):
    await find(MAKE["SearXNG"](web.url), words="tabs & spaces?")
    method, path, headers, _ = web.seen[0]
    assert (method, path) == ("GET", "/search?q=tabs+%26+spaces?&format=json")
    assert "authorization" not in headers


async def test_tavily_is_sent_its_key_in_a_header_alone(web):
    await find(MAKE["Tavily"](web.url), most=7)
    method, path, headers, body = web.seen[0]
    assert (method, path, headers["authorization"]) == ("POST", "/search", f"Bearer {CANARY}")
    assert json.loads(body) == {"query": "tabs", "max_results": 7, "search_depth": "basic"}


async def test_brave_is_sent_its_key_in_a_header_alone(web):
    await find(MAKE["Brave"](web.url), words="w " * 60, most=7)
    _, path, headers, _ = web.seen[0]
    assert headers["x-subscription-token"] == CANARY
    assert path == f"/res/v1/web/search?q={'+'.join(['w'] * 50)}&count=7"


def test_backends_are_those_with_a_key_or_an_address():
    assert backends(SearchOptions()) == []
    all_three = SearchOptions(searxng_url="http://127.0.0.1:8888", tavily_key=KEY, brave_key=KEY)
    assert [b.name for b in backends(all_three)] == ["SearXNG", "Tavily", "Brave"]
    assert CANARY not in repr(all_three)


def test_the_keys_of_search_services_go_to_their_own_hosts():
    options = SearchOptions(tavily_key=KEY, brave_key=KEY)
    urls = [b.query("x", 1).url for b in backends(options)]
    assert urls == ["https://api.tavily.com/search",
                    "https://api.search.brave.com/res/v1/web/search"]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "raw", "says"),
    [
        (401, None, "refuses the key from TAVILY_API_KEY"),
        (403, None, "refuses the key from TAVILY_API_KEY"),
        (429, None, "too many searches"),
        (302, None, "redirects"),
        (500, None, "status 500"),
        (432, None, "status 432"),
        (200, b"<html>", "no JSON"),
        (200, b"[1]", "no JSON"),
        (200, b"", "no JSON"),
        (200, b"[" * 100_000, "no JSON"),
        (200, b'{"results": [' + b'"x",' * 1_000_000 + b"1]}", "no JSON"),
        (200, b"\xff\xfe", "no JSON"),
    ],
)
async def test_a_failed_search_is_a_sentence_without_the_key(web, status, raw, says):
    web.status = status
    web.raw = raw if raw is not None else json.dumps({"error": f"bad key {CANARY}"}).encode()
    web.headers = {"Location": f"http://evil.example/{CANARY}"}
    with pytest.raises(SearchFailed, match=says) as failed:
        await find(MAKE["Tavily"](web.url))
    assert CANARY not in str(failed.value) + repr(failed.value)
    assert len(web.seen) == 1


async def test_searxng_without_json_says_what_to_change(web):
    web.status = 403
    with pytest.raises(SearchFailed, match=r"add json to search.formats"):
        await find(MAKE["SearXNG"](web.url))


async def test_a_bomb_is_no_answer(web):
    from fakes.web import bomb

    web.raw, web.headers = bomb(50_000_000), {"Content-Encoding": "gzip"}
    with pytest.raises(SearchFailed, match="no JSON"):
        await find(MAKE["SearXNG"](web.url))


async def test_a_backend_that_hangs_is_given_up_in_time(web):
    class Slow(SearXNG):
        def query(self, words, most):
            return type(super().query(words, most))(url=f"{web.url}/drip")

    with pytest.raises(SearchFailed, match=r"did not answer within 0.2 s"):
        async with not_for_ever():
            await find(Slow(web.url), timeout=0.2)


async def test_a_backend_that_is_not_there_is_a_sentence():
    with pytest.raises(SearchFailed, match=r"SearXNG cannot be reached: it refuses connections$"):
        await find(SearXNG("http://127.0.0.1:9/secret-path"))


async def test_the_next_backend_is_asked_where_one_fails(web):
    found = await find(SearXNG("http://127.0.0.1:9"), MAKE["Brave"](web.url))
    assert [r.title for r in found] == ["Tabs"]


async def test_all_failures_are_told():
    with pytest.raises(SearchFailed, match=r"SearXNG.*; Tavily.*"):
        await find(SearXNG("http://127.0.0.1:9"), Tavily(KEY, "http://127.0.0.1:9"))


async def test_without_a_backend_nothing_is_searched():
    with pytest.raises(SearchFailed, match="no search backend"):
        await find()


async def test_a_page_is_listed_once(web):
    same = ["https://tabs.example/a", "http://www.tabs.example/a/", "https://tabs.example/a#x",
            "https://tabs.example:443/a?utm_source=x"]  # fmt: skip
    web.results = [{**ROW, "url": u} for u in [*same, "https://tabs.example/b"]]
    found = await find(MAKE["SearXNG"](web.url))
    assert [r.url for r in found] == [same[0], "https://tabs.example/b"]


async def test_no_more_is_given_than_was_asked_for(web):
    web.results = [{**ROW, "url": f"https://x.example/{i}"} for i in range(50)]
    assert len(await find(MAKE["SearXNG"](web.url), most=3)) == 3


@pytest.mark.parametrize(
    "row",
    [None, 3, "x", [], {}, {"url": 5}, {"url": None}, {"url": "javascript:alert(1)"},
     {"url": "file:///etc/passwd"}, {"url": "http://user:pass@x.example/"}, {"url": "https://"},
     {"url": "http://x.example/\n"}, {"url": "https://x.example/" + "y" * 3000}],
)  # fmt: skip
async def test_what_is_no_result_is_left_out(web, backend, row):
    web.results = [row, ROW]
    assert [r.url for r in await find(backend)] == [ROW["url"]]


async def test_a_result_is_one_line_of_plain_text(web):
    hostile = {
        "title": "A <strong>bold</strong>\n\ntitle \x1b[31m\x07 &lt;b&gt; \u202e",
        "url": "https://x.example/",
        "content": "<script>alert(1)</script>\r\n1. fake result\n" + "long " * 1000,
    }
    web.results = [hostile]
    [found] = await find(MAKE["SearXNG"](web.url))
    assert found.title == "A bold title [31m <b>"
    assert "\n" not in found.snippet
    assert found.snippet.startswith("alert(1) 1. fake result long")
    assert len(found.snippet) <= 500


@pytest.mark.parametrize(
    "answer", [b"{}", b'{"results": null, "web": 3}', b'{"web": {"results": 1}}']
)
async def test_an_answer_without_results_finds_nothing(web, backend, answer):
    web.raw = answer
    assert await find(backend) == []
