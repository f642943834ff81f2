"""What panelists say about each other, as tables that pages show and programs read."""

from __future__ import annotations

from dataclasses import replace

from fakes.debates import Said, panelist, transcript
from mutual_dissent.analysis.ledger.entries import Issue, Ledger, Minority, Quote, Side
from mutual_dissent.core.closing import Estimate
from mutual_dissent.core.codec.camel import camel
from mutual_dissent.views.panel.ledger_names import named_ledger
from mutual_dissent.views.panel.tables import estimate_words, panel_tables

GO = "Go it is.\nBOTTOM LINE: Go."
MOVED = "CHANGED: yes: from Rust to Go, because of ann: it is learnt in a week"
RUST = "Rust it is.\nBOTTOM LINE: Rust, if one knows it."


def debate(**more):
    said = {
        "ann": [GO, f"{GO}\nON THE OTHERS: bob agree; cyd disagree: one expert\nCHANGED: nothing"],
        "bob": [RUST, f"{GO}\nON THE OTHERS: ann agree; cyd partly: hiring\n{MOVED}"],
        "cyd": [RUST, f"{RUST}\nON THE OTHERS: ann disagree: time; bob agree\nCHANGED: nothing"],
    }  # fmt: skip
    return transcript(said, query="Go or Rust?", **more)


def row(table, seat):
    return next(r for r in table["rows"] if r["seat"] == seat)


def view(table, seat, other):
    return next(v for v in row(table, seat)["views"] if v["seat"] == other)


def test_every_cell_says_what_its_row_says_of_its_column():
    last = panel_tables(debate())["rounds"][-1]
    assert last["seats"] == ["ann", "bob", "cyd"]
    assert row(last, "cyd")["holds"] == "Rust, if one knows it."
    assert view(last, "ann", "cyd")["relation"] == "disagree"
    assert view(last, "ann", "cyd")["sentence"] == "ann on cyd: disagree: one expert"
    assert view(last, "bob", "cyd")["sentence"] == "bob on cyd: partly: hiring"
    assert row(last, "bob")["change"]["becauseOf"] == ["ann"]


def test_what_was_said_of_an_answer_that_is_given_up_is_no_view_of_the_new_one():
    last = panel_tables(debate())["rounds"][-1]
    found = view(last, "cyd", "bob")
    assert found["relation"] is None
    assert "has given up since" in found["sentence"]


def test_what_nobody_said_or_could_compare_is_empty_and_says_so():
    long = {s: [f"{s} weighs many things at length and says none of them plainly."] for s in "ab"}
    found = view(panel_tables(transcript(long))["rounds"][0], "a", "b")
    assert found["relation"] is None
    assert "was not measured" in found["sentence"]


def test_letters_of_panelists_become_names_and_long_seats_short_ones():
    seats = [panelist("openrouter:p1"), panelist("openrouter:p2")]
    said = {p.seat: [GO, GO] for p in seats}
    made = transcript(said, panel=seats)
    label = {seat: text for text, seat in _labels(made).items()}
    spoken = made.round(1).responses[0]
    closing = replace(spoken.closing, bottom_line=f"Go, as {label['openrouter:p2']} says.")
    other = replace(spoken, closing=closing)
    rounds = (made.rounds[0], replace(made.rounds[1], responses=(other,)))
    tables = panel_tables(replace(made, rounds=rounds))
    assert tables["rounds"][1]["rows"][0]["holds"] == "Go, as p2 says."
    assert tables["names"] == {"openrouter:p1": "p1", "openrouter:p2": "p2"}


def _labels(t):
    from mutual_dissent.prompts.fences import labels

    return {label: seat for seat, label in labels(t.brief).items()}


def test_estimates_stand_round_by_round_with_the_median():
    said = {
        seat: [
            f"{a}.\nBOTTOM LINE: {a}.\nESTIMATE: {a} people [{a - 10} to {a + 10}]" for a in each
        ]
        for seat, each in (("ann", (75, 80)), ("bob", (125, 85)), ("cyd", (80, 90)))
    }
    found = panel_tables(transcript(said, query="How many?", mode="delphi"))["estimates"]
    assert [(e["round"], e["median"], e["unit"]) for e in found] == [
        (0, 80.0, "people"), (1, 85.0, "people"),
    ]  # fmt: skip
    assert found[0]["values"]["bob"]["words"] == "125 people [115 to 135]"
    assert estimate_words(Estimate(value=1200)) == "1,200"


def test_ballots_and_reviews_are_matrices():
    vote = {"ballot": (("cyd",), ("bob", "ann")), "position": "Go.",
            "critique": {"cyd": {"strengths": ["short"], "weaknesses": []}}}  # fmt: skip
    made = transcript({"ann": [Said("x", vote)], "bob": ["y"], "cyd": ["z"]})
    tables = panel_tables(made)
    assert tables["ballots"][0]["candidates"] == ["ann", "bob", "cyd"]
    assert tables["ballots"][0]["rows"] == [
        {"seat": "ann", "places": {"cyd": 1, "bob": 2, "ann": 2}}
    ]
    assert tables["critiques"][0]["rows"] == [
        {"seat": "ann", "about": {"cyd": {"strengths": ["short"]}}}
    ]


def test_a_ledger_for_programs_has_sides_quotes_fates_and_what_was_dropped():
    made = debate()
    label = {seat: text for text, seat in _labels(made).items()}
    yes = Side(statement="Yes", holders=("cyd",), quote=Quote(seat="cyd", text="Rust it is"))
    found = Ledger(
        source="analyst",
        analyst="ann",
        contested=(Issue(question=f"Is {label['cyd']} right?", sides=(yes,)),),
        minority=(Minority(claim="Rust pays", holders=("cyd",), fate="omitted", quote=None),),
        dropped=2,
    )
    plain = camel(named_ledger(made, found))
    assert plain["contested"][0]["question"] == "Is cyd right?"
    assert plain["contested"][0]["sides"][0]["quote"] == {"by": "cyd", "text": "Rust it is"}
    assert plain["minority"][0]["fate"] == "omitted"
    assert (plain["source"], plain["analyst"], plain["droppedQuotes"]) == ("analyst", "ann", 2)
