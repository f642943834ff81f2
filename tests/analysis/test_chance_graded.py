"""Debates with a known answer, as cases of agreement that was right or wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.debates import panelist, transcript
from mutual_dissent.analysis.scores.track_record import Graded, graded_debate
from mutual_dissent.core.brief import ExperimentMetadata

SUM = "How much is 12 + 13?"


def line(response):
    return response.content


def held(*said, query=SUM, truth="25", **more):
    answers = {f"m{i}": list(a) if isinstance(a, tuple) else [a] for i, a in enumerate(said)}
    return transcript(answers, query=query, ground_truth=truth, synthesis=None, **more)


def test_a_leading_answer_that_is_the_known_one_is_right():
    found = graded_debate(held("25", "The answer is 25.", "26"), line)
    assert found == Graded(leading=2, panel=3, kind="number", right=1.0)


def test_a_leading_answer_that_is_another_is_wrong():
    assert graded_debate(held("26", "26", "25"), line).right == 0.0


def test_in_a_tie_the_share_of_leading_answers_counts():
    found = graded_debate(held("25", "26"), line)
    assert (found.leading, found.panel, found.right) == (1, 2, 0.5)


def test_only_first_answers_count_not_what_became_of_them_in_the_debate():
    assert graded_debate(held(("26", "25"), ("26", "25"), ("25", "25")), line).right == 0.0


def test_a_model_that_sits_twice_is_heard_once():
    twins = [panelist("m0", "lab/x"), panelist("m1", "lab/x"), panelist("m2", "lab/y")]
    found = graded_debate(held("25", "26", "25", panel=twins), line)
    assert (found.leading, found.panel, found.right) == (2, 2, 1.0)


def test_who_takes_no_position_is_not_on_the_panel():
    found = graded_debate(held("25", "25", "I don't know."), line)
    assert (found.leading, found.panel) == (2, 2)


def test_an_experiment_tells_the_answer_that_its_debates_do_not_know():
    assert graded_debate(held("25", "25", truth=None), line) is None
    assert graded_debate(held("25", "25", truth=None), line, "25").right == 1.0
    tags = ExperimentMetadata(experiment_id="x", variables={"known_answer": "26"})
    assert graded_debate(held("25", "25", truth=None, experiment=tags), line).right == 0.0


def test_open_answers_and_mixed_kinds_say_nothing():
    why = "Because the committee wanted to please both large cities, and then it rained a lot."
    assert graded_debate(held(why, why, query="Why Canberra?", truth="politics"), line) is None
    assert graded_debate(held("25", why), line) is None


def test_a_panel_that_was_told_what_to_say_says_nothing():
    tags = ExperimentMetadata(experiment_id="x", variables={"poisoned": ["m1"]})
    assert graded_debate(held("26", "26", "25", experiment=tags), line) is None
    advocate = replace(panelist("m1"), role="devils-advocate")
    assert graded_debate(held("25", "26", "25", panel=[advocate]), line) is None


@pytest.mark.parametrize(
    ("final", "mark", "right"),
    [("Canberra.", 5, 1.0), ("Canberra.", 1, 0.0), ("Sydney.", 5, 0.0), ("Sydney.", 1, None)],
)
def test_a_scored_final_answer_tells_whether_the_leading_one_was_right(final, mark, right):
    t = transcript(
        {"a": ["Canberra."], "b": ["Canberra."]}, synthesis=final,
        scores={"-1/synthesis/a": {"accuracy": mark}},
    )  # fmt: skip
    found = graded_debate(t, line)
    assert (found.right if found else None) == right
