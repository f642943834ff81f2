"""Time and money are budgets: the answer is written from what is there before they end."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from fakes.ledgers import unread
from fakes.world import Tariff, a_brief, run, seat
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.providers.responses import blank, failure
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.views.heading import heading

CAST = ["ada", "bob", "cyd"]


class Slow(Scripted):
    """Everybody answers at once but cyd, who says nothing until its time is over or it is let."""

    def __init__(self) -> None:
        super().__init__({})
        self.let, self.given_up, self.waiting = asyncio.Event(), 0, asyncio.Event()

    async def ask(self, ask, on_text):
        self.asks.append(ask)
        if ask.panelist.seat == "cyd":
            self.waiting.set()
            try:
                async with asyncio.timeout(ask.timeout):
                    await self.let.wait()
            except TimeoutError:
                return failure(ask, ErrorKind.TIMEOUT, "no answer")
            except asyncio.CancelledError:
                self.given_up += 1
                raise
        return replace(blank(ask), content=f"{ask.panelist.seat} says {ask.role}")


async def test_a_panelist_that_hangs_leaves_the_time_for_the_answer():
    begun = time.monotonic()
    transcript, _, _ = await run(a_brief(timeout=1.2), slow := Slow())
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis.content == "ada says synthesis"
    assert time.monotonic() - begun < 1.2
    assert [r.finish for r in transcript.absent] == [Finish.LATE]
    assert any("no further round was held" in n.text for n in transcript.notes)
    assert {a.role for a in slow.asks} == {"initial", "synthesis"}


async def test_who_was_given_up_is_not_the_first_to_be_asked_for_the_answer():
    cyd, bob = seat("cyd"), seat("bob")
    brief = a_brief(synthesizer=cyd, fallbacks=(seat("ada"), bob), timeout=1.2)
    transcript, _, _ = await run(brief, slow := Slow())
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis.content == "ada says synthesis"
    assert [a.panelist.seat for a in slow.asks if a.role == "synthesis"] == ["ada"]


async def test_after_a_grace_period_the_straggler_does_not_write_the_answer_either():
    brief = a_brief(synthesizer=seat("cyd"), fallbacks=(seat("ada"),), grace=0.05)
    transcript, _, _ = await run(replace(brief, follow_up=True), slow := Slow())
    assert transcript.synthesis.model_alias == "ada"
    assert [a.role for a in slow.asks if a.panelist.seat == "cyd"] == ["initial"]


async def test_who_alone_can_write_the_answer_is_asked_even_if_it_dropped_out():
    brief = a_brief(synthesizer=seat("cyd"), grace=0.05, call_timeout=0.2)
    transcript, _, _ = await run(brief, slow := Slow())
    assert [a.panelist.seat for a in slow.asks if a.role == "synthesis"] == ["cyd"]
    assert transcript.closed_reason == "synthesis"


async def test_a_synthesizer_that_hangs_leaves_time_for_the_next_one():
    brief = a_brief("ada", "bob", synthesizer=seat("cyd"), fallbacks=(seat("ada"),), timeout=1.2)
    transcript, _, _ = await run(brief, Slow())
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis.model_alias == "ada"
    (failed,) = transcript.failed_syntheses
    assert "share of the time that the debate had left" in failed.error


class Writing(Slow):
    """Cyd begins to write at once and takes most of the time for it."""

    async def ask(self, ask, on_text):
        if ask.panelist.seat == "cyd":
            on_text("Spaces, ")
            asyncio.get_running_loop().call_later(0.8, self.let.set)
        return await super().ask(ask, on_text)


async def test_a_synthesizer_that_is_writing_has_all_the_time_that_is_left():
    brief = a_brief("ada", "bob", synthesizer=seat("cyd"), fallbacks=(seat("ada"),), timeout=1.2)
    transcript, _, _ = await run(brief, Writing())
    assert transcript.synthesis.content == "cyd says synthesis"


async def test_where_too_few_answered_in_time_nothing_is_invented():
    transcript, _, _ = await run(a_brief("ada", "cyd", timeout=0.5), Slow())
    assert (transcript.status, transcript.closed_reason) == (Status.STOPPED, "timeout")
    assert transcript.synthesis is None


async def test_with_grace_the_debate_goes_on_without_stragglers_and_says_so():
    transcript, _, _ = await run(a_brief(grace=0.05), slow := Slow())
    assert transcript.status is Status.COMPLETED
    assert slow.given_up == 1
    (late,) = transcript.absent
    assert (late.model_alias, late.finish) == ("cyd", Finish.LATE)
    assert "cyd was not waited for" in heading(transcript)
    assert "failed" not in heading(transcript)
    assert [len(r.usable) for r in transcript.rounds] == [2, 2]


async def test_below_the_quorum_grace_does_not_begin():
    brief = a_brief("ada", "cyd", grace=0.05, call_timeout=0.4)
    transcript, _, _ = await run(brief, slow := Slow())
    assert slow.given_up == 0
    assert transcript.closed_reason == "quorum"


async def test_whoever_was_not_waited_for_is_taken_in_later_and_only_that_is_bought(tmp_path):
    slow = Slow()
    async with MutualDissent(home=unread(tmp_path / "h"), env={}, provider=slow) as md:
        first = await md.debate("Tabs or spaces?", panel=CAST, grace=0.05)
        asked = len(slow.asks)
        slow.let.set()
        async for _ in md.resume(first.transcript_id, late=True):
            pass
        now = md.store.transcript(first.transcript_id)
        assert now.status is Status.COMPLETED
        assert not now.absent
        assert [len(r.usable) for r in now.rounds] == [3, 3]
        again = [(a.panelist.seat, a.role) for a in slow.asks[asked:]]
        assert again == [
            ("cyd", "initial"),
            ("cyd", "reflection"),
            (now.synthesis.model_alias, "synthesis"),
        ]
        with pytest.raises(BadInput, match="everybody was waited for"):
            async for _ in md.resume(first.transcript_id, late=True):
                pass


async def test_the_user_may_lose_patience_while_a_panelist_is_silent(tmp_path):
    slow = Slow()
    async with MutualDissent(home=unread(tmp_path / "h"), env={}, provider=slow) as md:
        sessions = Sessions(md)
        name = await sessions.start("Tabs or spaces?", panel=CAST)
        await slow.waiting.wait()
        sessions.hurry(name)
        done = await sessions.wait(name, 30)
    assert done.status is Status.COMPLETED
    assert [r.model_alias for r in done.absent] == ["cyd"]


class Narrow(Tariff):
    """Of bob's and zed's models it is known that they take no more than 4,000 tokens."""

    def context_window(self, route):
        return 4_000 if route.model_id.startswith(("bob", "zed")) else None


async def test_a_debate_that_too_few_can_read_is_refused_before_anybody_is_asked(tmp_path):
    cast = Scripted({})
    text = (Attachment(name="report", text="word " * 20_000),)
    world = {"provider": cast, "prices": Narrow()}
    async with MutualDissent(home=unread(tmp_path / "h"), env={}, **world) as md:
        with pytest.raises(BadInput, match=r"28,57\d tokens, and bob takes 4,000"):
            await md.brief("What is in it?", panel=["ada", "bob"], context=text)
        assert await md.brief("What is in it?", panel=["ada", "bob", "cyd"], context=text)
        assert await md.brief("What is in it?", panel=["ada", "bob"])
    assert not cast.asks


class Billed(Scripted):
    """Answers with 500 tokens, or as many as it may, at the tariff's price."""

    async def ask(self, ask, on_text):
        self.asks.append(ask)
        tokens = min(ask.max_tokens or 500, 500)
        price = Tariff().cost(ask.panelist.route, ask.input_estimate, tokens)
        return replace(blank(ask), content="x" * int(tokens * 3.5), cost_usd=price)


