"""A debate that was stopped goes on where its record ends, and buys nothing twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from fakes.calls import a_router, an_endpoint
from fakes.ledgers import unread
from fakes.vendor import FakeVendor
from fakes.world import Ledger, Tariff, a_brief, run, seat
from mutual_dissent import MutualDissent
from mutual_dissent.core.errors import BadInput, DissentError
from mutual_dissent.core.events import Answered, Reopened, Status
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.core.tool import Tool
from mutual_dissent.core.transcript import fold
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.providers.responses import blank, failure
from mutual_dissent.providers.scripted import Scripted

SEATS = ("ada", "bob", "cyd", "dee")


def talkative(ask):
    """An answer that depends on everything that was asked, so that any difference shows."""
    return f"{ask.panelist.seat} on {ask.key}: {ask.request_hash}"


def cast():
    return Scripted(dict.fromkeys(SEATS, talkative))


def essence(transcript):
    """What a debate came to, without times and numbers of events."""
    turns = [(r.round_number, r.model_alias, r.content) for r in transcript.turns()]
    return turns, transcript.synthesis and transcript.synthesis.content, transcript.status


@pytest.mark.parametrize("topology", sorted(TOPOLOGIES))
async def test_killed_after_any_event_it_ends_as_if_nothing_had_happened(topology):
    brief = a_brief(*SEATS, topology=topology)
    whole, events, _ = await run(brief, first := cast())
    calls = len(first.asks)
    assert calls == (10 if topology == "star" else 9)
    for k in range(1, len(events)):
        before = events[:k]
        bought = {e.key for e in before if isinstance(e, Answered)}
        resumed, _, _ = await run(brief, again := cast(), events=before)
        assert essence(resumed) == essence(whole), f"killed after event {k}"
        assert not bought & {a.key for a in again.asks}, f"killed after event {k}"
        assert len(bought) + len(again.asks) == calls


async def test_calls_in_flight_when_it_was_killed_are_counted():
    _, events, _ = await run(a_brief(*SEATS), cast())
    sent = next(i for i, e in enumerate(events) if isinstance(e, Answered))
    resumed, _, _ = await run(a_brief(*SEATS), cast(), events=events[:sent])
    assert resumed.bought_twice == 4


async def test_calls_that_waited_for_their_turn_were_not_bought_and_are_not_counted():
    brief = a_brief(*SEATS)
    async with FakeVendor() as vendor:
        vendor.always("hang")
        endpoint = an_endpoint(vendor.base_url(), vendor="given", concurrency=1)
        async with a_router(endpoint) as router:
            events = await given_up(brief, router, vendor.heard)
        assert len(vendor.arrivals) == 1
    resumed, _, _ = await run(brief, cast(), events=events)
    assert (resumed.status, resumed.bought_twice) == (Status.COMPLETED, 1)


async def test_who_looked_something_up_when_it_was_given_up_has_no_call_to_be_bought_twice():
    brief = a_brief(*SEATS, tools=True)
    shelf = Shelf()
    events = await given_up(brief, Scripted(dict.fromkeys(SEATS, curious)), shelf.busy, shelf)
    resumed, _, _ = await run(brief, Scripted(dict.fromkeys(SEATS, curious)), events=events)
    assert (resumed.status, resumed.bought_twice) == (Status.COMPLETED, 0)


class Shelf:
    """A tool that never finds what it looks for; `busy` once everybody is waiting for it."""

    def __init__(self):
        self.busy, self.readers = asyncio.Event(), 0

    def available(self):
        return (Tool(name="web_search", description="Search.", parameters={"type": "object"}),)

    async def use(self, name, arguments):
        self.readers += 1
        if self.readers == len(SEATS):
            self.busy.set()
        await asyncio.Event().wait()


def curious(ask):
    """Looks something up before it answers, where it can."""
    if ask.tools and not ask.exchanges:
        call = {"id": "c1", "name": "web_search", "arguments": {"query": "tabs"}}
        return replace(blank(ask), content="", tool_calls=(call,))
    return talkative(ask)


async def given_up(brief, provider, when, tools=None):
    """The record of a debate that was cancelled at that moment."""
    journal = Ledger()
    task = asyncio.create_task(run(brief, provider, journal=journal, tools=tools))
    await when.wait()
    task.cancel()
    await asyncio.wait([task])
    assert journal.events[-1].kind == "closed"
    return journal.events


async def test_what_failed_last_is_tried_again_and_only_that():
    overloaded = dict.fromkeys(SEATS[1:], lambda a: failure(a, ErrorKind.OVERLOADED, "x"))
    down = Scripted({"ada": talkative, **overloaded})
    stopped, events, _ = await run(a_brief(*SEATS), down)
    assert stopped.closed_reason == "quorum"
    resumed, _, _ = await run(a_brief(*SEATS), again := cast(), events=events)
    assert resumed.status is Status.COMPLETED
    assert "0/initial/ada" not in {a.key for a in again.asks}
    assert {"0/initial/bob", "0/initial/cyd", "0/initial/dee"} <= {a.key for a in again.asks}


async def test_after_a_failed_synthesis_only_the_synthesis_is_missing():
    zoe = seat("zoe")
    brief = a_brief(*SEATS, synthesizer=zoe)
    broken = Scripted({**dict.fromkeys(SEATS, talkative),
                       "zoe": lambda a: failure(a, ErrorKind.TIMEOUT, "late")})  # fmt: skip
    stopped, events, _ = await run(brief, broken)
    assert stopped.closed_reason == "synthesis"
    fixed = Scripted({**dict.fromkeys(SEATS, talkative), "zoe": ["done"]})
    resumed, _, _ = await run(brief, fixed, events=events)
    assert [a.key for a in fixed.asks] == ["-1/synthesis/zoe"]
    assert resumed.synthesis.content == "done"


async def test_a_refusal_was_paid_for_and_is_not_bought_again():
    refusing = {**dict.fromkeys(SEATS, talkative),
                "bob": lambda a: failure(a, ErrorKind.REFUSED, "no")}  # fmt: skip
    _, events, _ = await run(a_brief(*SEATS), Scripted(refusing))
    last = max(e.seq for e in events if isinstance(e, Answered) and e.response.round_number == 0)
    _, _, _ = await run(a_brief(*SEATS), again := cast(), events=events[:last])
    assert "0/initial/bob" not in {a.key for a in again.asks}


async def test_a_replay_reuses_every_answer_and_pays_only_for_the_new_synthesis():
    past, _, _ = await run(a_brief(*SEATS), cast())
    borrowed = {k: r for k, r in past.responses() if r.role != "synthesis"}
    brief = a_brief(*SEATS, synthesizer=seat("zoe"), replay_of=past.transcript_id)
    zoe = Scripted({"zoe": ["a fresh look"]})
    replayed, events, _ = await run(brief, zoe, borrowed=borrowed)
    assert replayed.synthesis.content == "a fresh look"
    assert [a.key for a in zoe.asks] == ["-1/synthesis/zoe"]
    assert replayed.reused == set(borrowed)
    assert fold(events).rounds == replayed.rounds


async def test_a_replay_with_further_rounds_asks_only_for_those():
    past, _, _ = await run(a_brief(*SEATS), cast())
    borrowed = {k: r for k, r in past.responses() if r.role != "synthesis"}
    replayed, _, _ = await run(a_brief(*SEATS, rounds=2), again := cast(), borrowed=borrowed)
    assert [r.round_number for r in replayed.rounds] == [0, 1, 2]
    assert {a.round_number for a in again.asks} == {2, -1}


async def test_a_star_replayed_by_another_synthesizer_keeps_the_digests_it_has():
    brief = a_brief(*SEATS, topology="star")
    past, _, _ = await run(brief, cast())
    borrowed = {k: r for k, r in past.responses() if r.role != "synthesis"}
    zoe = Scripted({"zoe": ["a fresh look"]})
    await run(replace(brief, synthesizer=seat("zoe")), zoe, borrowed=borrowed)
    assert [a.key for a in zoe.asks] == ["-1/synthesis/zoe"]


async def test_reopening_lets_a_changed_limit_hold():
    _, events, _ = await run(a_brief(*SEATS, max_cost=0.1), cast())
    stopped = fold(events)
    assert (stopped.status, stopped.closed_reason) == (Status.STOPPED, "budget")
    richer = Reopened(seq=len(events) + 1, at=events[-1].at, reason="resumed",
                      brief=a_brief(*SEATS, max_cost=100.0))  # fmt: skip
    resumed = fold([*events, richer])
    assert resumed.brief.max_cost == 100.0
    assert resumed.status is Status.ACTIVE


async def test_the_same_brief_is_not_held_twice_and_the_reason_is_true(own_home):
    panel = Scripted(dict.fromkeys(SEATS, talkative))
    async with MutualDissent(home=unread(own_home), env={}, provider=panel, prices=Tariff()) as md:
        brief = await md.brief("Tabs?", panel=list(SEATS))
        async for _ in md.run(brief):
            with pytest.raises(DissentError, match=r"this very process|held already"):
                _ = [e async for e in md.run(brief)]
        asked = len(panel.asks)
        with pytest.raises(BadInput, match="was held already; resume it, or make a new brief"):
            _ = [e async for e in md.run(brief)]
        assert len(panel.asks) == asked
