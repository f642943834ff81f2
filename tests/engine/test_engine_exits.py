"""After every round: how far the panel says that it agrees, and when it has settled."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.world import a_brief, run, seat
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.core.events import Asked
from mutual_dissent.core.panel import Route
from mutual_dissent.core.stopping import ExitCriteria
from mutual_dissent.providers.scripted import Scripted

SEATS = ("ada", "bob", "cyd")
SAME = "Canberra.\nBOTTOM LINE: Canberra."
CHANGED_NOTHING = "\nCHANGED: nothing"


def stubborn(ask):
    """Everyone for itself, and nobody moves."""
    line = f"I say {ask.panelist.seat}.\nBOTTOM LINE: It is {ask.panelist.seat}."
    return line + (CHANGED_NOTHING if ask.round_number else "")


async def test_what_panelists_say_about_each_other_makes_the_groups_of_a_round():
    def line(ask):
        own = ask.panelist.seat
        word = "Tabs" if own != "bob" else "Spaces"
        of = {True: "agree", False: "disagree"}
        views = "; ".join(
            f"{label} {of[(own == 'bob') == (other == 'bob')]}"
            for label, other in ask.labels.items()
        )
        return f"{word}.\nBOTTOM LINE: {word}." + (f"\nON THE OTHERS: {views}" if views else "")

    transcript, _, _ = await run(a_brief(), Scripted(dict.fromkeys(SEATS, line)))
    found = consensus_of(transcript)[1]
    assert found.analyzer == "panel"
    assert [c.members for c in found.clusters] == [("ada", "cyd"), ("bob",)]
    assert transcript.rounds[1].measures.agreement < 0.5


async def test_a_debate_stops_once_the_panel_agrees_if_that_was_asked_for():
    brief = a_brief(rounds=3, exits=ExitCriteria(consensus=0.9))
    transcript, _, _ = await run(brief, Scripted(dict.fromkeys(SEATS, lambda _: SAME)))
    assert [r.round_number for r in transcript.rounds] == [0]
    assert transcript.rounds[0].measures.exit.reason == "consensus"


async def test_a_debate_stops_once_nobody_moves_any_more():
    brief = a_brief(rounds=3, exits=ExitCriteria(convergence=1))
    transcript, _, _ = await run(brief, Scripted(dict.fromkeys(SEATS, stubborn)))
    assert transcript.rounds[-1].round_number == 1
    assert transcript.rounds[-1].measures.exit.reason == "convergence"


async def test_without_exits_every_round_is_held_and_the_last_one_says_so():
    same = Scripted(dict.fromkeys(SEATS, lambda _: SAME))
    transcript, _, _ = await run(a_brief(rounds=2), same)
    exits = [r.measures.exit and r.measures.exit.reason for r in transcript.rounds]
    assert exits == [None, None, "max_rounds"]


async def test_no_round_is_followed_by_a_call_that_measures_it():
    _, events, _ = await run(
        a_brief(analyst=seat("eve")), Scripted({**dict.fromkeys(SEATS, stubborn), "eve": []})
    )
    asked = [e.key for e in events if isinstance(e, Asked)]
    assert [k for k in asked if "analysis" in k] == ["-1/analysis/eve"]


async def test_the_embedded_model_is_never_asked_to_fill_in_a_form():
    small = Route(vendor="local", model_id="smollm2")
    panel = tuple(replace(seat(s), route=small) for s in SEATS)
    brief = a_brief(mode="delphi", rounds=2, panel=panel, synthesizer=panel[0])
    cast = Scripted(dict.fromkeys(SEATS, lambda _: "I think so."))
    transcript, _, _ = await run(brief, cast)
    assert transcript.synthesis is not None
    assert all(a.schema is None and "JSON" not in a.text for a in cast.asks)
    assert len(cast.asks) <= 7


@pytest.mark.parametrize(("model", "able"), [("smollm2", False), ("qwen", True), ("mine", True)])
async def test_only_the_smallest_embedded_model_is_spared_closing_lines_and_forms(model, able):
    panel = tuple(replace(seat(s), route=Route(vendor="local", model_id=model)) for s in SEATS)
    cast = Scripted(dict.fromkeys(SEATS, lambda _: "I think so."))
    await run(a_brief(panel=panel, synthesizer=panel[0]), cast)
    assert all(("BOTTOM LINE:" in a.text) is able for a in cast.asks if a.role == "initial")
    form = Scripted(dict.fromkeys(SEATS, lambda _: "I think so."))
    await run(a_brief(mode="delphi", panel=panel, synthesizer=panel[0]), form)
    assert any(a.schema is not None for a in form.asks) is able
