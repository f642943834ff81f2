"""When the answer is there, one more reader says who holds what and what became of dissent."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import replace

import pytest

from fakes.ledgers import letters, reads, reply, two_positions
from fakes.world import START, Ledger, Tariff, a_brief, run, seat, ticking
from mutual_dissent.analysis.ledger.analyst import last_words
from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.events import Answered, Asked, Closed, Opened, Reopened, Status
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.core.transcript import ANALYZED, fold, opening
from mutual_dissent.engine.deliberate import deliberate
from mutual_dissent.engine.environment import Environment
from mutual_dissent.engine.limits.quote import quote
from mutual_dissent.engine.memory import Memory
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.prompts.library import Library
from mutual_dissent.providers.responses import blank, failure
from mutual_dissent.providers.scripted import Scripted

KEY = "-1/analysis/eve"
CAST = {
    "ada": ["Tabs.\nBOTTOM LINE: Use tabs.", "Tabs.\nBOTTOM LINE: Use tabs.", "Use tabs."],
    "bob": ["Tabs too.\nBOTTOM LINE: Tabs.", "Tabs it is.\nBOTTOM LINE: Tabs."],
    "cyd": ["Spaces.\nBOTTOM LINE: Use spaces.", "Still spaces.\nBOTTOM LINE: Use spaces."],
}


def analyzed(**more):
    return a_brief(analyst=seat("eve"), **more)


def played(eve, **more):
    return Scripted({**CAST, "eve": eve, **more})


async def test_the_analyst_is_asked_once_after_the_answer_and_its_ledger_is_read():
    transcript, events, _ = await run(analyzed(), cast := played(two_positions))
    order = [e.key for e in events if isinstance(e, Answered)]
    assert order[-2:] == ["-1/synthesis/ada", KEY]
    assert len(cast.asks) == 8
    found = ledger_of(transcript)
    assert (found.source, found.analyst) == ("analyst", "eve")
    assert [p.holders for p in found.positions] == [("ada", "bob"), ("cyd",)]
    assert transcript.status is Status.COMPLETED
    assert not transcript.notes


async def test_without_an_analyst_a_debate_takes_one_call_less_and_the_panel_speaks_for_itself():
    transcript, _, _ = await run(a_brief(), cast := Scripted(CAST))
    assert len(cast.asks) == 7
    assert ledger_of(transcript).source == "panel"


async def test_the_analyst_reads_last_answers_and_the_synthesis_by_letters_and_nothing_attached():
    secret = Attachment(name="plan.md", text="the secret plan")
    brief = analyzed(context=(secret,), panel=(seat("ada", context="only for ada"), seat("bob")))
    await run(brief, cast := played(two_positions))
    ask = next(a for a in cast.asks if a.role == "analysis")
    assert "Tabs it is." in ask.text
    assert "[response | " in ask.text
    assert "Use tabs." in ask.text
    assert "Tabs too." not in ask.text, "answers of earlier rounds are not read"
    for hidden in ("the secret plan", "only for ada", "ada", "bob", "You are Panelist"):
        assert hidden not in ask.text
    assert ask.system == Library().text("common/outside")
    assert sorted(letters(ask)) == ["ada", "bob"]


async def test_an_analyst_that_sits_on_the_panel_is_not_told_which_answer_is_its_own():
    cast = Scripted({**CAST, "bob": [*CAST["bob"], reply(positions=[])]})
    await run(a_brief(analyst=seat("bob")), cast)
    asked = cast.heard_by("bob")[2]
    assert "of this panel" not in asked
    assert "Tabs it is." in asked


async def test_what_panelists_say_about_each_other_is_shown_to_the_analyst():
    views = "A disagree: width; B disagree: width; C disagree: width"
    said = f"Spaces.\nBOTTOM LINE: Spaces.\nON THE OTHERS: {views}"
    await run(analyzed(), cast := played(two_positions, cyd=[CAST["cyd"][0], said]))
    ask = next(a for a in cast.asks if a.role == "analysis")
    assert "disagree: width" in ask.text


def reviewed(ask):
    """What somebody says at first, and then about the others."""
    name = ask.panelist.seat.upper()
    if ask.role == "initial":
        return f"{name} says so.\nBOTTOM LINE: {name}."
    point = {"strengths": [f"reviewed by {name}"], "weaknesses": ["short"]}
    critique = [{"label": x, **point} for x in letters(ask).values()]
    return json.dumps({"position": "x", "reasoning": "y", "critique": critique})


async def test_reviews_of_answers_are_read_too():
    def line(ask):
        return "The answer." if ask.role == "synthesis" else reviewed(ask)

    eve = reads(lambda at: {
        "positions": [{"statement": "x", "holders": list(at.values())}],
        "common_ground": [{"statement": "x", "quotes": [
            {"panelist": at["bob"], "text": "reviewed by BOB"}]}]})  # fmt: skip
    cast = Scripted({**dict.fromkeys(("ada", "bob", "cyd"), line), "eve": eve})
    transcript, _, _ = await run(analyzed(mode="consensus", rounds=0), cast)
    ask = next(a for a in cast.asks if a.role == "analysis")
    assert "reviewed by CYD" in ask.text
    assert ledger_of(transcript).common_ground[0].quotes[0].seat == "bob"


async def test_reviews_of_earlier_versions_whose_letters_were_their_own_are_left_out():
    def line(ask):
        return "The answer." if ask.role == "synthesis" else reviewed(ask)

    cast = Scripted({**dict.fromkeys(("ada", "bob", "cyd"), line), "eve": two_positions})
    transcript, _, _ = await run(analyzed(mode="consensus", rounds=0), cast)
    assert "by ADA" in str(last_words(transcript, seat("eve")).critiques)
    own = {"1/evaluation/ada": {"Panelist A": "bob", "Panelist B": "cyd"},
           "1/evaluation/bob": {"Panelist A": "ada", "Panelist B": "cyd"}}  # fmt: skip
    old = replace(transcript, labels=own)
    assert last_words(old, seat("eve")).critiques == ()
    assert len(last_words(old, seat("eve")).others) == 3


async def test_an_unreadable_reply_is_asked_for_once_more():
    replies = iter(["They mostly agree.", None])

    def eve(ask):
        return next(replies) or two_positions(ask)

    transcript, _, _ = await run(analyzed(), cast := played(eve))
    asked = [a for a in cast.asks if a.role == "analysis"]
    assert [a.key for a in asked] == [KEY, f"{KEY}/again"]
    assert "no JSON object" in asked[1].text
    assert ledger_of(transcript).source == "analyst"
    assert not transcript.notes


async def test_a_reply_that_stays_unreadable_is_noted_and_left():
    transcript, _, _ = await run(analyzed(), cast := played(lambda _: "They mostly agree."))
    assert sum(a.role == "analysis" for a in cast.asks) == 2
    assert [n.code for n in transcript.notes] == ["not_analyzed"]
    assert "eve could not be read" in transcript.notes[0].text
    assert transcript.status is Status.COMPLETED
    assert ledger_of(transcript).source == "panel"


@pytest.mark.parametrize("kind", [ErrorKind.AUTH, ErrorKind.CREDITS, ErrorKind.TIMEOUT])
async def test_an_analyst_that_fails_costs_nothing_but_a_note(kind):
    eve = played(lambda ask: failure(ask, kind, "out of order"))
    transcript, _, _ = await run(analyzed(), eve)
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis.content == "Use tabs."
    (note,) = transcript.notes
    assert note.code == "not_analyzed"
    assert "out of order" in note.text


async def test_what_the_budget_cannot_pay_is_not_read_and_the_answer_stands():
    cast = Scripted({s: _priced(lines) for s, lines in {**CAST, "eve": two_positions}.items()})
    transcript, _, _ = await run(analyzed(max_cost=9.0, rounds=0), cast)
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis is not None
    assert [n.code for n in transcript.notes] == ["not_analyzed"]
    assert "could exceed the limit" in transcript.notes[0].text
    assert not any(a.role == "analysis" for a in cast.asks)


def _priced(lines):
    """The same lines, each for a dollar and three quarters."""
    rest = iter(lines) if isinstance(lines, list) else None

    def line(ask):
        text = next(rest) if rest else lines(ask)
        return replace(blank(ask), content=text, cost_usd=1.75)

    return line


async def test_the_answer_is_out_before_the_analyst_has_said_a_word():
    gate = asyncio.Event()

    class Waiting(Scripted):
        async def ask(self, ask, on_text):
            if ask.role == "analysis":
                await gate.wait()
            return await super().ask(ask, on_text)

    clock, journal = ticking(), Ledger()
    opened = Opened(seq=1, at=START, brief=analyzed())
    world = Environment(provider=Waiting({**CAST, "eve": two_positions}), journal=journal,
                  prices=Tariff(), library=Library(), clock=clock)  # fmt: skip
    debate = deliberate(opening(opened), _mode("reflection"), world, Memory(last_seq=1))
    async with aclosing(debate) as events:
        async for event in events:
            if isinstance(event, Answered) and event.response.role == "synthesis":
                assert not gate.is_set()
                gate.set()
    assert isinstance(journal.events[-1], Closed)
    assert gate.is_set()


async def test_killed_during_the_analysis_a_resumed_debate_asks_only_that():
    _, events, _ = await run(analyzed(), played(two_positions))
    at = next(i for i, e in enumerate(events) if isinstance(e, Asked) and e.role == "analysis")
    cast = Scripted({"eve": two_positions})
    again, _, _ = await run(analyzed(), cast, events=events[: at + 1])
    assert [a.key for a in cast.asks] == [KEY]
    assert again.status is Status.COMPLETED
    assert ledger_of(again).source == "analyst"


async def test_what_was_read_is_not_read_again_by_resuming():
    whole, events, _ = await run(analyzed(), played(two_positions))
    cast = Scripted({})
    again, _, _ = await run(analyzed(), cast, events=events[:-1])
    assert cast.asks == []
    assert ledger_of(again) == ledger_of(whole)


async def test_a_second_reading_that_was_cut_off_is_resumed_and_not_taken_from_the_first():
    _, events, _ = await run(analyzed(), played(two_positions))
    last = events[-1]
    reopened = Reopened(seq=last.seq + 1, at=last.at, reason=ANALYZED)
    assert KEY in Memory.of(events).answers
    assert KEY not in Memory.of([*events, reopened]).answers
    assert "-1/synthesis/ada" in Memory.of([*events, reopened]).answers


async def test_a_continued_debate_drops_the_reading_of_its_old_answer():
    transcript, events, _ = await run(analyzed(), played(two_positions))
    seq = events[-1].seq
    reopened = Reopened(seq=seq + 1, at=events[-1].at, reason="continued")
    now = transcript.apply(reopened)
    assert ledger_of(now).source == "panel"
    memory = Memory.of([*events, reopened])
    assert KEY not in memory.answers


async def test_a_quote_counts_the_analyst():
    opened = Opened(seq=1, at=START, brief=a_brief())
    mode, library, prices = _mode("reflection"), Library(), Tariff()
    without = quote(opening(opened), mode, library, prices)
    more = Opened(seq=1, at=START, brief=analyzed())
    found = quote(opening(more), mode, library, prices)
    assert (without.calls, found.calls) == (7, 8)
    assert found.cost_usd > without.cost_usd
    assert found.lines[-1].seat == "eve"


async def test_no_analyst_is_asked_where_there_is_nothing_to_compare_or_no_answer():
    absent = {s: (lambda ask: failure(ask, ErrorKind.AUTH, "no key")) for s in ("bob", "cyd")}
    cast = Scripted({"ada": ["Tabs."] * 3, **absent, "eve": two_positions})
    await run(analyzed(quorum=1), cast)
    assert not any(a.role == "analysis" for a in cast.asks)
    cast = played(two_positions)
    await run(analyzed(synthesize=False), cast)
    assert not any(a.role == "analysis" for a in cast.asks)


async def test_the_embedded_model_is_no_analyst():
    small = Panelist(seat="eve", route=Route(vendor="local", model_id="small"))
    transcript, _, _ = await run(a_brief(analyst=small), cast := played(two_positions))
    assert not any(a.role == "analysis" for a in cast.asks)
    assert not transcript.notes


async def test_the_transcript_of_a_read_debate_is_the_fold_of_its_events():
    transcript, events, _ = await run(analyzed(), played(two_positions))
    assert ledger_of(fold(events)) == ledger_of(transcript)


def _mode(name):
    return modes(TOPOLOGIES)[name]
