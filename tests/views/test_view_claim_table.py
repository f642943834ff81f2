"""Claims by panelists: nobody is said to agree or disagree who did not say so."""

from __future__ import annotations

from fakes.played import held_again
from mutual_dissent.core.transcript import fold
from mutual_dissent.surfaces.facts.sample import sample
from mutual_dissent.views.panel.tables import panel_tables


def claims() -> list[dict]:
    return panel_tables(fold(sample()))["claims"]


def test_holders_agree_and_others_stand_as_they_say_of_the_holders():
    first = claims()[0]
    stands = {seat: cell["stand"] for seat, cell in first["cells"].items()}
    assert stands == {"ada": "agree", "cleo": "agree", "dan": "agree", "ben": "partly"}
    assert first["cells"]["ben"]["sentence"].startswith("ben on ")


def test_who_said_nothing_of_a_claim_has_no_cell():
    second = claims()[1]
    assert set(second["cells"]) == {"ben"}


def test_the_sides_of_an_issue_disagree_with_each_other_and_are_quoted():
    sides = [c for c in claims() if c["kind"] == "contested"]
    assert len({c["question"] for c in sides}) == 1
    assert [{s: x["stand"] for s, x in c["cells"].items()} for c in sides] == [
        {"ben": "agree", "cleo": "disagree"},
        {"ben": "disagree", "cleo": "agree"},
    ]
    assert "I would mix sharp grit" in sides[0]["cells"]["ben"]["sentence"]


def test_what_nobody_contests_counts_for_those_who_are_quoted():
    shared = next(c for c in claims() if c["claim"].startswith("Gypsum"))
    assert shared["kind"] == "common"
    assert {s: x["stand"] for s, x in shared["cells"].items()} == {"ada": "agree", "dan": "agree"}


async def test_of_three_sides_each_is_shown_and_nobody_is_said_to_deny_what_it_was_not_asked(
    tmp_path,
):
    """One holds that free travel for some can begin at once; nobody of the others denied that."""
    t = await held_again("freebus", tmp_path)
    rows = [c for c in panel_tables(t)["claims"] if c["kind"] == "contested"]
    three = [c for c in rows if c["question"].startswith("Can anything be recommended")]
    stands = [{s: x["stand"] for s, x in c["cells"].items()} for c in three]
    assert stands == [
        {"p2": "agree", "p3": "other", "p1": "other"},
        {"p2": "other", "p3": "agree", "p1": "other"},
        {"p2": "other", "p3": "other", "p1": "agree"},
    ]
    assert three[0]["cells"]["p3"]["sentence"] == three[1]["claim"]
