"""What comes back from a call that went well, or ended without an opinion."""

from __future__ import annotations

import asyncio
import gc
import weakref
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from fakes.calls import CANARY, a_router, an_ask, an_endpoint
from fakes.patience import not_for_ever
from fakes.vendor import FakeVendor
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.http.limits import Bounds

DIALECTS = ["openai-chat", "openai-responses", "anthropic", "google"]


@pytest.fixture(params=DIALECTS)
def dialect(request):
    return request.param


@pytest.fixture(params=["stream", "whole"])
async def vendor(request):
    async with FakeVendor(whole=request.param == "whole") as running:
        yield running


@pytest.fixture
async def router(vendor, dialect):
    async with a_router(an_endpoint(vendor.base_url(dialect), dialect)) as made:
        yield made


class Table:
    """Prices of a dollar a token in, ten a token out."""

    def __init__(self, window=None):
        self.window = window

    def cost(self, route, input_tokens, output_tokens, cached_tokens=0):
        return float(input_tokens - cached_tokens + 10 * output_tokens)

    def context_window(self, route):
        return self.window


async def test_an_answer_carries_all_that_is_known_about_it(vendor, router):
    heard = []
    route = Route(vendor="acme", model_id="m1", mode="direct")
    panelist = Panelist(
        seat="ada#2", route=route, persona="sceptic", role="PRIMARY", perspective="economic"
    )
    before = datetime.now(UTC)
    ask = replace(an_ask(role="reflection", round_number=2), panelist=panelist)
    response = await router.ask(ask, heard.append)

    assert response.usable
    assert response.error is None
    assert response.content == "m1 has thought about it and says yes."
    assert "".join(heard) == response.content
    assert (response.model_id, response.model_alias) == ("m1", "ada#2")
    assert (response.round_number, response.role) == (2, "reflection")
    assert (response.persona, response.agent_role) == ("sceptic", "PRIMARY")
    assert response.perspective == "economic"
    assert (response.provider, response.routing) == ("acme", route)
    assert response.served_model == "m1"
    assert (response.input_tokens, response.output_tokens) == (12, 7)
    assert (response.token_count, response.cached_tokens) == (19, 3)
    assert response.finish is Finish.COMPLETE
    assert before <= response.timestamp <= datetime.now(UTC)
    assert 0 <= response.first_token_ms <= response.latency_ms
    assert response.attempts == ()


async def test_words_are_passed_on_while_they_come(dialect):
    async with (
        FakeVendor(token_delay=0.01) as vendor,
        a_router(an_endpoint(vendor.base_url(dialect), dialect)) as router,
    ):
        heard = []
        asking = asyncio.create_task(router.ask(an_ask(), heard.append))
        while not heard:
            await asyncio.sleep(0)
        assert not asking.done()
        response = await asking
    assert len(heard) > 3
    assert response.first_token_ms < response.latency_ms


async def test_the_key_travels_in_the_header_of_its_dialect(vendor, router, dialect):
    await router.ask(an_ask(), print)
    sent = [v for v in vendor.arrivals[0].headers.values() if CANARY in v]
    assert sent in ([CANARY], [f"Bearer {CANARY}"])
    assert CANARY not in vendor.arrivals[0].path


async def test_a_price_is_put_on_every_answer(vendor, dialect):
    endpoint = an_endpoint(vendor.base_url(dialect), dialect)
    async with a_router(endpoint, prices=Table()) as router:
        assert (await router.ask(an_ask(), print)).cost_usd == 9 + 70


async def test_the_vendors_own_price_counts_more_than_the_table(vendor):
    vendor.then(usage={"in": 12, "out": 7, "cost": 0.25})
    async with a_router(an_endpoint(vendor.base_url()), prices=Table()) as router:
        assert (await router.ask(an_ask(), print)).cost_usd == 0.25


async def test_an_unknown_price_is_none_and_not_zero(vendor, router):
    assert (await router.ask(an_ask(), print)).cost_usd is None


