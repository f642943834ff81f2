"""What comes to the server is looked at before anything else happens: FAULTS W1 to W3, W6, W8."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from contextlib import AsyncExitStack

import aiohttp
import pytest

from fakes.raw_http import SOCKET, Raw, head, line, place, read, request, send, whole
from fakes.served import served
from fakes.small_surface import Small
from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.http.auth import CookieEntry
from mutual_dissent.surfaces.http.backend import host

ENTRY = CookieEntry("start-word", "cookie-word")


@pytest.fixture
async def md(tmp_path):
    async with MutualDissent(home=tmp_path / "kept", env={}) as md:
        yield md


@pytest.fixture
def small(tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("0123456789" * 1000)
    return Small(tmp_path / "files")


@pytest.fixture
async def url(md, small):
    async with served(host(md), [small.surface], entry=ENTRY) as url:
        yield url


def cookie(url: str) -> str:
    return f"dissent-{place(url)[1]}=cookie-word"


def code(raw: Raw) -> str:
    error = json.loads(raw.body)["error"]
    assert error["status"] == raw.status
    assert error["message"]
    return error["code"]


PATHS = ["/api/who/me", "/metrics", "/healthz", "/page", "/files/a.txt", "/nothing", "/api/events"]
HOSTS = [
    "evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.:{port}",
    "127.1:{port}", "0.0.0.0:{port}", "[::]:{port}", "127.0.0.1:{port}.evil.example", "",
    "localhost:{port}@evil.example", None,
]  # fmt: skip


async def test_a_wrong_host_reaches_nothing(url, small):
    for name in HOSTS:
        said = name.format(port=place(url)[1]) if name is not None else None
        for path in PATHS:
            raw = await send(url, request(url, path, host=said, cookie=cookie(url)))
            assert raw.status in (400, 421), (name, path)
        socket = {**SOCKET, "host": said, "cookie": cookie(url)}
        raw = await send(url, request(url, "/socket", **socket))
        assert raw.status in (400, 421), name
    assert not small.reached


async def test_two_hosts_are_not_one(url, small):
    port = place(url)[1]
    lines = [f"host: 127.0.0.1:{port}", "host: evil.example", "connection: close"]
    assert (await send(url, head("GET", "/api/who/me", lines))).status in (400, 421)
    assert not small.reached


async def test_this_machine_may_be_called_by_its_names(url):
    for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        own = f"{name}:{place(url)[1]}"
        assert (await send(url, request(url, "/api/who/me", host=own))).status == 200, name


async def test_a_configured_name_is_answered_but_only_with_a_token(md, small):
    word = md.tokens.new("proxy", md.clock())
    async with served(host(md), [small.surface], names=("dissent.example",)) as url:
        ask = request(url, "/api/who/me", host="dissent.example", authorization=f"Bearer {word}")
        assert (await send(url, ask)).status == 200
        origin = "https://dissent.example"
        ask = request(
            url, "/api/echo", "POST", b"{}", host="dissent.example", origin=origin,
            authorization=f"Bearer {word}", content_type="application/json",
        )  # fmt: skip
        assert (await send(url, ask)).status == 200
        md.tokens.revoke("proxy", md.clock())
        assert (await send(url, request(url, "/healthz", host="dissent.example"))).status == 401
        assert (await send(url, request(url, "/healthz"))).status == 200


async def test_a_name_that_leads_here_needs_a_token_also_where_there_is_none(md, small):
    async with served(host(md), [small.surface], names=("dissent.example",)) as url:
        raw = await send(url, request(url, "/api/who/me", host="dissent.example"))
        assert raw.status == 401


ORIGINS = [
    "http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", "http://127.0.0.1",
    "http://127.0.0.1:{port}.evil.example", "http://evil.example:{port}", "file://",
    "http://localhost:{port}/", "http://127.0.0.1:{port}/", "", "http://127.0.0.1:{port} null",
]  # fmt: skip


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "GET"])
async def test_a_foreign_page_may_not_have_a_browser_call_us(url, small, method):
    kind = {"content_type": "application/json"} if method != "GET" else {}
    body = b"{}" if kind else b""
    for origin in ORIGINS:
        own = {"origin": origin.format(port=place(url)[1]), "cookie": cookie(url)}
        raw = await send(url, request(url, "/api/echo", method, body, **own, **kind))
        assert (raw.status, code(raw)) == (403, "foreign_origin"), origin
    assert not small.reached


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
async def test_a_foreign_page_opens_no_socket_and_polls_none(url, small, origin):
    ask = request(url, "/socket", **SOCKET, origin=origin, cookie=cookie(url))
    raw = await send(url, ask)
    assert raw.status == 403
    polled = request(url, "/_nicegui_ws/socket.io/?EIO=4", origin=origin, cookie=cookie(url))
    assert (await send(url, polled)).status == 403
    assert not small.reached


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_what_the_browser_says_of_the_site_is_believed(url, small, site):
    kind = {"content_type": "application/json", "sec_fetch_site": site}
    raw = await send(url, request(url, "/api/echo", "POST", b"{}", **kind))
    assert (raw.status, code(raw)) == (403, "foreign_site")
    fields = {"sec_fetch_site": site, "sec_fetch_mode": "no-cors"}
    assert (await send(url, request(url, "/api/who/me", **fields))).status == 403
    moved = {**kind, "sec_fetch_mode": "navigate"}
    assert (await send(url, request(url, "/api/echo", "POST", b"{}", **moved))).status == 403
    assert not small.reached


async def test_our_own_pages_may_call(url):
    for name in ("127.0.0.1", "localhost"):
        own = f"{name}:{place(url)[1]}"
        ask = request(
            url, "/api/echo", "POST", b'{"a": 1}', host=own, origin=f"http://{own}",
            sec_fetch_site="same-origin", content_type="application/json; charset=utf-8",
        )  # fmt: skip
        assert json.loads((await send(url, ask)).body) == {"a": 1}


KINDS = [
    "text/plain", "text/plain;application/json", "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x", "application/jsonx", "text/json", "", None,
]  # fmt: skip


@pytest.mark.parametrize("path", ["/api/echo", "/api/nothing", "/v1/chat/completions", "/mcp"])
async def test_only_json_is_taken_by_what_programs_call(url, small, path):
    for kind in KINDS:
        raw = await send(url, request(url, path, "POST", b'{"a": 1}', content_type=kind))
        assert (raw.status, code(raw)) == (415, "not_json"), kind
    assert not small.reached


async def test_two_types_are_none(url, small):
    lines = [f"host: {':'.join(map(str, place(url)))}", "connection: close", "content-length: 2"]
    lines += ["content-type: application/json", "content-type: text/plain"]
    raw = await send(url, head("POST", "/api/echo", lines) + b"{}")
    assert raw.status == 415


BOMBS = {
    "depth": b"[" * 100_000,
    "depth of objects": b'{"a":' * 100_000,
    "keys": b"{" + b",".join(b'"%d":1' % i for i in range(10**6)) + b"}",
    "values": b"[" + b"1," * 2_000_000 + b"1]",
    "digits": b'{"a":' + b"1" * 400 + b"}",
    "digits of a fraction": b'{"a":0.' + b"1" * 400 + b"}",
    "exponent": b'{"a":1e999}',
    "twice": b'{"a":1,"a":2}',
    "twice far apart": b"{" + b",".join(b'"%d":1' % i for i in range(40_000)) + b',"39999":2}',
    "twice below": b'{"b":[{"a":1,"a":2}]}',
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":-Infinity}',
    "half a character": b'{"a":"\\ud800"}',
    "not UTF-8": b'{"a":"\xff"}',
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "a string without end": b'{"a":"' + b'\\"' * 400_000,
    "blank": b"   ",
    "rest": b"{} {}",
    "no JSON": b"hello",
}


@pytest.mark.parametrize("path", ["/api/echo", "/api/loose"])
async def test_json_that_is_too_much_or_none_is_refused_before_use(md, small, path):
    kind = {"content_type": "application/json"}
    async with served(host(md), [small.surface], max_body=20) as url:
        for name, bomb in BOMBS.items():
            raw = await send(url, request(url, path, "POST", bomb, **kind))
            assert (raw.status, code(raw)) == (400, "bad_json"), name
    assert not small.reached


async def test_decent_json_comes_through_as_it_is(url):
    told = {"a": [1, 2.5, -3e10, True, None, {"ü": "\u0000\U0001f600"}], "b": {}, "c": "x" * 10**6}
    async with aiohttp.ClientSession() as client, client.post(f"{url}/api/echo", json=told) as got:
        assert await got.json() == told
    async with aiohttp.ClientSession() as client, client.post(f"{url}/api/loose", json=told) as got:
        assert await got.json() == told


async def test_a_body_of_50_mb_is_refused_before_it_is_read(url, small):
    async with aiohttp.ClientSession() as client:
        kind = {"content-type": "application/json"}
        data = io.BytesIO(b"x" * 50_000_000)
        ask = client.post(f"{url}/api/echo", data=data, headers=kind)
        async with ask as answer:
            assert answer.status == 413
            assert (await answer.json())["error"]["code"] == "body_too_large"
    assert not small.reached


async def test_a_body_is_refused_by_its_length_alone(url):
    """Whoever waits to be told to go on does not even send it."""
    ask = request(
        url, "/api/echo", "POST", content_length="50000000", expect="100-continue",
        content_type="application/json",
    )  # fmt: skip
    async with line(url) as (reader, writer):
        writer.write(ask)
        assert (await reader.readline()).split()[1] == b"413"


async def test_a_body_without_a_length_is_counted(url, small):
    chunk = b"%x\r\n" % 1_000_000 + b"1" * 1_000_000 + b"\r\n"
    ask = request(
        url, "/api/echo", "POST", transfer_encoding="chunked", content_type="application/json"
    )
    raw = await send(url, ask, *[chunk] * 12, b"0\r\n\r\n")
    assert (raw.status, code(raw)) == (413, "body_too_large")
    assert not small.reached


async def test_large_bodies_together_take_only_so_much(md, small):
    """Sixteen of the largest are held at once; who sends more then is told to try again."""
    kind = {"content_type": "application/json", "content_length": "10000"}
    told = []
    serving = served(host(md), [small.surface], max_body=0.01, max_files=0.01)
    async with serving as url, AsyncExitStack() as lines, asyncio.timeout(60):
        for _ in range(20):
            reader, writer = await lines.enter_async_context(line(url))
            writer.write(request(url, "/api/echo", "POST", **kind) + b"1" * 9999)
            told.append(asyncio.create_task(reader.readline()))
        while sum(t.done() for t in told) < 4:
            await asyncio.wait(told, return_when=asyncio.FIRST_COMPLETED, timeout=0.1)
        assert {t.result().split()[1] for t in told if t.done()} == {b"503"}
        assert sum(t.done() for t in told) == 4
        await lines.aclose()
        await asyncio.wait(told)
        small_one = request(url, "/api/echo", "POST", b"{}", content_type="application/json")
        assert (await send(url, small_one)).status == 200


async def test_a_slow_body_is_not_waited_for(md, small):
    async with served(host(md), [small.surface], body_timeout=0.05) as url:
        kind = {"content_type": "application/json", "content_length": "100"}
        raw = await send(url, request(url, "/api/echo", "POST", **kind), b'{"a":')
        assert (raw.status, code(raw)) == (408, "slow_body")
    assert not small.reached


@pytest.mark.parametrize("begun", [b"", b"GET /api/who/me HT", b"GET / HTTP/1.1\r\nhost: 127"])
async def test_a_slow_head_is_not_waited_for(md, small, begun):
    serving = served(host(md), [small.surface], idle_timeout=0.5)
    async with serving as url, line(url) as (reader, writer):
        writer.write(begun)
        assert read(await whole(reader)).status == (408 if begun else 0)


async def test_a_connection_without_a_further_request_is_closed(md, small):
    serving = served(host(md), [small.surface], idle_timeout=0.5)
    async with serving as url, line(url) as (reader, writer):
        writer.write(request(url, "/api/who/me", connection="keep-alive"))
        assert read(await whole(reader)).status == 200


@pytest.mark.parametrize("many", [101, 10_000, 200_000])
async def test_too_many_fields_are_refused(url, small, many):
    lines = [f"host: {':'.join(map(str, place(url)))}", *(f"x-{i}: 1" for i in range(many))]
    data = head("GET", "/api/who/me", ["connection: close", *lines])
    raw = await send(url, data)
    assert (raw.status, code(raw)) == (431, "head_too_large")
    assert not small.reached


@pytest.mark.parametrize("size", [66_000, 5_000_000])
async def test_too_long_a_field_is_refused(url, small, size):
    raw = await send(url, request(url, "/api/who/me", x_long="x" * size))
    assert (raw.status, code(raw)) == (431, "head_too_large")
    assert not small.reached


@pytest.mark.parametrize("rest", [b"x: " + b"x" * 200_000, b"x: 1\r\n" * 40_000])
async def test_a_head_without_end_is_not_read_on(url, rest):
    async with line(url) as (reader, writer):
        writer.write(b"GET /api/who/me HTTP/1.1\r\n" + rest)
        assert (await reader.readline()).split()[1] == b"431"


async def test_too_long_an_address_is_refused(url, small):
    raw = await send(url, request(url, "/api/who/me?" + "x" * 70_000))
    assert raw.status == 431
    assert not small.reached


async def test_a_part_of_a_file_is_the_whole_file(url):
    """So that nobody can ask for one file in thousands of parts at once."""
    many = "bytes=" + ",".join(f"{i}-{i + 1}" for i in range(0, 5000, 2))
    raw = await send(url, request(url, "/files/a.txt", range=many, cookie=cookie(url)))
    assert raw.status == 200
    assert len(raw.body) == 10_000
    seen = await send(url, request(url, "/api/who/me", range="bytes=0-1"))
    assert json.loads(seen.body)["range"] is None


async def test_so_many_may_follow_and_no_more(md, small):
    serving = served(host(md), [small.surface], streams=3)
    async with serving as url, aiohttp.ClientSession() as client:
        following = [await client.get(f"{url}/api/events") for _ in range(3)]
        assert [f.status for f in following] == [200] * 3
        refused = await client.get(f"{url}/api/events")
        assert refused.status == 503
        assert refused.headers["retry-after"]
        assert (await refused.json())["error"]["code"] == "too_many_streams"
        small.end.set()
        for each in following:
            await each.read()
        again = await client.get(f"{url}/api/events")
        assert again.status == 200
        await again.read()


@pytest.mark.slow
async def test_500_clients_that_follow_and_say_nothing_hold_nobody_up(url, small):
    async with AsyncExitStack() as lines, aiohttp.ClientSession() as client:
        for _ in range(500):
            reader, writer = await lines.enter_async_context(line(url))
            writer.write(request(url, "/api/events"))
            await reader.readuntil(b"hello")
        numbers = await (await client.get(f"{url}/metrics")).text()
        assert "dissent_sse_clients 500\n" in numbers
        await lines.aclose()
        while "dissent_sse_clients 0\n" not in numbers:
            numbers = await (await client.get(f"{url}/metrics")).text()
    assert json.loads((await send(url, request(url, "/api/who/me"))).body)["name"] == ""


async def test_more_connections_than_there_may_be_are_told_so(md, small):
    serving = served(host(md), [small.surface], connections=5)
    async with serving as url, AsyncExitStack() as lines:
        for _ in range(4):
            reader, writer = await lines.enter_async_context(line(url))
            writer.write(request(url, "/api/events"))
            await reader.readuntil(b"hello")
        assert (await send(url, request(url, "/api/who/me"))).status == 503


async def test_answers_say_what_browsers_may_not_do_with_them(url):
    for path, ask in (("/api/who/me", {}), ("/api/nothing", {}), ("/page", {}), ("/api/bug", {})):
        raw = await send(url, request(url, path, **ask))
        assert raw.fields["x-content-type-options"] == "nosniff"
        assert raw.fields["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in raw.fields["content-security-policy"]
        assert raw.fields["cache-control"] == "no-store"
        assert raw.fields["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in raw.fields
        assert "server" not in raw.fields


async def test_a_bug_is_an_answer_without_its_words_and_a_line_in_the_log(url, caplog):
    raw = await send(url, request(url, "/api/bug"))
    assert (raw.status, code(raw)) == (500, "internal")
    assert b"secret" not in raw.body
    (record,) = [r for r in caplog.records if r.levelno >= logging.ERROR]
    assert "secret" not in record.getMessage()


@pytest.fixture
async def impatient(md, small):
    async with served(host(md), [small.surface], entry=ENTRY, idle_timeout=0.3) as url:
        yield url


async def test_no_request_whatever_it_is_ends_the_server(impatient):
    url = impatient
    odd = [
        b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 1000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET //evil.example/%00 HTTP/1.1\r\n\r\n",
        request(url, "/%ff%fe", cookie="\xff"), request(url, "/api/../../etc/passwd"),
        request(url, "*", "OPTIONS"), request(url, "/api/who/me", content_length="-1"),
        request(url, "/api/who/me", content_length="x"), request(url, "/?token=%ff"),
        request(url, "/?" + "token=&" * 5000), request(url, "/api/who/me", authorization="\xff"),
        request(url, "/socket", **{**SOCKET, "sec_websocket_version": "1"}),
        request(url, "/api/who/me", upgrade="h2c", connection="upgrade"),
        request(url, "http://evil.example/api/who/me"),
    ]  # fmt: skip
    for data in odd:
        raw = await send(url, data + b"\r\n\r\n")
        assert raw.status < 500, data
        assert b"Traceback" not in raw.body
    assert (await send(url, request(url, "/api/who/me"))).status == 200
