"""The chance that such agreement was right: what it says, when it says nothing, how it is made."""

from __future__ import annotations

import pytest

from mutual_dissent.analysis.scores.chance import (
    OWN,
    PUBLIC,
    chance,
    own_table,
    shipped_table,
)
from mutual_dissent.analysis.scores.chance_table import (
    ChanceTally,
    model_probability,
    table,
)
from mutual_dissent.analysis.scores.track_record import OWN_ENOUGH, Graded


def graded(count, right, *, leading=3, panel=3, kind="number"):
    """So many debates, of which so many were right."""
    return [
        Graded(leading=leading, panel=panel, kind=kind, right=float(i < right))
        for i in range(count)
    ]


@pytest.mark.parametrize("panel", [3, 4, 5, 6])
def test_the_more_agree_the_better_the_chance(panel):
    found = [chance(leading=n, panel=panel, kind="number") for n in range(1, panel + 1)]
    shares = [c.share for c in found]
    assert shares == sorted(shares)
    assert shares[0] < 0.3
    assert shares[-1] > 0.95
    assert all(c.cases >= 10 and c.source == PUBLIC for c in found)


@pytest.mark.parametrize(
    ("leading", "panel", "kind"),
    [
        (2, 2, "number"),  # did not hold on an unseen recording
        (7, 7, "number"),  # could not be tried on one
        (30, 30, "number"),
        (1, 1, "number"),
        (4, 3, "number"),
        (0, 3, "number"),
        (3, 3, "name"),
        (3, 3, "date"),
        (3, 3, "choice"),
        (3, 3, "yes_no"),
        (3, 3, "open"),
    ],
)
def test_nothing_is_said_where_nothing_is_known(leading, panel, kind):
    assert chance(leading=leading, panel=panel, kind=kind) is None


def test_ones_own_debates_replace_the_table_once_there_are_fifty():
    few, enough = (own_table(graded(n, n // 5)) for n in (OWN_ENOUGH - 1, OWN_ENOUGH))
    assert chance(leading=3, panel=3, kind="number", own=few).source == PUBLIC
    own = chance(leading=3, panel=3, kind="number", own=enough)
    assert (own.source, own.cases) == (OWN, OWN_ENOUGH)
    public = shipped_table().entries["number", 3, 3].share
    assert own.share == pytest.approx((10 + 10 * public) / 60, abs=0.005)


def test_ones_own_debates_give_a_chance_to_kinds_that_no_recording_has():
    own = own_table(graded(80, 72, kind="name") + graded(3, 0, leading=2, kind="name"))
    assert chance(leading=3, panel=3, kind="name", own=own).share == pytest.approx(0.93, abs=0.03)
    assert chance(leading=2, panel=3, kind="name", own=own) is None  # three cases are none
    assert chance(leading=3, panel=3, kind="date", own=own) is None


def test_where_ones_own_debates_have_not_met_such_a_panel_the_public_table_speaks():
    own = own_table(graded(80, 40))
    assert chance(leading=4, panel=4, kind="number", own=own).source == PUBLIC


def test_a_few_lucky_cases_move_little():
    lucky = table(
        "x", [{("number", 3, 1): ChanceTally(right=2.0, panels=2.0, cases=2)}], model_probability
    )
    assert lucky.entries["number", 3, 1].share < 0.35
    assert lucky.entries["number", 3, 3].share >= lucky.entries["number", 3, 1].share


def test_a_share_never_falls_as_the_group_grows_whatever_the_cases_say():
    odd = {
        ("number", 4, s): ChanceTally(right=90.0 * (s < 4), panels=100.0, cases=100) for s in (1, 4)
    }
    made = table("x", [odd], model_probability).entries
    shares = [made["number", 4, s].share for s in (1, 2, 3, 4)]
    assert shares == sorted(shares)


def test_a_large_recording_does_not_drown_a_small_one():
    big = {("number", 3, 3): ChanceTally(right=10_000.0, panels=10_000.0, cases=10_000)}
    small = {("number", 3, 3): ChanceTally(right=150.0, panels=300.0, cases=300)}
    share = table("x", [big, small], model_probability).entries["number", 3, 3].share
    assert 0.75 < share < 0.85


def test_yes_and_no_agree_by_luck_more_often_than_numbers():
    assert (
        model_probability("yes_no", 3, 3)
        < model_probability("choice", 3, 3)
        < model_probability("number", 3, 3)
    )
    assert model_probability("yes_no", 2, 2) == pytest.approx(0.5)


def test_the_table_that_ships_names_what_it_is_made_from():
    assert shipped_table().source == PUBLIC
    assert set(shipped_table().graded) == {"number"}
