"""Recorded verdicts and answers, decided again: the numbers of the data sets' own README."""

from __future__ import annotations

import json
from functools import partial

import pytest

from mutual_dissent.analysis.answers.short_answers import clusters, normalise_answer, plurality
from mutual_dissent.analysis.scores.juries import (
    accuracy,
    cross_validate,
    judge_accuracy,
    log_odds,
    one_coin,
    verdict,
)

EXACT = 0.0005
SIGN = {"1": 1, "2": -1}
MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
BEST = MODELS[3]


@pytest.fixture(scope="module")
def llmbar(shared):
    """Subset -> cases and truths, prompt style Vanilla."""
    with (shared / "datasets" / "llmbar-verdicts.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    found = {}
    for name in ("Natural", "Adversarial"):
        part = [r for r in rows if r["subset"].startswith(name)]
        cases = [
            {j: [SIGN.get(v, 0) for v in said] for j, said in r["verdicts"]["Vanilla"].items()}
            for r in part
        ]
        found[name] = cases, [SIGN[r["label"]] for r in part]
    return found


@pytest.fixture(scope="module")
def gsm8k(shared):
    with (shared / "datasets" / "gsm8k-recorded.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line)["answers"] for line in lines]


def near(value):
    return pytest.approx(value, abs=EXACT)


def majority(cases, judges=None, orders=2):
    return [
        verdict({j: said[:orders] for j, said in c.items() if not judges or j in judges})
        for c in cases
    ]


@pytest.mark.shared
class TestJuries:
    """319 adversarial pairs and 100 natural ones, six judges, two orders."""

    def test_the_best_judge_alone(self, llmbar):
        assert judge_accuracy(*llmbar["Adversarial"], "GPT-4") == near(0.810)
        assert judge_accuracy(*llmbar["Natural"], "GPT-4") == near(0.955)

    def test_a_majority_of_six(self, llmbar):
        cases, truths = llmbar["Adversarial"]
        assert len(cases) == 319
        assert accuracy(majority(cases, orders=1), truths) == near(0.459)
        assert accuracy(majority(cases), truths) == near(0.500)
        natural, known = llmbar["Natural"]
        assert accuracy(majority(natural), known) == near(0.930)

    def test_smaller_juries(self, llmbar):
        cases, truths = llmbar["Adversarial"]
        three = majority(cases, {"GPT-4", "PaLM2", "ChatGPT"})
        assert accuracy(three, truths) == near(0.682)
        assert accuracy(majority(cases, set(cases[0]) - {"GPT-4"}), truths) == near(0.375)

    def test_weights_learnt_from_labels(self, llmbar):
        cases, truths = llmbar["Adversarial"]
        assert accuracy(cross_validate(cases, truths), truths) == near(0.878)

    def test_weights_clipped_at_zero(self, llmbar):
        """The README says .810 and not which folds; with ours, every fifth case, it is .812.

        One judge, right in 51 %, has a weight of nearly zero: its sign depends on the fold.
        """
        cases, truths = llmbar["Adversarial"]
        clipped = cross_validate(cases, truths, partial(log_odds, clip=True))
        assert accuracy(clipped, truths) == pytest.approx(0.810, abs=0.002)

    def test_without_labels_a_shared_error_is_believed(self, llmbar):
        cases, truths = llmbar["Adversarial"]
        assert accuracy(one_coin(cases), truths) == near(0.223)


def said(row):
    """Model -> its answer as it stands; that none was found is an answer of its own there."""
    return {m: row[m]["answer"] or "no answer" for m in MODELS}


@pytest.mark.shared
class TestAnswers:
    """1,319 sums, four models. The record compares answers letter by letter (`same=str`)."""

    def test_each_model_alone(self, gsm8k):
        right = [sum(row[m]["correct"] for row in gsm8k) / len(gsm8k) for m in MODELS]
        assert right == [near(0.217), near(0.390), near(0.347), near(0.563)]

    def test_plurality_with_ties_to_the_best_model(self, gsm8k):
        trusted = (BEST, "6b_verification", "175b_finetuning", "6b_finetuning")
        right = [row[plurality(said(row), trusted, str).by]["correct"] for row in gsm8k]
        assert sum(right) / len(right) == near(0.564)

    def test_an_oracle_would_find_more(self, gsm8k):
        right = [any(row[m]["correct"] for m in MODELS) for row in gsm8k]
        assert sum(right) / len(right) == near(0.672)

    def test_the_more_agree_the_more_are_right(self, gsm8k):
        """Ties between pairs go to the first model here, and lone answers to the best one's."""
        by_size: dict[int, list[bool]] = {1: [], 2: [], 3: [], 4: []}
        for row in gsm8k:
            size = max(map(len, clusters(said(row), str).values()), default=0)
            by = plurality(said(row), same=str).by if size > 1 else BEST
            by_size[size].append(row[by]["correct"])
        shares = {size: sum(right) / len(right) for size, right in by_size.items()}
        assert {s: len(right) for s, right in by_size.items()} == {4: 163, 3: 245, 2: 423, 1: 488}
        assert shares == {4: near(0.957), 3: near(0.837), 2: near(0.511), 1: near(0.314)}


class TestPlainCases:
    """The same functions on cases that one can check by hand."""

    def test_a_majority_a_tie_and_an_unreadable_verdict(self):
        assert verdict({"a": [1, 1], "b": [-1, 1]}) == 1
        assert verdict({"a": [1, -1], "b": [0, 0]}) == 0
        assert accuracy([1, 0, -1], [1, 1, 1]) == 0.5

    def test_a_judge_that_is_always_wrong_counts_the_other_way_round(self):
        cases = [{"good": [t], "bad": [-t]} for t in (1, -1, 1, -1)]
        weights = log_odds(cases, [1, -1, 1, -1])
        assert weights["good"] == -weights["bad"] > 0
        assert verdict({"good": [0], "bad": [-1]}, weights) == 1
        assert log_odds(cases, [1, -1, 1, -1], clip=True)["bad"] == 0

    def test_without_labels_the_odd_one_out_loses_weight(self):
        cases = [{"a": [t], "b": [t], "c": [-t if i % 2 else t]} for i, t in enumerate([1, -1] * 6)]
        assert one_coin(cases) == [1, -1] * 6
        assert one_coin([]) == []

    def test_answers_are_the_same_whatever_their_dress(self):
        same = {"a": "1,000.", "b": " $1000", "c": "1000.0", "d": "Paris", "e": "paris ", "f": None}
        assert clusters(same) == {"1000": ("a", "b", "c"), "paris": ("d", "e")}
        assert normalise_answer("-0.50") == "-0.5"
        assert normalise_answer("1" * 300) == "1" * 300

    def test_a_tie_goes_to_whom_one_trusts(self):
        answers = {"a": "1", "b": "2", "c": "1", "d": "2"}
        assert plurality(answers).by == "a"
        assert plurality(answers, ["d"]).answer == "2"
        assert plurality(answers).tied
        assert plurality({"a": None, "b": " "}).answer is None
