"""Promises on who stands apart: with words, and by what is said of what it holds now."""

from __future__ import annotations

import pytest

from fakes.closing import closed
from fakes.debates import debate, transcript
from fakes.ledgers import read, reply
from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.account import account
from mutual_dissent.views.findings import findings
from mutual_dissent.views.heading import heading, shape
from mutual_dissent.views.panel.ledger_words import ledger_words
from mutual_dissent.views.panel.tables import panel_tables
from mutual_dissent.views.terminal import as_text, rest, terminal

QUERY = "Do old panes prove that glass flows?"
NO = closed("No, it is a myth.", "{} agree; cyd disagree: panes are no evidence", "nothing")
BARE = """ann makes a good point about crown glass. I'd say that they do not prove it.

But I still think that it cannot be excluded that some flow took place over 800 years."""
LINE = closed("They prove nothing, but flow is possible.")
HELD = "They prove nothing, but some flow is possible."
MOVED = {
    "panelist": "C", "before": "some evidence", "after": "no proof", "reason": "crown glass",
    "because_of": ["A"],
}  # fmt: skip


def panes(last: str, *, corrections: tuple[object, ...] = (), analyst: bool = True) -> Transcript:
    """Two deny it; the third called panes evidence at first, and then wrote this."""
    said = {
        "ann": [closed("No, it is a myth."), NO.format("bob")],
        "bob": [closed("No, it is a myth."), NO.format("ann")],
        "cyd": ["The panes are some evidence of it, I would say.", last],
    }
    if not analyst:
        return transcript(said, query=QUERY, synthesis="No.")
    positions = [
        {"statement": "No, panes are uneven from manufacture.", "holders": ["A", "B"]},
        {"statement": HELD, "holders": ["C"]},
    ]
    events = debate(said, query=QUERY, synthesis="No.")
    return read(events, reply(positions=positions, corrections=list(corrections)))


@pytest.mark.parametrize(
    ("last", "corrections"), [(BARE, ()), (LINE, (MOVED,))], ids=["its own text", "the analyst"]
)
def test_a_verdict_on_what_somebody_no_longer_holds_is_no_contradiction(last, corrections):
    t = panes(last, corrections=corrections)
    made = findings(t).decision
    assert "contradict" not in made.reason
    assert made.action == "verify"
    assert "(not compared)" in heading(t)
    rows = {r["seat"]: r for r in panel_tables(t)["rounds"][-1]["rows"]}
    on = next(v for v in rows["ann"]["views"] if v["seat"] == "cyd")
    assert on["relation"] is None
    assert "given up since" in on["sentence"]
    assert "contradicts" not in terminal(t, verbose=True)


@pytest.mark.parametrize(
    ("last", "corrections"),
    [(closed("Panes are evidence.", "", "nothing"), (MOVED,)), (LINE, ())],
    ids=["it says itself that it changed nothing", "nobody says that it moved"],
)
def test_a_verdict_on_what_somebody_still_holds_counts(last, corrections):
    t = panes(last, corrections=corrections)
    assert "cyd contradicts the majority" in findings(t).decision.reason


def test_whoever_stands_apart_is_shown_with_words():
    t = panes(BARE)
    assert f"cyd: {HELD[:-1]}" in heading(t)
    assert f"cyd: {HELD}" in account(t).holds
    unread = panes(BARE, analyst=False)
    assert "cyd gives no bottom line" in heading(unread)
    assert "cyd gives no bottom line" in account(unread).holds


# -- in the main

ANN = "Do not require it of all; have maintainers sign."
POINTLESS = "encouraging is pointless"
BOB = "Do not require it of all; encourage it among everybody."
SIGN = {
    "ann": [closed("No."), closed(ANN, "bob agree; cyd agree", "nothing")],
    "bob": [closed("No."), closed(BOB, "ann agree", "nothing")],
    "cyd": [closed("No."), closed(ANN, f"ann agree; bob partly: {POINTLESS}", "nothing")],
}


