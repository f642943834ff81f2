"""A debate from the first question to the answer, as its events tell it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from fakes.world import Ledger, Tariff, a_brief, run, seat
from mutual_dissent.core.events import Answered, Asked, Closed, Noted, RoundEnded, Status
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.responses import failure
from mutual_dissent.providers.scripted import Scripted

CAST = {
    "ada": ["tabs are best", "tabs, still", "Use tabs."],
    "bob": ["spaces are best", "spaces, still"],
    "cyd": ["either will do", "either, still"],
}


async def test_everyone_answers_reflects_and_one_text_comes_out():
    transcript, events, _ = await run(a_brief(), cast := Scripted(CAST))
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis.content == "Use tabs."
    assert [r.round_type for r in transcript.rounds] == ["initial", "reflection"]
    assert [r.content for r in transcript.rounds[1].responses] == [
        "tabs, still",
        "spaces, still",
        "either, still",
    ]
    assert len(cast.asks) == 7
    assert [e.seq for e in events] == list(range(1, len(events) + 1))


async def test_every_request_is_on_record_before_it_is_sent_and_every_answer_before_it_is_shown():
    journal = Ledger()
    at_sending: dict[str, bool] = {}

    def line(ask):
        asked = {e.key for e in journal.events if isinstance(e, Asked)}
        at_sending[ask.key] = ask.key in asked
        return "fine"

    _, events, _ = await run(a_brief(), Scripted(dict.fromkeys(CAST, line)), journal=journal)
    assert len(at_sending) == 7
    assert all(at_sending.values())
    assert [e.seq for e in journal.events] == [e.seq for e in events]


async def test_tokens_are_the_answer_in_pieces():
    _, _, tokens = await run(a_brief(), Scripted(CAST, word_delay=0.001))
    said = "".join(t.text for t in tokens if t.panelist == "bob" and t.round_number == 0)
    assert said == "spaces are best"
    assert len([t for t in tokens if t.panelist == "bob"]) > 2


async def test_a_slow_watcher_gets_all_the_text_in_larger_pieces():
    _, _, tokens = await run(a_brief(), Scripted(CAST))
    assert "".join(t.text for t in tokens if t.key == "1/reflection/bob") == "spaces, still"
    assert len([t for t in tokens if t.key == "1/reflection/bob"]) == 1


async def test_every_request_of_a_debate_begins_with_the_same_bytes():
    _, _, _ = await run(a_brief(), cast := Scripted(CAST))
    assert len({(a.system, a.head) for a in cast.asks}) == 1
    assert "Tabs or spaces?" in cast.asks[0].head


async def test_a_panelist_reads_the_others_and_never_its_own_answer_among_them():
    await run(a_brief(), cast := Scripted(CAST))
    heard = cast.heard_by("bob")[1]
    assert "tabs are best" in heard
    assert "either will do" in heard
    assert heard.count("spaces are best") == 1


async def test_nobody_reads_an_alias_unless_names_are_shown():
    quiet, loud = Scripted(CAST), Scripted(CAST)
    await run(a_brief(), quiet)
    await run(a_brief(named=True), loud)
    assert not any("ada" in text or "cyd" in text for text in quiet.heard_by("bob"))
    assert "ada" in loud.heard_by("bob")[1]


async def test_readers_see_the_others_in_different_orders_and_the_same_seed_repeats_them():
    seats = [f"p{i}" for i in range(6)]
    cast = {s: lambda ask: f"said by {ask.panelist.seat}" for s in seats}

    async def orders(seed: int) -> list[tuple[str, ...]]:
        await run(a_brief(*seats, seed=seed), script := Scripted(cast))
        reflections = [a for a in script.asks if a.role == "reflection"]
        return [tuple(a.labels.values()) for a in reflections]

    first = await orders(1)
    assert first == await orders(1)
    assert first != await orders(2)
    assert len({tuple(s for s in o if s not in ("p0", "p1")) for o in first[:2]}) == 2


async def test_a_label_means_the_same_panelist_to_everyone():
    _, events, _ = await run(a_brief(), Scripted(CAST))
    meanings: dict[str, set[str]] = {}
    for event in events:
        if isinstance(event, Asked):
            for label, who in event.labels.items():
                meanings.setdefault(label, set()).add(who)
    assert all(len(seats) == 1 for seats in meanings.values())
    assert set().union(*meanings.values()) == {"ada", "bob", "cyd"}


async def test_rounds_auto_stops_when_the_panel_agrees_and_goes_on_while_it_does_not():
    same = Scripted(dict.fromkeys(CAST, lambda _: "Canberra is the capital"))
    agreed, _, _ = await run(a_brief(rounds="auto"), same)
    assert [r.round_number for r in agreed.rounds] == [0]
    differ = Scripted({s: (lambda ask: f"{ask.panelist.seat} says otherwise") for s in CAST})
    split, _, _ = await run(a_brief(rounds="auto"), differ)
    assert [r.round_number for r in split.rounds] == [0, 1, 2, 3]


async def test_a_failed_panelist_is_named_sits_out_and_costs_nobody_an_answer():
    cast = {**CAST, "bob": lambda ask: failure(ask, ErrorKind.RATE_LIMIT, "too many requests")}
    transcript, events, _ = await run(a_brief(), script := Scripted(cast))
    assert transcript.status is Status.COMPLETED
    assert [r.model_alias for r in transcript.absent] == ["bob"]
    assert len([a for a in script.asks if a.panelist.seat == "bob"]) == 1
    assert [r.model_alias for r in transcript.rounds[1].responses] == ["ada", "cyd"]
    assert any(isinstance(e, Noted) and e.code == "absent" and e.seat == "bob" for e in events)
    assert not any("too many requests" in text for text in script.heard_by("cyd"))


@pytest.mark.parametrize(
    "finish", [Finish.REFUSED, Finish.EMPTY, Finish.FILTERED, Finish.INCOMPLETE]
)
async def test_what_is_no_answer_is_never_shown_to_others(finish):
    def bob(ask):
        bare = replace(failure(ask, ErrorKind.REFUSED, "no"), error=None, error_kind=None)
        return replace(bare, content="half a tho", finish=finish)

    transcript, _, _ = await run(a_brief(), script := Scripted({**CAST, "bob": bob}))
    assert transcript.status is Status.COMPLETED
    assert not any("half a tho" in a.text for a in script.asks)
    assert transcript.rounds[0].responses[1].content == "half a tho"


async def test_below_quorum_the_debate_ends_without_inventing_an_answer():
    down = dict.fromkeys(CAST, lambda ask: failure(ask, ErrorKind.OVERLOADED, "down"))
    cast = {**down, "ada": CAST["ada"]}
    transcript, events, _ = await run(a_brief(), script := Scripted(cast))
    assert transcript.status is Status.ERROR
    assert transcript.closed_reason == "quorum"
    assert transcript.synthesis is None
    assert len(script.asks) == 3
    assert isinstance(events[-1], Closed)
    assert "1 of 3" in events[-1].text


async def test_quorum_of_one_goes_on_with_one():
    down = dict.fromkeys(CAST, lambda ask: failure(ask, ErrorKind.OVERLOADED, "down"))
    transcript, _, _ = await run(a_brief(quorum=1), Scripted({**down, "ada": CAST["ada"]}))
    assert transcript.synthesis.content == "Use tabs."


async def test_if_the_synthesizer_fails_a_stand_in_writes_the_answer():
    zoe = seat("zoe")
    brief = a_brief(synthesizer=zoe, fallbacks=(seat("bob"),))
    cast = {**CAST, "bob": [*CAST["bob"], "Both are fine."]}
    cast["zoe"] = lambda ask: failure(ask, ErrorKind.TIMEOUT, "too slow")
    transcript, _, _ = await run(brief, Scripted(cast))
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis.model_alias == "bob"
    assert [r.model_alias for r in transcript.failed_syntheses] == ["zoe"]


async def test_if_nobody_can_synthesize_the_answers_are_kept_and_no_text_is_invented():
    brief = a_brief(synthesizer=seat("zoe"))
    transcript, _, _ = await run(brief, Scripted(CAST))
    assert transcript.status is Status.ERROR
    assert transcript.closed_reason == "synthesis"
    assert transcript.synthesis is None
    assert len(list(transcript.turns())) == 6


def broke(ask):
    return failure(ask, ErrorKind.CREDITS, "top up your account")


async def test_where_too_few_have_credits_the_debate_stops_and_what_was_paid_is_kept():
    cast = {**CAST, "bob": broke, "cyd": broke}
    transcript, _, _ = await run(a_brief(), Scripted(cast))
    assert (transcript.status, transcript.closed_reason) == (Status.STOPPED, "credits")
    assert len(transcript.rounds[0].usable) == 1


async def test_one_panelist_without_credits_stops_nobody_else():
    transcript, _, _ = await run(a_brief(), Scripted({**CAST, "bob": broke}))
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis.content == "Use tabs."
    assert [r.model_alias for r in transcript.absent] == ["bob"]


async def test_where_nobody_who_could_write_it_has_credits_the_debate_stops_and_can_be_resumed():
    cast = {**CAST, "ada": lambda ask: broke(ask) if ask.role == "synthesis" else "tabs"}
    transcript, _, _ = await run(a_brief(), Scripted(cast))
    assert (transcript.status, transcript.closed_reason) == (Status.STOPPED, "credits")


async def test_an_answer_by_another_model_is_kept_and_said():
    def bob(ask):
        return replace(failure(ask, ErrorKind.REFUSED, ""), error=None, error_kind=None,
                       content="hm", finish=Finish.COMPLETE, served_model="mini-7b")  # fmt: skip

    transcript, events, _ = await run(a_brief(), Scripted({**CAST, "bob": bob}))
    assert transcript.status is Status.COMPLETED
    [note] = [e for e in events if isinstance(e, Noted) and e.code == "served_by"][:1]
    assert "mini-7b" in note.text


async def test_if_the_disk_fills_up_the_debate_goes_on_in_memory_and_says_so_once():
    transcript, events, _ = await run(a_brief(), Scripted(CAST), journal=Ledger(fails_after=9))
    assert transcript.synthesis.content == "Use tabs."
    assert [e.code for e in events if isinstance(e, Noted)] == ["not_saved"]
    assert [e.seq for e in events] == list(range(1, len(events) + 1))


async def test_leaving_a_debate_stops_its_calls_and_records_that_it_was_interrupted():
    started = asyncio.Event()
    cancelled = []

    class Slow(Scripted):
        async def ask(self, ask, on_text):
            if ask.panelist.seat == "ada":
                return await super().ask(ask, on_text)
            started.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.append(ask.key)
                raise

    journal = Ledger()
    task = asyncio.create_task(run(a_brief(), Slow(CAST), journal=journal))
    await started.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(cancelled) == ["0/initial/bob", "0/initial/cyd"]
    assert [e.response.content for e in journal.events if isinstance(e, Answered)] == [
        "tabs are best"
    ]
    assert journal.events[-1].status is Status.INTERRUPTED


async def test_the_debate_ends_at_its_time_limit():
    class Stuck(Scripted):
        async def ask(self, ask, on_text):
            await asyncio.sleep(min(ask.timeout, 5))
            return failure(ask, ErrorKind.TIMEOUT, "no answer in time")

    transcript, _, _ = await run(a_brief(timeout=0.05), Stuck(CAST))
    assert (transcript.status, transcript.closed_reason) == (Status.STOPPED, "timeout")


async def test_after_every_round_it_is_told_who_agrees_and_who_says_so():
    def closing(ask):
        views = "; ".join(f"{label} agree" for label in ask.labels)
        own = f"\nON THE OTHERS: {views}\nCHANGED: nothing" if ask.round_number else ""
        return f"Tabs, for several reasons.\n\nBOTTOM LINE: Tabs.{own}"

    _, events, _ = await run(a_brief(), Scripted(dict.fromkeys(CAST, closing)))
    measured = [e.measures for e in events if isinstance(e, RoundEnded) and e.measures.measure]
    assert [(m.measure, m.agreement) for m in measured] == [("values", 1.0), ("panel", 1.0)]


async def test_closing_lines_reach_no_watcher_and_no_reader_as_prose():
    line = "BOTTOM LINE: Tabs, whatever else is said."
    cast = Scripted(dict.fromkeys(CAST, lambda ask: f"It is a matter of taste.\n\n{line}"))
    transcript, _, tokens = await run(a_brief(), cast)
    assert all(r.content == "It is a matter of taste." for r in transcript.turns())
    assert all(r.bottom_line == "Tabs, whatever else is said." for r in transcript.turns())
    assert "BOTTOM LINE" not in "".join(t.text for t in tokens)
    assert "Bottom line: Tabs, whatever" in cast.heard_by("bob")[1]


async def test_an_answer_too_long_to_quote_is_cut_for_all_readers_and_that_is_said():
    flood = "flood " * 40_000
    cast = {**CAST, "bob": [flood, "spaces, still"]}
    transcript, _, _ = await run(a_brief(), script := Scripted(cast))
    heard = script.heard_by("ada")[1]
    assert len(heard) < 40_000
    assert "characters left out" in heard
    assert [n.code for n in transcript.notes] == ["cut"]
    assert transcript.rounds[0].responses[1].content == flood


async def test_a_small_context_window_gives_each_answer_its_share():
    long = "word " * 3_000
    cast = dict.fromkeys(CAST, lambda _: long)
    await run(a_brief(), script := Scripted(cast), prices=Tariff(window=4_000))
    assert all(a.input_estimate < 4_000 for a in script.asks)


async def test_private_context_and_persona_reach_their_panelist_in_every_round_and_no_other():
    panel = (seat("ada", context="the vault code is 1234", instructions="Be a skeptic."),
             seat("bob"), seat("cyd"))  # fmt: skip
    await run(a_brief(panel=panel, synthesizer=seat("bob")), cast := Scripted(CAST))
    assert all("1234" in t and "skeptic" in t for t in cast.heard_by("ada"))
    assert not any("1234" in t or "skeptic" in t for t in cast.heard_by("bob"))


async def test_a_provider_that_raises_costs_one_answer_and_no_other():
    def bob(ask):
        raise RuntimeError("a bug in somebody's plugin")

    transcript, _, _ = await run(a_brief(), Scripted({**CAST, "bob": bob}))
    assert transcript.status is Status.COMPLETED
    assert "a bug in somebody's plugin" in transcript.absent[0].error


async def test_text_that_no_file_can_hold_is_replaced_visibly():
    cast = {**CAST, "bob": ["half a pair: \ud83d", "spaces, still"]}
    transcript, _, _ = await run(a_brief(), Scripted(cast))
    assert transcript.rounds[0].responses[1].content == "half a pair: ?"


async def test_the_devils_advocate_is_named_and_changes_every_round():
    brief = a_brief(topology="adversarial", rounds=2)
    cast = Scripted({s: (lambda ask: ask.panelist.role or "plain") for s in ("ada", "bob", "cyd")})
    transcript, _, _ = await run(brief, cast)
    said = [[r.content for r in round_.responses] for round_ in transcript.rounds[1:]]
    assert said == [["devils-advocate", "plain", "plain"], ["plain", "devils-advocate", "plain"]]
    assert transcript.rounds[1].responses[0].agent_role == "devils-advocate"
