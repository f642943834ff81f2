"""One panelist's vendor breaks in every known way, at every stage of a real debate."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

from fakes.ledgers import unread
from fakes.patience import not_for_ever
from fakes.vendor import FakeVendor
from mutual_dissent import MutualDissent
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.http.limits import Bounds
from mutual_dissent.providers.router import Router
from mutual_dissent.stream import collect_transcript

SEATS = ["m0", "m1", "m2", "m3"]
VICTIM = "m3"
STAGES = {"initial": 0, "reflection": 1}

BROKEN = {
    # fault: (kind of error, most calls that it may cost)
    "429": (ErrorKind.RATE_LIMIT, 3),
    "500": (ErrorKind.OVERLOADED, 3),
    "502": (ErrorKind.OVERLOADED, 3),
    "503": (ErrorKind.OVERLOADED, 3),
    "529": (ErrorKind.OVERLOADED, 3),
    "400": (ErrorKind.BAD_REQUEST, 1),
    "404": (ErrorKind.UNKNOWN_MODEL, 1),
    "422": (ErrorKind.BAD_REQUEST, 1),
    "reset": (ErrorKind.CONNECTION, 3),
    "hang": (ErrorKind.TIMEOUT, 3),
    "midcut": (None, 3),
    "truncate": (None, 3),
    "badjson": (ErrorKind.BAD_RESPONSE, 3),
    "html": (ErrorKind.BAD_RESPONSE, 3),
    "lying_br": (ErrorKind.BAD_RESPONSE, 3),
    "empty": (None, 1),
    "null": (None, 1),
    "refusal": (ErrorKind.REFUSED, 1),
    "filter": (ErrorKind.FILTERED, 1),
    "error200": (ErrorKind.RATE_LIMIT, 3),
}


def patience(fault):
    """Short where silence is the fault: a healthy answer may come late on a busy machine."""
    return {"first_byte": 0.6} if fault == "hang" else {}


@pytest.fixture(autouse=True)
def nobody_reads(own_home):
    """The stages are those of the debate itself."""
    unread(own_home)


@asynccontextmanager
async def panel(vendor, dialect="openai-chat", **more):
    """An app whose only vendor is the fake one."""
    endpoint = Endpoint(
        vendor="given",
        dialect=dialect,
        base_url=vendor.base_url(dialect),
        key=Key("canary-key-0123456789", "FAKE_API_KEY"),
        key_env="FAKE_API_KEY",
    )
    bounds = Bounds(**{"backoff": 0.01, **more})
    async with (
        Router({"given": endpoint}, bounds=bounds) as router,
        MutualDissent(provider=router) as md,
    ):
        yield md


@pytest.mark.parametrize("whole", [False, True], ids=["stream", "whole"])
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("fault", BROKEN)
async def test_the_debate_goes_on_without_a_broken_panelist(fault, stage, whole):
    kind, most = BROKEN[fault]
    async with FakeVendor(whole=whole) as vendor:
        vendor.then(model=VICTIM, times=STAGES[stage])
        vendor.then(fault, model=VICTIM, times=3)
        async with panel(vendor, **patience(fault)) as md:
            transcript = await md.debate("q", panel=SEATS, synthesizer="m0", call_timeout=60)
        calls = [a for a in vendor.arrivals if a.model == VICTIM]
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis is not None
    healthy = [r for r in transcript.turns() if r.model_alias != VICTIM]
    assert len(healthy) == 6
    assert all(r.usable for r in healthy)
    [absent] = transcript.absent
    assert absent.model_alias == VICTIM
    assert absent.round_number == STAGES[stage]
    assert kind is None or absent.error_kind is kind, absent.error
    assert len(calls) - STAGES[stage] <= most
    assert len(absent.attempts) + 1 == len(calls) - STAGES[stage]
    told = [a.prompt for a in vendor.arrivals]
    assert not any("told to fail" in text for text in told)
    assert "canary" not in repr(transcript)


@pytest.mark.parametrize("whole", [False, True], ids=["stream", "whole"])
@pytest.mark.parametrize("fault", BROKEN)
async def test_a_broken_synthesizer_is_replaced(fault, whole):
    async with FakeVendor(whole=whole) as vendor:
        vendor.then(fault, model="zoe", times=3)
        async with panel(vendor, **patience(fault)) as md:
            transcript = await md.debate("q", panel=SEATS, synthesizer="zoe", call_timeout=60)
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis.model_alias == "m0"
    assert [r.model_alias for r in transcript.failed_syntheses] == ["zoe"]


@pytest.mark.parametrize("fault", ["429", "500", "503", "reset", "midcut", "truncate"])
async def test_a_passing_fault_costs_a_retry_and_nobody_else_waits(fault):
    async with FakeVendor() as vendor:
        vendor.then(fault, model=VICTIM)
        async with panel(vendor) as md:
            transcript = await md.debate("q", panel=SEATS, synthesizer="m0")
        calls = [a for a in vendor.arrivals if a.model == VICTIM]
    assert transcript.absent == ()
    assert len(calls) == 3
    assert len(transcript.rounds[0].responses[3].attempts) == 1


async def test_a_revoked_key_stops_every_later_call_of_it_and_keeps_what_was_paid():
    async with FakeVendor() as vendor:
        for seat in SEATS:
            vendor.then(model=seat)
        vendor.always("401", delay=0.02)
        async with panel(vendor) as md:
            transcript = await md.debate("q", panel=SEATS, synthesizer="m0")
        arrived = len(vendor.arrivals)
    assert (transcript.status, transcript.closed_reason) == (Status.ERROR, "quorum")
    assert arrived == 8, "the synthesis was not tried with a key that was refused"
    assert len(transcript.rounds[0].usable) == 4
    assert "FAKE_API_KEY" in transcript.rounds[1].responses[0].error


async def test_without_credits_the_debate_stops_and_can_be_resumed(tmp_path):
    async with FakeVendor() as vendor:
        for seat in SEATS[1:]:
            vendor.then(model=seat).then("402", model=seat)
        async with panel(vendor) as md:
            stopped = await md.debate("q", panel=SEATS, synthesizer="m0")
            assert (stopped.status, stopped.closed_reason) == (Status.STOPPED, "credits")
            before = len(vendor.arrivals)
            resumed = await collect_transcript(md.resume(stopped.transcript_id))
        bought = len(vendor.arrivals) - before
    assert resumed.status is Status.COMPLETED
    assert bought == 4, "the three calls that failed, and the synthesis"


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("fault", ["401", "402", "403"])
async def test_what_one_model_is_refused_stops_nobody_else(fault, stage):
    """The same key answers for the others: it is that model's key, plan or credit."""
    async with FakeVendor() as vendor:
        for seat in SEATS:
            vendor.then(model=seat)
        vendor.models[VICTIM].clear()
        if STAGES[stage]:
            vendor.then(model=VICTIM)
        vendor.then(fault, model=VICTIM, times=3, delay=0.1)
        async with panel(vendor) as md:
            transcript = await md.debate("q", panel=SEATS, synthesizer="m0")
    assert transcript.status is Status.COMPLETED
    assert [r.model_alias for r in transcript.absent] == [VICTIM]
    assert [len(r.usable) for r in transcript.rounds] == ([4, 3] if STAGES[stage] else [3, 3])