def signed(*holders: list[str]) -> Transcript:
    """All agree in the main; the analyst finds these groups."""
    positions = [
        {"statement": f"Position {n}, as it reads it.", "holders": held}
        for n, held in enumerate(holders, 1)
    ]
    events = debate(SIGN, query="Should all commits be signed?", synthesis="No, of maintainers.")
    return read(events, reply(positions=positions))


def test_where_the_analyst_finds_two_positions_in_one_group_it_is_said_and_both_are_told():
    t = signed(["A", "C"], ["B"])
    assert heading(t).startswith("All 3 in the main")
    assert "The analyst eve groups them otherwise: ann and cyd; bob." in heading(t)
    assert account(t).holds == (
        "ann and cyd: Position 1, as it reads it.",
        "bob: Position 2, as it reads it.",
        "cyd agrees in part with bob: encouraging is pointless",
    )


def test_reservations_are_listed_where_all_agree_in_the_main():
    t = signed(["A", "B", "C"])
    assert "groups them otherwise" not in heading(t)
    assert account(t).holds == ("cyd agrees in part with bob: encouraging is pointless",)


def test_an_answer_that_could_not_be_compared_stands_where_the_analyst_puts_it():
    said = {
        "ann": [closed("No, that is a myth.")],
        "bob": [closed("It cannot be seen from there with the naked eye.")],
        "cyd": [closed("No, that is a myth.")],
    }
    query = "Is the Great Wall of China visible from the Moon?"
    events = debate(said, query=query, synthesis="No.")
    assert "2 of 3" in heading(transcript(said, query=query, synthesis="No."))
    one = [{"statement": "No, it is far too narrow.", "holders": ["A", "B", "C"]}]
    assert heading(read(events, reply(positions=one))) == (
        "All 3: No, it is far too narrow. (compared by value and as the analyst eve reads it)"
    )


def test_the_fate_of_a_claim_is_what_the_analyst_says_and_its_only_holder_is_named_once():
    said = {
        "ann": [closed("20 times.")],
        "bob": [closed("18 times.")],
        "cyd": [closed("18 times.")],
    }
    quote = {"panelist": "B", "text": "18 times."}
    claims = [
        {"claim": "It is 18.", "holders": held, "quote": quote, "fate": fate}
        for held, fate in ((["B"], "rebutted"), (["B", "C"], "listed"))
    ]
    events = debate(said, query="How many?", synthesis="It is 20, not 18.")
    t = read(events, reply(positions=[{"statement": "20.", "holders": ["A"]}], minority=claims))
    words = ledger_words(t, ledger_of(t))
    assert 'rejected in the answer: It is 18. (bob: "18 times.")' in words
    assert 'mentioned in the answer: It is 18. (bob and cyd) (bob: "18 times.")' in words


def test_what_the_analyst_finds_otherwise_is_all_that_is_said_again():
    t = signed(["A", "C"], ["B"])
    later = " ".join(as_text(rest(t, said=shape(t)._replace(otherwise="")), 200).split())
    assert "The analyst eve groups them otherwise: ann and cyd; bob." in later
    assert "All 3 in the main" not in later


def test_the_figure_that_was_asked_for_stays_in_the_heading_after_the_analysts_reading():
    line = "Move to two servers, saving about $1,500 a month."
    stay = "Stay: labour eats up the $1,500."
    said = {
        seat: [
            closed(line, estimate="$1,500 per month"),
            closed(line, f"{other} agree; cyd disagree", "nothing", estimate="$1,500 per month"),
        ]
        for seat, other in (("ann", "bob"), ("bob", "ann"))
    } | {"cyd": [closed(stay), closed(stay, "ann disagree; bob disagree", "nothing")]}
    query = "Should we move to two servers, and what would it save per month?"
    final = closed(line, "ann agree; bob agree; cyd disagree", estimate="$1,500 per month")
    events = debate(said, query=query, synthesis=final)
    held = [{"statement": "Move if the load is steady.", "holders": ["A", "B"]}]
    first = "2 of 3: Move to two servers, saving about $1,500 a month."
    assert heading(read(events, reply(positions=held))).startswith(first)
