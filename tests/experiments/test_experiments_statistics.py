"""The figures are right: against independent implementations, and where the truth is known."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import stats as scipy_stats

from mutual_dissent.experiments.statistics.agreement import kappa, position_bias, self_preference
from mutual_dissent.experiments.statistics.calibration import calibration
from mutual_dissent.experiments.statistics.comparison import compare_pairs, holm, sign_flip_test
from mutual_dissent.experiments.statistics.intervals import bootstrap, mean, share
from mutual_dissent.experiments.statistics.panels import (
    effective_size,
    flips,
    frontier,
    sycophancy,
)

# -- intervals


@pytest.mark.parametrize(("right", "of"), [(0, 7), (3, 10), (10, 10), (57, 100), (1, 1)])
def test_the_interval_of_a_share_is_wilsons(right, of):
    ours = share(right, of)
    theirs = scipy_stats.binomtest(right, of).proportion_ci(method="wilson")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))


def test_no_cases_are_no_share():
    with pytest.raises(ValueError, match="0 of 0"):
        share(0, 0)


def paired_scores(rng, n, gain):
    """Right and wrong answers of two ways that share the difficulty of their queries."""
    ease = rng.beta(2, 1.5, n)
    first = rng.random(n) < np.clip(ease + gain, 0, 1)
    second = rng.random(n) < ease
    truth = float((np.clip(ease + gain, 0, 1) - ease).mean())
    return first.astype(float), second.astype(float), truth


@pytest.mark.slow
@pytest.mark.parametrize("gain", [0.0, 0.15])
def test_ninety_five_percent_intervals_hold_the_truth_as_often_as_they_say(gain):
    rng = np.random.default_rng(7)
    population = rng.beta(2, 1.5, 200_000)
    truth = float((np.clip(population + gain, 0, 1) - population).mean())
    held = 0
    for i in range(2000):
        first, second, _ = paired_scores(rng, 80, gain)
        held += truth in mean(first - second, seed=i)
    assert 0.93 <= held / 2000 <= 0.97


@pytest.mark.slow
def test_the_same_holds_for_costs_which_are_skewed():
    rng = np.random.default_rng(11)
    truth = float(np.exp(0.5 * 0.8**2))
    held = sum(truth in mean(rng.lognormal(0, 0.8, 60), seed=i) for i in range(2000))
    assert 0.93 <= held / 2000 <= 0.97


def test_equal_values_leave_room_for_what_was_not_seen():
    found = mean([1.0] * 30)
    assert (found.low, found.high) == pytest.approx((0.9, 1.1))


def test_any_figure_can_be_resampled_the_same_way_twice():
    rows = np.random.default_rng(1).normal(size=(50, 2))
    figure = lambda r: float(np.corrcoef(r.T)[0, 1])  # noqa: E731 - a figure, named once
    assert bootstrap(rows, figure, seed=3) == bootstrap(rows, figure, seed=3)


# -- comparisons


@pytest.mark.parametrize("seed", range(20))
def test_right_and_wrong_answers_are_tested_as_mcnemar_does(seed):
    rng = np.random.default_rng(seed)
    d = rng.choice([-1.0, 0.0, 1.0], size=rng.integers(5, 60), p=[0.2, 0.5, 0.3])
    plus, minus = int((d > 0).sum()), int((d < 0).sum())
    expected = scipy_stats.binomtest(plus, plus + minus).pvalue if plus + minus else 1.0
    assert sign_flip_test(d) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_other_scores_are_tested_as_a_permutation_test_does(seed):
    d = np.random.default_rng(seed).normal(0.3, 1, 12)
    theirs = scipy_stats.permutation_test(
        (d,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip_test(d) == pytest.approx(theirs.pvalue, abs=1e-9)


def test_many_scores_are_sampled_and_come_close():
    d = np.random.default_rng(2).normal(0.25, 1, 80)
    theirs = scipy_stats.ttest_1samp(d, 0).pvalue
    assert sign_flip_test(d) == pytest.approx(theirs, abs=0.01)


def test_several_tests_are_corrected_by_holms_method():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@pytest.mark.slow
def test_a_panel_of_equals_shows_no_gain_and_a_planted_gain_is_found():
    rng = np.random.default_rng(5)
    false_alarms = found = 0
    for i in range(200):
        first, second, _ = paired_scores(rng, 150, 0.0)
        equal = compare_pairs({"panel": first, "best": second}, [("panel", "best")], seed=i)[0]
        false_alarms += equal.shown
        first, second, _ = paired_scores(rng, 150, 0.2)
        better = compare_pairs({"panel": first, "best": second}, [("panel", "best")], seed=i)[0]
        found += better.shown and better.difference.value > 0
    assert false_alarms <= 20  # 5 % of 200, and what chance adds to that
    assert found >= 150


def test_a_comparison_says_on_how_many_queries_which_was_better():
    found = compare_pairs({"a": [1, 1, 0, 1], "b": [0, 1, 1, 0]}, [("a", "b")])[0]
    assert (found.better, found.worse, found.equal, found.queries) == (2, 1, 1, 4)
    assert found.difference.value == pytest.approx(0.25)


def test_different_queries_cannot_be_compared():
    with pytest.raises(ValueError, match="same queries"):
        compare_pairs({"a": [1, 1], "b": [1]}, [("a", "b")])


# -- calibration


def test_honest_claims_have_no_calibration_error_and_boasts_have_one():
    rng = np.random.default_rng(3)
    claims = rng.random(5000)
    honest = calibration(claims, rng.random(5000) < claims)
    boasts = calibration(np.full(5000, 0.95), rng.random(5000) < 0.6)
    assert honest.error < 0.03
    assert boasts.error == pytest.approx(0.35, abs=0.03)
    assert honest.discrimination.value == pytest.approx(0.833, abs=0.02)  # 5/6 for such claims
    assert sum(b.cases for b in honest.bins) == 5000


def test_discrimination_is_the_mann_whitney_statistic():
    rng = np.random.default_rng(4)
    claims, right = np.round(rng.random(60), 1), rng.random(60) < 0.5
    u = scipy_stats.mannwhitneyu(claims[right], claims[~right]).statistic
    found = calibration(claims, right).discrimination
    assert found.value == pytest.approx(u / (right.sum() * (~right).sum()))


def test_where_all_are_right_nothing_is_discriminated():
    assert calibration([0.9, 0.8], [True, True]).discrimination is None


# -- judges


def test_kappa_is_cohens():
    first = ["a"] * 25 + ["b"] * 25
    second = ["a"] * 20 + ["b"] * 5 + ["a"] * 10 + ["b"] * 15
    assert kappa(first, second).value == pytest.approx(0.4)
    assert kappa(first, first).value == pytest.approx(1.0)


def test_a_judge_that_always_takes_the_first_is_caught():
    biased = position_bias([("first", "first")] * 18 + [("first", "second")] * 2)
    assert biased.consistent.value == pytest.approx(0.1)
    assert biased.first.value == pytest.approx(1.0)
    assert position_bias([("first", "second")] * 5).first is None


def test_preferring_ones_own_is_measured_against_other_judges():
    found = self_preference([True] * 30 + [False] * 10, [True] * 20 + [False] * 20)
    assert found.value == pytest.approx(0.25)
    assert 0 not in found


# -- panels


def test_copies_count_as_one_and_strangers_as_many():
    rng = np.random.default_rng(6)
    one = rng.random(400) < 0.6
    copies = effective_size({"a": one, "b": one, "c": one})
    strangers = effective_size({n: rng.random(400) < 0.6 for n in "abc"})
    assert copies.value == pytest.approx(1.0)
    assert strangers.value == pytest.approx(3.0, abs=0.5)
    assert effective_size({"a": [True] * 9, "b": [True] * 9}) is None


def test_what_became_of_answers_is_counted():
    found = flips([True, True, False, False, True], [True, False, True, False, True])
    assert (found.stayed_right, found.right_to_wrong) == (2, 1)
    assert (found.wrong_to_right, found.stayed_wrong) == (1, 1)
    assert found.spoiled.value == pytest.approx(1 / 3)
    assert found.mended.value == pytest.approx(1 / 2)
    assert found.cases == 5


def test_giving_in_counts_only_where_others_said_otherwise():
    found = sycophancy([True, True, True, False], [False, True, False, False], [1, 1, 0, 1])
    assert found.gave_in.value == pytest.approx(0.5)
    assert found.stood.value == pytest.approx(1.0)
    assert sycophancy([True], [False], [False]).gave_in is None


def test_only_what_nothing_cheaper_beats_is_worthwhile():
    points = frontier({"panel": (9.0, 0.8), "single": (1.0, 0.7), "vote": (4.0, 0.65)})
    assert [(p.name, p.worthwhile) for p in points] == [
        ("single", True),
        ("vote", False),
        ("panel", True),
    ]


@pytest.mark.parametrize("value", [0.1, 1 / 3, 0.7])
def test_equal_values_are_equal_also_where_their_mean_is_rounded(value):
    found = mean([value] * 10)
    assert found.high - found.low == pytest.approx(0.6)


def test_a_difference_that_comes_to_nothing_is_no_evidence_however_it_is_rounded():
    assert sign_flip_test(np.array([-0.4, 0.5, -0.4, 0.3])) == 1.0
    assert sign_flip_test(np.array([-0.1, 0.2, -0.4, 0.3])) == 1.0


def test_a_claim_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        calibration([0.5, float("nan")], [True, False])


def test_of_two_equal_ways_neither_beats_the_other():
    points = frontier({"a": (1.0, 0.8), "b": (1.0, 0.8), "c": (2.0, 0.8), "d": (1.0, 0.7)})
    assert [p.name for p in points if p.worthwhile] == ["a", "b"]


def test_thousands_of_different_claims_fit_into_little_memory():
    rng = np.random.default_rng(3)
    claims = rng.random(9_000)
    right = rng.random(9_000) < claims
    tracemalloc.start()
    found = calibration(claims, right)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.discrimination.value == pytest.approx(5 / 6, abs=0.02)
    assert most < 250_000_000
