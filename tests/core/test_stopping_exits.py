"""Promises of the exit criteria."""

from __future__ import annotations

import pytest

from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.stopping import NEVER_EARLY, ExitCriteria, exit_reason

USUAL = ExitCriteria(consensus=0.9, convergence=2)


def reason(criteria=USUAL, **measured):
    found = exit_reason(criteria, **{"round_number": 1, "max_rounds": 3, **measured})
    return found and found.reason


def test_a_debate_goes_on_while_nothing_is_reached():
    assert reason(agreement=0.89, stable_rounds=1, confidences=[1.0, 1.0]) is None


def test_consensus_ends_it():
    found = exit_reason(USUAL, round_number=1, max_rounds=3, agreement=0.9)
    assert found.reason == "consensus"
    assert found.details == "agreement 0.90 has reached 0.9"


def test_nobody_moving_ends_it():
    found = exit_reason(USUAL, round_number=2, max_rounds=5, agreement=0.2, stable_rounds=2)
    assert found.reason == "convergence"
    assert found.details == "nobody has changed position for 2 rounds"


def test_confidence_ends_it_only_if_asked_for_and_stated_by_all():
    asked = ExitCriteria(confidence=0.85)
    assert reason(confidences=[0.9, 0.9]) is None
    assert reason(asked, confidences=[0.9, 0.85]) == "confidence"
    assert reason(asked, confidences=[0.9, 0.84]) is None
    assert reason(asked, confidences=[0.9, None]) is None
    assert reason(asked, confidences=[]) is None


def test_the_last_round_ends_it():
    found = exit_reason(USUAL, round_number=3, max_rounds=3)
    assert found.reason == "max_rounds"
    assert "3 after the initial one" in found.details


def test_the_budget_ends_it():
    assert reason(over_budget=True) == "budget"


def test_what_was_achieved_is_named_before_what_ran_out():
    assert reason(agreement=1.0, over_budget=True, round_number=3) == "consensus"
    assert reason(over_budget=True, stable_rounds=9, round_number=3) == "max_rounds"


def test_what_cannot_be_measured_ends_nothing():
    assert reason(agreement=None) is None


def test_criteria_can_be_turned_off():
    measured = {"agreement": 1.0, "stable_rounds": 9, "confidences": [1.0]}
    assert reason(NEVER_EARLY, **measured) is None


@pytest.mark.parametrize(
    "wrong",
    [{"consensus": 0.0}, {"consensus": 1.1}, {"convergence": 0}, {"confidence": float("nan")}],
)
def test_an_impossible_criterion_is_refused(wrong):
    with pytest.raises(BadInput, match="exit_"):
        ExitCriteria(**wrong)
