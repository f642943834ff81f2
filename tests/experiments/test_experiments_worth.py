"""Whether deliberating is worth its cost: said only as far as the results show it."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from mutual_dissent.experiments.design.experiment import Condition, Experiment, ExperimentQuery
from mutual_dissent.experiments.report.report import report
from mutual_dissent.experiments.report.worth import verdict, worth_section
from mutual_dissent.experiments.results.findings import findings
from mutual_dissent.experiments.results.results import Took, TrialResult

NUMBER = 200
CHEAP = Took(cost_usd=0.01, tokens=100, calls=1, seconds=1.0)
DEAR = Took(cost_usd=0.09, tokens=900, calls=9, seconds=3.0)


def result(condition, way, i, right, cluster=None):
    return TrialResult(
        condition=condition, way=way, query=f"q{i}", repeat=0, answer="4", right=right, score=None,
        took=DEAR if way == "panel" else CHEAP, cluster=cluster,
    )  # fmt: skip


def priced(found, panel, single):
    """The same findings with other prices."""
    prices = {"debate": panel, "single ada": single, found.baseline: single}
    shown = [replace(s, cost=prices.get(s.name, s.cost)) for s in found.showings]
    return replace(found, showings=tuple(shown))


def found(panel, single, vote=0.6, samples=None, seed=1, number=NUMBER):
    """Findings on queries that each way answers right with its own chance."""
    rng = Random(seed)
    rows = []
    for i in range(number):
        agree = i % 2 == 0
        rows.append(result("debate", "panel", i, rng.random() < panel, 1.0 if agree else 0.5))
        rows.append(result("single ada", "single", i, rng.random() < single))
        right = agree or rng.random() < vote
        rows.append(result("vote of debate", "vote", i, right, 1.0 if agree else 0.5))
        if samples is not None:
            right = rng.random() < samples
            rows.append(result("self-consistency ada", "self-consistency", i, right))
    return findings(rows, experiment=experiment())


def experiment():
    return Experiment(
        name="x",
        queries=tuple(ExperimentQuery(id=f"q{i}", text="?") for i in range(NUMBER)),
        conditions=(
            Condition(name="debate"),
            Condition(name="vote of debate", way="vote", of="debate"),
            Condition(name="single ada", way="single"),
        ),
    )


def test_answers_that_were_selected_are_compared_with_those_that_were_written():
    made = replace(
        experiment(),
        conditions=(
            Condition(name="written", options={"panel": ["ada", "bob"]}),
            Condition(name="taken", options={"panel": ["ada", "bob"], "answer": "select"}),
            Condition(name="other", options={"panel": ["ada", "cyd"], "answer": "select"}),
        ),
    )
    rows = [
        result(name, "panel", i, right)
        for i in range(NUMBER)
        for name, right in (("written", True), ("taken", i % 4 > 0), ("other", False))
    ]
    seen = findings(rows, experiment=made)
    assert [(c.first, c.second) for c in seen.answers] == [("taken", "written")]
    assert "taken against written: -25.0 [" in str(worth_section(seen).sentences)


@pytest.mark.parametrize(
    ("panel", "single", "said"),
    [
        (0.95, 0.6, "Deliberating pays here: debate is right"),
        (0.75, 0.75, "Deliberating is not shown to pay here"),
        (0.4, 0.9, "Deliberating does not pay here"),
        (0.0, 0.0, "Deliberating is not shown to pay here"),
    ],
)
def test_the_verdict_is_what_the_results_show(panel, single, said):
    assert verdict(found(panel, single)).startswith(said)


def test_the_verdict_names_the_cost_and_whether_more_samples_do_as_well():
    sentence = verdict(found(0.9, 0.6, samples=0.99))
    assert "at 9.0 times the cost" in sentence
    assert "but self-consistency ada gets as far for no more" in sentence


@pytest.mark.parametrize(
    ("panel", "single", "times"),
    [
        (0.06, 0.01, "6.0"),
        (0.06, None, "9.0"),
        (None, 0.01, "9.0"),
        (0.06, 0.0, None),
        (0.0, 0.01, None),
    ],
)
def test_dollars_are_never_divided_by_tokens(panel, single, times):
    lead = report(experiment(), priced(found(0.9, 0.6), panel, single)).lead
    told = [s for s in lead if s.startswith(("Deliberating pays", "debate is better"))]
    assert len(told) == 2
    said = re.findall(r"at ([\d.]+) (?:x its|times the) cost", " ".join(told))
    assert said == ([times, times] if times else [])


def test_without_a_difference_it_says_how_many_queries_would_show_one():
    sentence = verdict(found(0.75, 0.75))
    assert "queries" in sentence
    assert "a gain of 5 points" in sentence


def test_a_debate_is_worth_it_where_first_answers_differ_and_not_where_they_agree():
    said = report(experiment(), found(1.0, 0.6, vote=0.3))
    when = next(s for s in said.sections if s.title == "When deliberating is worth its cost")
    assert "stop there, debating adds nothing" in when.sentences[0]
    assert "that is when it is worth its cost" in when.sentences[1]


def test_a_handful_of_queries_is_too_few_to_say_when_a_debate_is_worth_it():
    said = report(experiment(), found(1.0, 0.6, vote=0.0, number=8))
    when = next(s for s in said.sections if s.title == "When deliberating is worth its cost")
    assert all("too few queries" in sentence for sentence in when.sentences)
    gains = [row[-1] for row in when.rows]
    bounds = [abs(float(x)) for row in gains for x in re.findall(r"[-+]([\d.]+)", row)]
    assert bounds
    assert max(bounds) <= 100


def test_what_the_embedded_model_does_is_said_to_be_a_demo():
    plain = report(experiment(), found(0.95, 0.6)).lead
    seated = Condition(name="debate", options={"panel": ["local:smollm2", "local:smollm2"]})
    demo = replace(experiment(), conditions=(seated, *experiment().conditions[1:]))
    assert report(demo, found(0.95, 0.6)).lead[1:] == plain
    assert "is a demo" in report(demo, found(0.95, 0.6)).lead[0]


def test_a_wider_experiment_leads_with_the_verdict():
    assert report(experiment(), found(0.95, 0.6)).lead[0].startswith("Deliberating pays")
