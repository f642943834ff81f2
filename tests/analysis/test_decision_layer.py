"""Promises of the decision layer."""

from __future__ import annotations

import pytest

from mutual_dissent.analysis.clusters import Pair
from mutual_dissent.analysis.conflicts import Conflict, Held
from mutual_dissent.analysis.consensus import Consensus
from mutual_dissent.analysis.groupthink import Groupthink
from mutual_dissent.analysis.layers import decision

CONFLICT = Conflict(
    issue="migration approach", reason="they choose 'big bang' and 'gradual'",
    positions=(Held(seat="a", stance="big bang"), Held(seat="b", stance="gradual")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("level", "conflicts", "word", "action"),
    [
        (1.0, (), "high", "proceed"),
        (0.7, (), "high", "proceed"),
        (0.7, (CONFLICT,), "high", "verify"),
        (0.6999, (), "medium", "verify"),
        (0.4, (CONFLICT,), "medium", "verify"),
        (0.3999, (), "low", "query_detail"),
        (0.0, (CONFLICT,), "low", "query_detail"),
        (None, (), "low", "query_detail"),
    ],
)
def test_the_level_and_conflicts_decide(level, conflicts, word, action):
    made = decision(Consensus(agreement_level=level, conflicts=conflicts))
    assert (made.level, made.action) == (word, action)
    assert made.reason


@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_a_conflict_always_adds_a_hint(level):
    made = decision(Consensus(agreement_level=level, conflicts=(CONFLICT,)))
    assert [h.field for h in made.hints] == ["migration approach"]
    assert "migration approach" in made.reason


def test_groupthink_and_a_blind_analyzer_are_hints():
    pair = Pair(a="a", b="b", relation="uncertain", confidence=0.0, reason="")
    blind = Consensus(agreement_level=0.5, pairs=(pair,), decided=0.0)
    warning = Groupthink(detected=True, indicators=("everyone is sure",))
    reasons = [h.reason for h in decision(blind, warning).hints]
    assert reasons == [
        "Possible groupthink: everyone is sure.",
        "The rules analyzer could not judge most pairs.",
    ]


def of(*relations):
    pairs = tuple(Pair(a="a", b="b", relation=r, confidence=0.9, reason="") for r in relations)
    return decision(Consensus(agreement_level=0.1, pairs=pairs, decided=1.0)).reason


def test_answers_about_different_things_are_not_called_a_disagreement():
    assert "about different things" in of("unrelated", "unrelated")
    assert "No contradiction was found" in of("unrelated", "uncertain")
    assert "does not agree" in of("unrelated", "disagree")
    assert "does not agree" in of()
