"""Every fault of a vendor at every stage of a debate, as a stream and as one body (R1 to R17)."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

from fakes.ledgers import unread
from fakes.patience import LONG, not_for_ever
from fakes.vendor import FakeVendor
from mutual_dissent import MutualDissent
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.http.limits import Bounds
from mutual_dissent.providers.router import Router
from mutual_dissent.stream import collect_transcript

SEATS = ["m0", "m1", "m2"]
VICTIM = "zoe"
PANEL = [*SEATS, VICTIM]
STAGES = ("initial", "reflection", "synthesis")
every_stage = pytest.mark.parametrize("stage", STAGES)
in_both_forms = pytest.mark.parametrize("whole", [False, True], ids=["stream", "whole"])


@pytest.fixture(autouse=True)
def nobody_reads(own_home):
    """The stages are those of the debate itself."""
    unread(own_home)


def endpoint(vendor: str, base_url: str, **more) -> Endpoint:
    key = Key("canary-key-0123456789", "FAKE_API_KEY")
    return Endpoint(
        vendor=vendor, dialect="openai-chat", base_url=base_url, key=key, key_env="FAKE_API_KEY",
        **more,
    )  # fmt: skip


@asynccontextmanager
async def meeting(vendor: FakeVendor, **more):
    """An app whose vendors are fake."""
    bounds = Bounds(**{"backoff": 0.01, **more})
    router = Router({"given": endpoint("given", vendor.base_url())}, bounds=bounds)
    async with router, MutualDissent(provider=router) as md:
        yield md


def fail_at(vendor: FakeVendor, stage: str, fault: str, times: int = 3, **more) -> None:
    """The victim answers up to a stage, and there it does not; the synthesis is its own."""
    vendor.then(model=VICTIM, times=STAGES.index(stage))
    vendor.then(fault, model=VICTIM, times=times, **more)


def victims_answer(transcript, stage: str):
    if stage == "synthesis":
        return (
            transcript.failed_syntheses[0] if transcript.failed_syntheses else transcript.synthesis
        )
    return transcript.rounds[STAGES.index(stage)].responses[3]


def calls(vendor: FakeVendor, stage: str) -> int:
    """How often the victim was called at a stage."""
    return sum(a.model == VICTIM for a in vendor.arrivals) - STAGES.index(stage)


# fault: (kind, how it finished, most calls)
MORE = {
    "malformed": (None, Finish.INCOMPLETE, 2),
    "error_event": (ErrorKind.RATE_LIMIT, None, 3),
    "no_finish": (None, Finish.INCOMPLETE, 2),
    "stall": (ErrorKind.TIMEOUT, Finish.INCOMPLETE, 2),
    "hang_body": (ErrorKind.TIMEOUT, None, 2),
    "gzip_bomb": (ErrorKind.BAD_RESPONSE, Finish.FAILED, 1),
    "lying_gzip": (ErrorKind.BAD_RESPONSE, Finish.FAILED, 1),
    "empty_body": (ErrorKind.BAD_RESPONSE, Finish.FAILED, 1),
    "tool": (None, Finish.EMPTY, 1),
    "reasoning": (None, Finish.EMPTY, 1),
    "redirect": (ErrorKind.BAD_RESPONSE, Finish.FAILED, 1),
}
SILENT, SHORT = ("stall", "hang_body"), {"idle": 0.6, "first_byte": 0.6}
ONLY_STREAMS = ("malformed", "error_event", "no_finish", "stall")
FORMS = [(f, w) for f in MORE for w in (False, True) if not (w and f in ONLY_STREAMS)]


@every_stage
@pytest.mark.parametrize(("fault", "whole"), FORMS)
async def test_the_debate_goes_on_at_every_stage(fault, whole, stage):
    kind, finish, most = MORE[fault]
    async with FakeVendor(whole=whole) as vendor:
        fail_at(vendor, stage, fault, text="Half a thought", to="http://127.0.0.1:9")
        async with meeting(vendor, **SHORT if fault in SILENT else {}) as md:
            done = await md.debate("q", panel=PANEL, synthesizer=VICTIM, call_timeout=60)
    answer = victims_answer(done, stage)
    assert not answer.usable
    assert kind is None or answer.error_kind is kind, answer.error
    assert finish is None or answer.finish is finish
    healthy = [r for r in done.turns() if r.model_alias != VICTIM]
    assert len(healthy) == 6
    assert all(r.usable for r in healthy)
    assert done.status is Status.COMPLETED
    assert len(answer.attempts) + 1 <= most
    assert not any("Half" in a.prompt for a in vendor.arrivals)


@in_both_forms
@every_stage
async def test_a_wait_that_is_asked_for_is_kept_at_every_stage(stage, whole):
    async with FakeVendor(whole=whole) as vendor:
        fail_at(vendor, stage, "429", times=1, retry_after=1)
        async with meeting(vendor) as md:
            done = await md.debate("q", panel=PANEL, synthesizer=VICTIM)
        at = [a.at for a in vendor.arrivals if a.model == VICTIM][STAGES.index(stage) :][:2]
    assert done.absent == ()
    assert at[1] - at[0] >= 1.0
    assert calls(vendor, stage) == 2 + (2 - STAGES.index(stage)), "once more, and then as usual"


@in_both_forms
@every_stage
@pytest.mark.parametrize("fault", ["hang", "slowloris"])
async def test_a_call_costs_its_deadline_and_is_not_waited_for(fault, stage, whole):
    async with FakeVendor(whole=whole) as vendor:
        fail_at(vendor, stage, fault, text="many words " * 500)
        async with meeting(vendor) as md, not_for_ever(40):
            done = await md.debate("q", panel=PANEL, synthesizer=VICTIM, call_timeout=1)
    assert victims_answer(done, stage).error_kind is ErrorKind.TIMEOUT
    assert done.status is Status.COMPLETED


@every_stage
async def test_a_debate_costs_its_deadline_and_what_it_lacks_can_be_had(stage):
    async with FakeVendor() as vendor:
        fail_at(vendor, stage, "hang")
        async with meeting(vendor) as md:
            async with not_for_ever(50):
                done = await md.debate("q", panel=PANEL, synthesizer=VICTIM, timeout=5)
            assert done.status is Status.COMPLETED
            assert done.synthesis.model_alias != VICTIM
            before = len(vendor.arrivals)
            vendor.script({})
            lacks = stage != "synthesis"  # another one has written the answer
            resumed = await collect_transcript(
                md.resume(done.transcript_id, timeout=LONG, late=lacks)
            )
        bought = len(vendor.arrivals) - before
    assert resumed.status is Status.COMPLETED
    assert not resumed.absent
    assert bought == {"initial": 6, "reflection": 2, "synthesis": 0}[stage]


@in_both_forms
@every_stage
async def test_a_flood_is_cut_at_every_stage(stage, whole):
    usage = {"in": 10_000_000, "out": -5}
    async with FakeVendor(whole=whole) as vendor:
        fail_at(vendor, stage, "big", times=1, usage=usage)
        async with meeting(vendor) as md:
            done = await md.debate("q", panel=PANEL, synthesizer=VICTIM, save=False)
    answer = victims_answer(done, stage)
    assert answer.finish is Finish.TRUNCATED
    assert 1_000_000 < len(answer.content) <= 2_000_000
    assert answer.output_tokens is None or answer.output_tokens >= 0
    assert done.status is Status.COMPLETED
    assert max(len(a.prompt) for a in vendor.arrivals) < 200_000


@in_both_forms
@every_stage
async def test_another_model_is_said_or_refused_at_every_stage(stage, whole):
    async with FakeVendor(whole=whole) as vendor:
        for _ in range(2):
            fail_at(vendor, stage, "wrong_model", times=1)
            vendor.then(model=VICTIM, times=2 - STAGES.index(stage))
        async with meeting(vendor) as md:
            lenient = await md.debate("q", panel=PANEL, synthesizer=VICTIM)
            strict = await md.debate("q", panel=PANEL, synthesizer=VICTIM, strict_model=True)
    answer = victims_answer(lenient, stage)
    assert answer.usable
    assert answer.served_by_another
    assert any(n.code == "served_by" and n.seat == VICTIM for n in lenient.notes)
    assert not victims_answer(strict, stage).usable
    assert strict.status is Status.COMPLETED


@in_both_forms
@every_stage
@pytest.mark.parametrize(("fault", "reason"), [("401", None), ("402", "credits")])
async def test_what_was_paid_for_is_kept_when_key_or_credits_end(fault, reason, stage, whole):
    async with FakeVendor(whole=whole) as vendor:
        fail_at(vendor, stage, fault, times=1)
        async with meeting(vendor) as md:
            done = await md.debate("q", panel=PANEL, synthesizer=VICTIM)
        answered = sum(r.usable for _, r in done.responses())
        refused = victims_answer(done, stage)
        after = [a for a in vendor.arrivals if a.turn.fault == fault]
    assert len(after) == 1, "neither is tried again"
    assert answered == len(vendor.arrivals) - 1, "every answer that was paid for is kept"
    # With a key that has answered others, a 401 is that model's.
    kinds = {ErrorKind.CREDITS} if reason else {ErrorKind.AUTH, ErrorKind.FORBIDDEN}
    assert refused.error_kind in kinds
    assert "canary" not in repr(done)
    assert done.status is Status.COMPLETED, "the others are not stopped by it"
    if refused.error_kind is ErrorKind.AUTH:
        assert "FAKE_API_KEY" in refused.error


@pytest.mark.parametrize("way", ["closed port", "unknown host", "no TLS"])
async def test_who_cannot_be_reached_is_named_and_the_rest_goes_on(way):
    """It fails as a panelist and as the synthesizer; who was there before fails by `reset`."""
    async with FakeVendor() as vendor, FakeVendor() as plain:
        away = {
            "closed port": "http://127.0.0.1:9/v1",
            "unknown host": "http://nowhere.invalid/v1",
            "no TLS": plain.url.replace("http:", "https:"),
        }[way]
        config = {"fake": endpoint("fake", vendor.base_url()), "away": endpoint("away", away)}
        seats = [f"fake:{s}" for s in SEATS] + ["away:zoe"]
        async with MutualDissent() as md:
            md._router = Router(config, bounds=Bounds(backoff=0.01))
            md.settings.vendors.update(config)
            done = await md.debate("q", panel=seats, synthesizer="away:zoe", save=False)
    assert done.status is Status.COMPLETED
    assert [r.model_alias for r in done.absent] == ["away:zoe"]
    assert done.absent[0].error_kind is ErrorKind.CONNECTION
    assert len(done.absent[0].attempts) == 2
    assert done.synthesis.model_alias == "fake:m0"


# -- panels of every size, and no answer at all ---------------------------------------------------


async def test_one_model_under_many_names_keeps_to_its_limit_and_its_seats():
    async with FakeVendor() as vendor:
        vendor.always(delay=0.01)
        limited = endpoint("given", vendor.base_url(), concurrency=3)
        async with Router({"given": limited}) as router, MutualDissent(provider=router) as md:
            done = await md.debate("q", panel=["m"] * 16, synthesizer="m", save=False)
            for size in (0, 1, 17, 40):
                with pytest.raises(Exception, match=f"not {size}"):
                    await md.debate("q", panel=["m"] * size, synthesizer="m")
        assert vendor.most_in_flight <= 3
        assert len(vendor.arrivals) == 33
    seats = [p.seat for p in done.panelists]
    assert seats == ["m", *(f"m#{n}" for n in range(2, 17))]
    assert done.absent == ()


@in_both_forms
@pytest.mark.parametrize("fault", ["500", "empty", "refusal", "midcut", "html", "401"])
async def test_if_everybody_fails_nothing_is_invented_and_the_missing_can_be_had(fault, whole):
    async with FakeVendor(whole=whole) as vendor:
        vendor.always(fault)
        async with meeting(vendor) as md:
            done = await md.debate("q", panel=PANEL, synthesizer="m0", call_timeout=60)
            assert (done.status, done.synthesis) == (Status.ERROR, None)
            assert done.closed_reason == "quorum"
            assert len(done.absent) == 4
            vendor.always()
            if fault in ("500", "midcut", "html"):
                before = len(vendor.arrivals)
                resumed = await collect_transcript(md.resume(done.transcript_id))
                assert resumed.status is Status.COMPLETED
                assert len(vendor.arrivals) - before == 4 + 4 + 1


async def test_others_are_not_held_up_by_a_panelist_that_waits():
    async with FakeVendor() as vendor:
        vendor.then("429", model=VICTIM, retry_after=1)
        async with meeting(vendor) as md:
            told = [
                event.seat
                async for event in md.stream("q", panel=PANEL, synthesizer="m0", save=False)
                if event.kind == "answered"
            ]
    assert sorted(told[:3]) == SEATS
    assert told[3] == VICTIM
