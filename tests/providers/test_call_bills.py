"""What is paid for is in the books, also where an answer never came to its end."""

from __future__ import annotations

import pytest

from fakes.calls import a_router, an_ask, an_endpoint
from fakes.ledgers import unread
from fakes.vendor import FakeVendor
from mutual_dissent import MutualDissent
from mutual_dissent.core.figures.stats import is_unpriced, tally
from mutual_dissent.core.response import ESTIMATED, Finish

DIALECTS = ["openai-chat", "openai-responses", "anthropic", "google"]
LONG = "word " * 2000
IN, OUT = 0.001, 0.01


class Prices:
    """A cent for an output token, a tenth of one for an input token, unless nobody knows."""

    def __init__(self, *, known=True):
        self.known = known

    def cost(self, _route, input_tokens, output_tokens, _cached=0):
        return input_tokens * IN + output_tokens * OUT if self.known else None

    def context_window(self, _route):
        return None

    async def prepare(self, _routes):
        return None

    def known_models(self):
        return []


def half(text):
    return int(len(text) / 2 / 3.5) * OUT


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", ["midcut", "truncate", "no_finish", "malformed"])
async def test_a_broken_stream_costs_what_was_received_in_every_attempt(dialect, fault):
    async with FakeVendor() as vendor:
        vendor.always(fault, text=LONG, cut=1000)
        endpoint = an_endpoint(vendor.base_url(dialect), dialect)
        async with a_router(endpoint, prices=Prices()) as router:
            response = await router.ask(an_ask(), print)
    assert response.finish is Finish.INCOMPLETE
    [first] = response.attempts
    assert first.cost_usd == pytest.approx(half(LONG), rel=0.02)
    assert response.cost_usd == pytest.approx(2 * first.cost_usd, rel=0.01)
    assert ESTIMATED in response.flags


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_an_answer_after_a_broken_one_costs_both(dialect):
    async with FakeVendor() as vendor:
        vendor.then("midcut", text=LONG, cut=1000).then(text="yes")
        endpoint = an_endpoint(vendor.base_url(dialect), dialect)
        async with a_router(endpoint, prices=Prices()) as router:
            response = await router.ask(an_ask(), print)
    assert response.usable
    assert response.output_tokens == 7
    assert response.cost_usd == pytest.approx(response.attempts[0].cost_usd + 12 * IN + 7 * OUT)


async def test_a_placeholder_is_not_taken_for_a_count():
    async with FakeVendor() as vendor:
        vendor.always("midcut", text=LONG, cut=1000)
        async with a_router(an_endpoint(vendor.base_url("anthropic"), "anthropic")) as router:
            response = await router.ask(an_ask(), print)
    assert response.input_tokens == 12
    assert response.output_tokens is None


async def test_where_no_price_is_known_a_broken_answer_is_said_to_be_of_unknown_price():
    async with FakeVendor() as vendor:
        vendor.always("midcut", text=LONG, cut=1000)
        prices = Prices(known=False)
        async with a_router(an_endpoint(vendor.base_url()), prices=prices) as router:
            response = await router.ask(an_ask(), print)
    assert response.cost_usd is None
    assert is_unpriced(response)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_vendor_that_counts_nothing_has_not_counted(dialect):
    async with FakeVendor() as vendor:
        vendor.always(usage={"in": 0, "out": 0})
        endpoint = an_endpoint(vendor.base_url(dialect), dialect)
        async with a_router(endpoint, prices=Prices()) as router:
            response = await router.ask(an_ask(), print)
    assert (response.input_tokens, response.output_tokens, response.token_count) == (None,) * 3
    assert response.cost_usd is None
    assert is_unpriced(response)


@pytest.mark.parametrize("fault", ["500", "429", "401", "reset", "html"])
async def test_where_nothing_was_received_nothing_is_billed(fault):
    async with FakeVendor() as vendor:
        vendor.always(fault)
        async with a_router(an_endpoint(vendor.base_url()), prices=Prices()) as router:
            response = await router.ask(an_ask(), print)
    assert response.cost_usd is None
    assert tally([response]).unpriced == 0
    assert response.flags == ()


async def test_a_limit_holds_although_streams_break(own_home):
    unread(own_home)
    async with FakeVendor() as vendor:
        vendor.always("midcut", text=LONG, cut=1900)
        router = a_router(an_endpoint(vendor.base_url(), vendor="given"), prices=Prices())
        async with router, MutualDissent(provider=router, prices=Prices()) as md:
            t = await md.debate("q", panel=["m0", "m1"], synthesizer="m0", max_cost=1000.0)
    spent = sum(r.cost_usd for _, r in t.responses())
    assert spent == pytest.approx(2 * 2 * 1900 * 5 / 3.5 * OUT, rel=0.05)