async def test_where_the_money_does_not_pay_for_a_round_it_pays_for_the_answer():
    whole, _, _ = await run(a_brief(max_cost=1000.0), Billed({}))
    cost = sum(r.cost_usd for _, r in whole.responses())
    transcript, _, _ = await run(a_brief(max_cost=cost * 0.75), billed := Billed({}))
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis is not None
    assert {a.role for a in billed.asks} == {"initial", "synthesis"}
    (note,) = [n for n in transcript.notes if n.code == "cut_short"]
    assert "no further round was held" in note.text
    assert sum(r.cost_usd for _, r in transcript.responses()) <= cost * 0.75


@pytest.mark.parametrize("mode", ["ranking", "adversarial", "delphi", "consensus", "hybrid"])
@pytest.mark.parametrize("part", [0.3, 0.5, 0.8])
async def test_in_every_mode_money_is_spent_on_an_answer_or_not_at_all(mode, part):
    whole, _, _ = await run(a_brief(mode=mode, rounds=2, max_cost=1000.0), Billed({}))
    limit = part * sum(r.cost_usd for _, r in whole.responses())
    transcript, _, _ = await run(a_brief(mode=mode, rounds=2, max_cost=limit), billed := Billed({}))
    assert transcript.synthesis is not None or not billed.asks
    assert sum(r.cost_usd for _, r in transcript.responses()) <= limit


async def test_a_limit_below_the_least_is_said_before_the_first_call_with_what_it_takes():
    transcript, _, _ = await run(a_brief(max_cost=2.0), billed := Billed({}))
    assert not billed.asks
    assert "they and the final answer take $" in transcript.closed_text
