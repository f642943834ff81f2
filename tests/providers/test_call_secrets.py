"""Keys go to their own host, and nowhere else: not into an error, a log, or another address."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from fakes.calls import CANARY, a_router, an_ask, an_endpoint
from fakes.vendor import FakeVendor
from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.http.pool import proxy_for
from mutual_dissent.providers.redaction import Unkeyed, excerpt, redact

DIALECTS = ["openai-chat", "openai-responses", "anthropic", "google"]
FAULTS = ["ok", "echo_key", "401", "500", "midcut", "html", "redirect", "reset", "error_event"]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", FAULTS)
async def test_no_response_and_no_log_ever_shows_the_key(dialect, fault, whole, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    async with FakeVendor(whole=whole) as vendor:
        vendor.always(fault, to=f"http://user:{CANARY}@127.0.0.1:9/?key={CANARY}")
        async with a_router(an_endpoint(vendor.base_url(dialect), dialect)) as router:
            response = await router.ask(an_ask(), lambda _: None)
    assert vendor.arrivals
    assert CANARY.encode() not in to_bytes(response)
    assert CANARY not in repr(response) + repr(router) + caplog.text
    out, err = capfd.readouterr()
    assert CANARY not in out + err


async def test_a_vendor_that_echoes_the_key_is_quoted_without_it():
    async with FakeVendor() as vendor:
        vendor.then("echo_key")
        async with a_router(an_endpoint(vendor.base_url())) as router:
            response = await router.ask(an_ask(), print)
    assert "bad key [key]" in response.error
    assert "[masked]@host.example/v1?[masked]" in response.error
    assert not any(CANARY[:n] in response.error for n in range(8, len(CANARY)))


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_key_that_is_echoed_in_an_answer_is_neither_kept_nor_shown(dialect, whole):
    heard = []
    said = f"Sure: {CANARY[:9]} is not it, {CANARY} is, and sk-canar"
    async with FakeVendor(whole=whole) as vendor:
        vendor.then(text=said)
        vendor.then(tool={"name": "web_search", "arguments": {"query": f"what is {CANARY}"}})
        vendor.then(served=CANARY)
        async with a_router(an_endpoint(vendor.base_url(dialect), dialect)) as router:
            answer = await router.ask(an_ask(), heard.append)
            searching = await router.ask(an_ask(), heard.append)
            served = await router.ask(an_ask(), heard.append)
    assert answer.content == said.replace(CANARY, "[key]")
    assert searching.tool_calls[0]["arguments"] == {"query": "what is [key]"}
    assert served.served_model == "[key]"
    assert CANARY not in "".join(heard)


async def test_a_placeholder_for_a_key_does_not_damage_answers_that_hold_the_word():
    said = "The shortest test, tested twice."
    async with FakeVendor() as vendor:
        vendor.then(text=said)
        endpoint = replace(an_endpoint(vendor.base_url()), key=Key("test", "X"))
        async with a_router(endpoint) as router:
            answer = await router.ask(an_ask(), print)
    assert answer.content == said


def test_a_key_that_comes_letter_by_letter_is_not_shown():
    heard = []
    told = Unkeyed(Key(CANARY, "X"), heard.append)
    for letter in f"say {CANARY[:5]} or {CANARY} or {CANARY[:7]}":
        told(letter)
    told.end()
    assert "".join(heard) == f"say {CANARY[:5]} or [key] or {CANARY[:7]}"


@pytest.mark.parametrize("cut", range(len(CANARY) + 12))
def test_not_even_a_part_of_a_key_survives_a_cut(cut):
    key = Key(CANARY, "X")
    quoted = f"the key {CANARY} is wrong"
    shown = redact(quoted[:cut] + "…", key)
    assert CANARY[:8] not in shown
    assert CANARY[:8] not in excerpt(quoted, key, cut + 1)


def test_credentials_in_addresses_are_masked_and_the_rest_stays():
    text = (
        "GET https://me:secret@api.example/v1/x?key=abc&y=1#top failed, see http://docs.example/a"
    )
    shown = redact(text, None)
    assert "secret" not in shown
    assert "abc" not in shown
    assert "api.example/v1/x" in shown
    assert shown.endswith("see http://docs.example/a")


async def test_a_redirect_is_not_followed_with_the_key():
    async with FakeVendor() as vendor, FakeVendor() as elsewhere:
        vendor.always("redirect", to=elsewhere.base_url() + "/chat/completions")
        async with a_router(an_endpoint(vendor.base_url())) as router:
            response = await router.ask(an_ask(), print)
    assert not elsewhere.arrivals
    assert response.error_kind is ErrorKind.BAD_RESPONSE
    assert elsewhere.url in response.error
    assert len(vendor.arrivals) == 1


async def test_each_vendor_receives_its_own_key_only():
    other = "sk-other-0123456789"
    async with FakeVendor() as one, FakeVendor() as two:
        endpoints = [
            an_endpoint(one.base_url(), vendor="one"),
            an_endpoint(two.base_url(), vendor="two", key=Key(other, "TWO_API_KEY")),
        ]
        async with a_router(*endpoints) as router:
            for vendor in ("one", "two"):
                assert (await router.ask(an_ask(vendor=vendor), print)).usable
    assert other not in str(one.arrivals)
    assert CANARY not in str(two.arrivals)


async def test_a_key_that_no_header_can_carry_is_said_without_showing_it():
    bad = "sk-canary\nX-Evil: 1"
    async with FakeVendor() as vendor:
        endpoint = an_endpoint(vendor.base_url(), key=Key(bad, "ACME_API_KEY"))
        async with a_router(endpoint) as router:
            response = await router.ask(an_ask(), print)
    assert not response.usable
    assert "sk-canary" not in response.error
    assert not vendor.arrivals


async def test_nothing_on_this_machine_is_reached_through_a_proxy(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    async with FakeVendor() as vendor, a_router(an_endpoint(vendor.base_url())) as router:
        assert (await router.ask(an_ask(), print)).usable


async def test_a_proxy_is_used_for_the_world(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "inside.example")
    monkeypatch.setenv("NO_PROXY", "inside.example")
    assert proxy_for("http://api.example/v1") == "http://127.0.0.1:9"
    assert proxy_for("http://inside.example/v1") is None
    for local in ("http://127.0.0.1:1/v1", "http://localhost/v1", "http://[::1]:5/v1"):
        assert proxy_for(local) is None


async def test_calls_to_the_world_really_go_through_the_proxy(monkeypatch):
    async with FakeVendor() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        async with a_router(an_endpoint("http://api.example/v1")) as router:
            assert (await router.ask(an_ask(), print)).usable
    assert proxy.arrivals[0].headers["Host"] == "api.example"
