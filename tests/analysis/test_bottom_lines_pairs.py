"""Pairs of lines that look alike: what contradicts each other is never called agreement.

The file has 459 pairs by somebody who had not seen the rules, and 80 that were written once the
rules were done (`second`).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mutual_dissent.analysis.bottom_lines import compare_lines

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent / "bottom_line_pairs.jsonl").read_text("utf-8").splitlines()
]


def called(relation: str, truths: set[str], judge=None) -> list[tuple[str, str, str]]:
    """The pairs of which something is said that is not so."""
    return [
        (pair["query"], pair["a"], pair["b"])
        for pair in PAIRS
        if pair["truth"] in truths
        and (said := verdict(pair["a"], pair["b"], pair["query"], judge))
        and said.relation == relation
    ]


def verdict(a: str, b: str, query: str, judge=None):
    return compare_lines({"a": a, "b": b}, query, judge).get(("a", "b"))


@pytest.fixture(scope="module")
def judge():
    from mutual_dissent.semantics import Semantics

    return Semantics.load().compare


def test_there_are_enough_contradictions_in_enough_languages():
    contradictions = [pair for pair in PAIRS if pair["truth"] == "disagree"]
    assert len(contradictions) == 393
    assert len({pair["lang"] for pair in contradictions}) >= 8


def test_no_contradiction_is_called_agreement():
    assert called("agree", {"disagree", "partly", "neither"}) == []
    assert called("partly", {"disagree", "neither"}) == []


def test_hardly_an_agreement_is_called_a_contradiction():
    assert len(called("disagree", {"agree", "partly", "neither"})) <= 2


@pytest.mark.embedded
def test_the_embedded_model_calls_no_contradiction_agreement_either(judge):
    assert called("agree", {"disagree", "partly", "neither"}, judge) == []
    assert called("partly", {"disagree", "neither"}, judge) == []
    assert len(called("disagree", {"agree", "partly", "neither"}, judge)) <= 2


def test_the_order_of_two_lines_does_not_matter():
    for pair in PAIRS:
        forth = verdict(pair["a"], pair["b"], pair["query"])
        back = verdict(pair["b"], pair["a"], pair["query"])
        assert (forth and forth.relation) == (back and back.relation), pair


def test_some_of_the_pairs_are_told_apart_all_the_same():
    assert len(called("agree", {"agree"})) >= 8
    assert len(called("disagree", {"disagree"})) >= 20
