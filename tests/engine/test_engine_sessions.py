"""A debate under way can be paused, stopped, told something, and continued when it is over."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import pytest

from fakes.ledgers import unread
from fakes.patience import not_for_ever
from fakes.world import Tariff
from mutual_dissent import MutualDissent
from mutual_dissent.core.errors import BadInput, NotRunning
from mutual_dissent.core.events import Answered, Status
from mutual_dissent.core.values.directive import Action
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.stream import collect_transcript

SEATS = ("ada", "bob", "cyd")


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch):
    monkeypatch.setattr("mutual_dissent.engine.directives.EVERY", 0.01)


class Slow(Scripted):
    """Everybody answers when told to go on; `begun` says when the first one is asked."""

    def __init__(self, *, waits: bool = True) -> None:
        super().__init__(dict.fromkeys((*SEATS, "zoe"), lambda a: f"{a.panelist.seat} {a.key}"))
        self.begun, self.go = asyncio.Event(), asyncio.Event()
        if not waits:
            self.go.set()

    async def ask(self, ask, on_text):
        self.begun.set()
        await self.go.wait()
        return await super().ask(ask, on_text)


def app(home, provider):
    return MutualDissent(home=unread(home), env={}, provider=provider, prices=Tariff())


def tell(home, name, action, text=""):
    """Tell it from elsewhere, as another process would."""
    other = app(home, Slow())
    with other.store:
        other.direct(name, action, text)


async def heard(home):
    """Until the debate has taken what it was told, and has had a turn to mind it."""
    with closing(sqlite3.connect(home / "dissent.db")) as db:
        while db.execute("SELECT count(*) FROM directives").fetchone() != (0,):
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)


async def started(md):
    """A debate that is under way, and its id."""
    brief = await md.brief("q", panel=SEATS, synthesizer="ada")
    task = asyncio.create_task(collect_transcript(md.run(brief)))
    await md.provider.begun.wait()
    return task, brief.transcript_id


async def test_a_paused_debate_takes_the_running_answers_and_goes_on_elsewhere(own_home):
    async with app(own_home, cast := Slow()) as md:
        task, name = await started(md)
        with app(own_home, cast).store as other:
            assert other.holder(name)
        tell(own_home, name, Action.PAUSE)
        await heard(own_home)
        cast.go.set()
        paused = await task
        assert (paused.status, paused.closed_reason) == (Status.PAUSED, "paused")
        assert len(paused.rounds[0].usable) == 3
    async with app(own_home, again := Slow(waits=False)) as md:
        whole = await collect_transcript(md.resume(name))
    assert whole.status is Status.COMPLETED
    assert {a.key.split("/")[0] for a in again.asks} == {"1", "-1"}


async def test_a_stopped_debate_ends_at_once_and_can_be_resumed(own_home):
    async with app(own_home, Slow()) as md:
        task, name = await started(md)
        tell(own_home, name, Action.STOP)
        async with not_for_ever():
            stopped = await task
        assert (stopped.status, stopped.closed_reason) == (Status.STOPPED, "stopped")
    async with app(own_home, Slow(waits=False)) as md:
        assert (await collect_transcript(md.resume(name))).status is Status.COMPLETED


async def test_a_remark_reaches_everyone_with_the_next_step_and_stays(own_home):
    async with app(own_home, cast := Slow()) as md:
        task, name = await started(md)
        tell(own_home, name, Action.REMARK, "Focus on the cost.")
        await heard(own_home)
        cast.go.set()
        whole = await task
    assert whole.remarks == ("Focus on the cost.",)
    told = {a.role for a in cast.asks if "The user adds: Focus on the cost." in a.text}
    assert told == {"reflection", "synthesis"}


async def test_nobody_can_be_paused_who_does_not_run(own_home):
    async with app(own_home, Slow(waits=False)) as md:
        whole = await md.debate("q", panel=SEATS, synthesizer="ada")
        for action in Action:
            with pytest.raises(NotRunning, match=r"is finished; .* dissent continue") as e:
                md.direct(whole.transcript_id, action, "Be brief.")
            assert "resume" not in str(e.value)
        cut = md.run(await md.brief("q", panel=SEATS, synthesizer="ada"))
        begun = await anext(cut)
        await cut.aclose()
        with pytest.raises(NotRunning, match="dissent resume"):
            md.direct(begun.brief.transcript_id, Action.PAUSE)


async def test_a_finished_debate_is_continued_and_its_old_answer_kept_as_stale(own_home):
    async with app(own_home, cast := Slow(waits=False)) as md:
        first = await md.debate("q", panel=SEATS, synthesizer="ada")
        asked = len(cast.asks)
        more = await collect_transcript(md.go_on(first.transcript_id, rounds=1, remark="Be brief."))
        new = cast.asks[asked:]
        events = md.store.events(first.transcript_id)
    assert [r.round_number for r in more.rounds] == [0, 1, 2]
    assert {a.round_number for a in new} == {2, -1}
    assert all("Be brief." in a.text for a in new)
    assert more.status is Status.COMPLETED
    assert sum(isinstance(e, Answered) and e.response.role == "synthesis" for e in events) == 2
    assert first.synthesis in [r for _, r in more.replaced]


async def test_a_debate_is_not_continued_beyond_its_cap_nor_before_its_end(own_home):
    async with app(own_home, Slow(waits=False)) as md:
        whole = await md.debate("q", panel=SEATS, synthesizer="ada", rounds=3)
        with pytest.raises(BadInput, match="all were held"):
            await collect_transcript(md.go_on(whole.transcript_id))
