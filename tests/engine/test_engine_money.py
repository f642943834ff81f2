"""What a debate costs, what it would cost, and that a limit holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.world import START, Tariff, a_brief, run, seat
from mutual_dissent.core.events import Opened, Status
from mutual_dissent.core.transcript import opening
from mutual_dissent.engine.limits.quote import quote
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.prompts.library import Library
from mutual_dissent.providers.responses import blank
from mutual_dissent.providers.scripted import Scripted


class Billed(Scripted):
    """Answers as long as allowed, at the tariff's price."""

    async def ask(self, ask, on_text):
        self.asks.append(ask)
        tokens = ask.max_tokens or 1000
        price = Tariff().cost(ask.panelist.route, ask.input_estimate, tokens)
        return replace(blank(ask), content="x" * int(tokens * 3.5), cost_usd=price)


@pytest.mark.parametrize("limit", [1.0, 5.0, 13.0, 40.0, 200.0])
async def test_a_limit_is_never_exceeded_even_if_every_answer_is_as_long_as_it_may_be(limit):
    brief = a_brief(max_cost=limit)
    transcript, _, _ = await run(brief, Billed({}))
    spent = sum(r.cost_usd for _, r in transcript.responses())
    assert spent <= limit
    if transcript.status is not Status.COMPLETED:
        assert (transcript.status, transcript.closed_reason) == (Status.STOPPED, "budget")


async def test_a_limit_that_is_too_small_is_noticed_before_the_first_call():
    await run(a_brief(max_cost=0.2), panel := Billed({}))
    assert panel.asks == []


async def test_without_a_limit_no_answer_is_shortened():
    await run(a_brief(), panel := Billed({}))
    assert all(a.max_tokens is None for a in panel.asks)


def quoted(prices=None, **more):
    brief = a_brief("ada", "bob", "cyd", "dee", **more)
    opened = opening(Opened(seq=1, at=START, brief=brief))
    return quote(opened, modes(TOPOLOGIES)["reflection"], Library(), prices or Tariff())


def test_a_quote_counts_the_calls_of_every_procedure():
    assert quoted().calls == 9
    assert quoted(rounds=3).calls == 17
    assert quoted(rounds="auto").calls == 17
    assert quoted(topology="star").calls == 10
    assert quoted(judge=seat("eve"), ground_truth="tabs").calls == 10
    assert quoted(judge=seat("eve"), ground_truth="tabs", score="all").calls == 18


def test_a_quote_says_what_it_cannot_price():
    unknown = quoted(Tariff(known=False))
    assert unknown.cost_usd is None
    assert unknown.unpriced == ["ada", "bob", "cyd", "dee"]
    assert quoted().cost_usd == pytest.approx(
        (quoted().input_tokens + 2 * quoted().output_tokens) / 1000
    )