@pytest.mark.parametrize(
    ("fault", "finish", "kind"),
    [
        ("empty", {Finish.EMPTY}, {ErrorKind.BAD_RESPONSE}),
        ("null", {Finish.EMPTY}, {ErrorKind.BAD_RESPONSE}),
        ("tool", {Finish.EMPTY}, {ErrorKind.BAD_RESPONSE}),
        ("reasoning", {Finish.EMPTY}, {ErrorKind.BAD_RESPONSE}),
        ("refusal", {Finish.REFUSED, Finish.FILTERED}, {ErrorKind.REFUSED, ErrorKind.FILTERED}),
        ("filter", {Finish.REFUSED, Finish.FILTERED}, {ErrorKind.REFUSED, ErrorKind.FILTERED}),
    ],
)
async def test_no_opinion_is_told_apart_and_not_bought_twice(vendor, router, fault, finish, kind):
    vendor.then(fault)
    response = await router.ask(an_ask(), print)
    assert response.finish in finish
    assert response.error_kind in kind
    assert not response.usable
    assert "acme (m1)" in response.error
    assert len(vendor.arrivals) == 1


async def test_a_tool_call_instead_of_an_answer_is_kept_and_said(vendor, router):
    vendor.then("tool")
    response = await router.ask(an_ask(), print)
    assert response.tool_calls[0]["name"] == "look_up"
    assert "called a tool" in response.error


async def test_a_refusal_is_quoted(vendor):
    vendor.then("refusal")
    async with a_router(an_endpoint(vendor.base_url())) as router:
        response = await router.ask(an_ask(), print)
    assert response.finish is Finish.REFUSED
    assert "I would rather not." in response.error


async def test_another_models_answer_is_kept_and_flagged(vendor, router):
    vendor.then("wrong_model")
    response = await router.ask(an_ask(), print)
    assert response.usable
    assert response.served_by_another
    assert response.served_model == "somebody-else-9"


async def test_another_models_answer_fails_when_only_the_asked_one_will_do(vendor, router):
    vendor.then("wrong_model")
    response = await router.ask(an_ask(strict_model=True), print)
    assert (response.finish, response.error_kind) == (Finish.FAILED, ErrorKind.BAD_RESPONSE)
    assert "somebody-else-9" in response.error
    assert "m1" in response.error


async def test_a_dated_id_is_the_same_model(vendor, router):
    vendor.then(served="m1-2026-10-01")
    assert (await router.ask(an_ask(strict_model=True), print)).usable


async def test_usage_that_cannot_be_true_is_dropped(vendor, router):
    vendor.then("mad_usage")
    response = await router.ask(an_ask(), print)
    assert response.usable
    assert (response.input_tokens, response.output_tokens) == (None, None)
    assert response.token_count is None


async def test_ten_megabytes_are_cut_and_marked(vendor, router):
    vendor.then("big")
    response = await router.ask(an_ask(), lambda _: None)
    assert response.finish is Finish.TRUNCATED
    assert len(response.content.encode()) <= 2_000_000
    assert response.usable
    assert len(vendor.arrivals) == 1


async def test_the_cut_counts_bytes_and_never_halves_a_character(vendor, dialect):
    vendor.then(text="ä" * 60_000)
    bounds = Bounds(text=100_001)
    async with a_router(an_endpoint(vendor.base_url(dialect), dialect), bounds=bounds) as router:
        response = await router.ask(an_ask(), print)
    assert response.content == "ä" * 50_000
    assert response.finish is Finish.TRUNCATED


async def test_a_compressed_answer_is_read(vendor, router):
    vendor.then("gzip")
    assert (await router.ask(an_ask(), print)).usable


async def test_an_answer_that_ended_is_not_held_up_by_a_vendor_that_does_not_hang_up(dialect):
    async with FakeVendor() as vendor:
        vendor.then("linger")
        endpoint = an_endpoint(vendor.base_url(dialect), dialect)
        bounds = Bounds(idle=600, farewell=0.1)
        async with a_router(endpoint, bounds=bounds) as router, not_for_ever():
            response = await router.ask(an_ask(timeout=600), print)
    assert response.usable
    assert len(vendor.arrivals) == 1


async def test_a_warm_process_opens_no_new_connection(vendor, router):
    for _ in range(5):
        await router.ask(an_ask(), print)
    assert vendor.connections == 1


async def test_the_memory_of_a_call_is_free_when_it_is_over_though_its_connection_stays(router):
    def listener(_):
        pass

    held = weakref.ref(listener)
    gc.disable()
    try:
        await asyncio.create_task(router.ask(an_ask(), listener))
        del listener
        assert held() is None
    finally:
        gc.enable()


async def test_a_large_request_is_sent_whole(vendor, router):
    head = "much context " * 200_000
    response = await router.ask(an_ask(head=head), print)
    assert response.usable
    assert head in vendor.arrivals[0].prompt


async def test_half_characters_in_a_query_do_not_break_the_call(vendor, router):
    assert (await router.ask(an_ask(head="half \ud83d a pair"), print)).usable