@pytest.mark.parametrize("fault", ["401", "402", "503", "hang"])
async def test_a_vendor_that_recovers_is_asked_again_and_nothing_is_bought_twice(fault):
    async with FakeVendor() as vendor:
        vendor.always(fault)
        vendor.then(model="m0")
        async with panel(vendor, **patience(fault)) as md:
            stopped = await md.debate("q", panel=SEATS, synthesizer="m0", call_timeout=8)
            assert stopped.status in (Status.STOPPED, Status.ERROR)
            vendor.always()
            before = len(vendor.arrivals)
            resumed = await collect_transcript(md.resume(stopped.transcript_id))
        bought = [a.model for a in vendor.arrivals[before:]]
    assert resumed.status is Status.COMPLETED
    assert len(resumed.rounds[0].usable) == 4
    assert len(bought) == 8, "three answers, four reflections, the synthesis"


async def test_a_straggler_is_left_behind_once_the_quorum_stands():
    async with FakeVendor() as vendor:
        vendor.then("hang", model=VICTIM)
        async with panel(vendor) as md, not_for_ever(30):
            transcript = await md.debate("q", panel=SEATS, synthesizer="m0", grace=0.2)
    assert transcript.status is Status.COMPLETED
    assert [(r.model_alias, r.finish) for r in transcript.absent] == [(VICTIM, Finish.LATE)]


@pytest.mark.parametrize("fault", ["hang", "hang_body", "stall", "slowloris"])
async def test_a_straggler_does_not_eat_the_time_for_the_answer(fault):
    async with FakeVendor() as vendor:
        vendor.then(fault, model=VICTIM, text="word " * 400)
        async with panel(vendor) as md, not_for_ever(30):
            transcript = await md.debate("q", panel=SEATS, synthesizer="m0", timeout=6)
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis is not None
    assert [r.model_alias for r in transcript.absent] == [VICTIM]


async def test_a_hung_panelist_costs_its_deadline_and_no_more():
    async with FakeVendor() as vendor:
        vendor.then("hang", model=VICTIM, times=3)
        async with panel(vendor) as md, not_for_ever(30):
            transcript = await md.debate("q", panel=SEATS, synthesizer="m0", call_timeout=1)
    assert transcript.absent[0].error_kind is ErrorKind.TIMEOUT
    assert len([a for a in vendor.arrivals if a.model == VICTIM]) == 1


async def test_a_flood_is_cut_and_marked_and_the_others_are_told():
    async with FakeVendor() as vendor:
        vendor.then("big", model=VICTIM)
        async with panel(vendor) as md:
            transcript = await md.debate("q", panel=SEATS, synthesizer="m0")
        largest = max(len(a.prompt) for a in vendor.arrivals)
    flood = transcript.rounds[0].responses[3]
    assert flood.finish is Finish.TRUNCATED
    assert len(flood.content) <= 2_000_000
    assert largest < 200_000
    assert {"cut", "truncated"} <= {n.code for n in transcript.notes}


async def test_another_model_than_asked_for_is_shown_or_refused():
    async with FakeVendor() as vendor:
        vendor.then("wrong_model", model=VICTIM, times=4)
        async with panel(vendor) as md:
            lenient = await md.debate("q", panel=SEATS, synthesizer="m0")
            strict = await md.debate("q", panel=SEATS, synthesizer="m0", strict_model=True)
    assert lenient.absent == ()
    assert any(n.code == "served_by" and n.seat == VICTIM for n in lenient.notes)
    assert [r.model_alias for r in strict.absent] == [VICTIM]


@pytest.mark.parametrize("dialect", ["openai-chat", "openai-responses", "anthropic", "google"])
async def test_a_whole_debate_on_each_dialect(dialect):
    async with FakeVendor() as vendor:
        async with panel(vendor, dialect) as md:
            transcript = await md.debate("q", panel=SEATS, synthesizer="m0", rounds=2)
        assert {a.dialect for a in vendor.arrivals} == {dialect}
        assert len(vendor.arrivals) == 13
    assert transcript.status is Status.COMPLETED
    assert all(r.input_tokens and r.output_tokens for r in transcript.turns())
