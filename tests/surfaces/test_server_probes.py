"""What those who run a server look at: /healthz, /metrics and the log."""

from __future__ import annotations

import json
import logging
import re

import aiohttp
import pytest

from fakes.ledgers import unread
from fakes.raw_http import SOCKET, request, send
from fakes.served import served
from fakes.small_surface import Small
from fakes.world import Tariff
from mutual_dissent import __version__
from mutual_dissent.app import MutualDissent
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.surfaces.http.backend import host
from mutual_dissent.surfaces.http.telemetry.logs import json_lines

SAMPLE = re.compile(r'(\w+)(?:\{((?:\w+="(?:[^"\\\n]|\\.)*",?)*)\})? (-?[0-9.e+-]+)')


@pytest.fixture
async def md(tmp_path):
    cast = Scripted({name: lambda _: "yes" for name in ("ada", "bob")})
    home = unread(tmp_path / "kept")
    async with MutualDissent(home=home, env={}, provider=cast, prices=Tariff()) as md:
        yield md


@pytest.fixture
async def hosted(md):
    return host(md)


@pytest.fixture
async def url(hosted):
    async with served(hosted, [Small().surface]) as url:
        yield url


async def numbers(url: str) -> dict[str, float]:
    """Every sample by its name and labels; each line is a comment or a sample."""
    raw = await send(url, request(url, "/metrics"))
    assert raw.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = {}
    for text in raw.body.decode().splitlines():
        if text.startswith("#"):
            assert re.fullmatch(r"# (HELP \w+ .+|TYPE \w+ (gauge|counter|histogram))", text)
            continue
        sample = SAMPLE.fullmatch(text)
        assert sample, text
        key = f"{sample[1]}{{{sample[2]}}}" if sample[2] else sample[1]
        assert key not in found, "a sample stands once"
        found[key] = float(sample[3])
    return found


async def test_a_server_that_is_well_says_so(url):
    raw = await send(url, request(url, "/healthz"))
    assert raw.status == 200
    said = json.loads(raw.body)
    assert (said["status"], said["version"]) == ("ok", __version__)


async def test_debates_calls_and_spending_are_counted(url, hosted):
    before = await numbers(url)
    assert before['dissent_debates{status="completed"}'] == 0
    name = await hosted.sessions.start("Tabs or spaces?", panel=["ada", "bob"])
    await hosted.sessions.wait(name, 30)
    after = await numbers(url)
    assert after['dissent_debates{status="completed"}'] == 1
    assert after['dissent_calls{vendor="given"}'] == 5
    assert after['dissent_tokens{vendor="given"}'] > 0
    assert 'dissent_cost_usd{vendor="given"}' in after
    assert after["dissent_debates_live"] == after["dissent_debates_waiting"] == 0


async def test_requests_are_counted_by_their_route_not_by_what_was_asked_for(url):
    for path in ("/api/who/a", "/api/who/b", "/api/nothing-%22%0a", "/api/bug"):
        await send(url, request(url, path))
    found = await numbers(url)
    who = 'method="GET",route="/api/who/{thing}",status="200"'
    assert found[f"dissent_http_requests_total{{{who}}}"] == 2
    assert found['dissent_http_request_seconds_count{route="/api/who/{thing}"}'] == 2
    bug = 'method="GET",route="/api/bug",status="500"'
    assert found[f"dissent_http_requests_total{{{bug}}}"] == 1
    lost = 'method="GET",route="unmatched",status="404"'
    assert found[f"dissent_http_requests_total{{{lost}}}"] == 1
    assert not any("nothing" in key for key in found)


async def test_the_buckets_of_a_histogram_add_up(url):
    for _ in range(5):
        await send(url, request(url, "/api/who/a"))
    found = await numbers(url)
    route = 'route="/api/who/{thing}"'
    start = f"dissent_http_request_seconds_bucket{{{route}"
    buckets = [value for key, value in found.items() if key.startswith(start)]
    assert buckets == sorted(buckets)
    assert buckets[-1] == found[f"dissent_http_request_seconds_count{{{route}}}"] == 5


async def test_who_follows_is_counted_as_long_as_they_do(hosted):
    small = Small()
    async with served(hosted, [small.surface]) as url, aiohttp.ClientSession() as client:
        async with client.get(f"{url}/api/events"):
            assert (await numbers(url))["dissent_sse_clients"] == 1
        while (await numbers(url))["dissent_sse_clients"]:
            pass


async def test_the_log_has_one_object_a_line_and_no_word_of_a_client(url, capfd):
    with json_lines():
        await send(url, request(url, "/api/who/my-secret?q=my-secret", x_note="my-secret"))
        await send(url, request(url, "/api/bug"))
        await send(url, request(url, "/socket", **SOCKET, origin="http://my-secret"))
        logging.getLogger("somebody.else").info("not for the log")
    text = capfd.readouterr().err
    lines = [json.loads(line) for line in text.splitlines()]
    access = [x for x in lines if x["logger"] == "mutual_dissent.access"]
    assert [(x["method"], x["route"], x["status"]) for x in access] == [
        ("GET", "/api/who/{thing}", 200),
        ("GET", "/api/bug", 500),
        ("WS", "refused", 403),
    ]
    assert all(x["ms"] >= 0 and "time" in x for x in access)
    (bug,) = [x for x in lines if x["level"] == "error"]
    assert bug["error"] == "RuntimeError"
    assert any("small_surface.py" in place for place in bug["at"])
    for hidden in ("my-secret", "secret prompt", "not for the log"):
        assert hidden not in text
