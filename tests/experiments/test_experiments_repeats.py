"""Repeats of a query are not independent, and who is picked by its results is tried on others."""

from __future__ import annotations

import numpy as np
import pytest

from mutual_dissent.experiments.design.experiment import Condition, Experiment, ExperimentQuery
from mutual_dissent.experiments.results.findings import findings
from mutual_dissent.experiments.results.results import Opinion, Took, TrialResult
from mutual_dissent.experiments.statistics.agreement import kappa, position_bias
from mutual_dissent.experiments.statistics.calibration import calibration
from mutual_dissent.experiments.statistics.intervals import mean_by_query, share_by_query
from mutual_dissent.experiments.statistics.panels import effective_size, flips

FREE = Took(cost_usd=0.0, tokens=1, calls=1, seconds=1.0)
SEATS = 4


def cases(rng, queries, repeats):
    """Query numbers and how easy each case's query is."""
    ease = rng.beta(2, 1.5, queries)
    return np.repeat(np.arange(queries), repeats), np.repeat(ease, repeats)


def result(condition, way, query, repeat, right, **more):
    return TrialResult(
        condition=condition, way=way, query=f"q{query}", repeat=repeat, answer="4",
        right=bool(right), score=None, took=FREE, **more,
    )  # fmt: skip


def held(rng, queries, repeats):
    """Debates of four, their votes and a drill, all the easier the easier the query is."""
    of, ease = cases(rng, queries, repeats)
    n = len(of)
    before = rng.random((n, SEATS)) < ease[:, None]
    spoiled = rng.random((n, SEATS)) < 0.5 * (1 - ease[:, None])
    mended = rng.random((n, SEATS)) < 0.6 * ease[:, None]
    after = np.where(before, ~spoiled, mended)
    agree = before.sum(axis=1) % SEATS == 0
    debate, vote, moved = (rng.random(n) < p for p in (0.2 + 0.8 * ease, ease, 0.8 - 0.6 * ease))
    for i in range(n):
        q, repeat, cluster = of[i], i % repeats, 1.0 if agree[i] else 0.5
        said = tuple(
            Opinion(model="ada", before="4", after="4", right_before=bool(b), right_after=bool(a),
                    contradicted=True)
            for b, a in zip(before[i], after[i], strict=True)
        )  # fmt: skip
        yield result("debate", "panel", q, repeat, debate[i], cluster=cluster, opinions=said)
        yield result("vote", "vote", q, repeat, vote[i], cluster=cluster)
        yield result("drill", "panel", q, repeat, debate[i], followed=bool(moved[i]))


def design(queries):
    return Experiment(
        name="x",
        queries=tuple(ExperimentQuery(id=f"q{i}", text="?", target="5") for i in range(queries)),
        conditions=(
            Condition(name="debate"),
            Condition(name="vote", way="vote", of="debate"),
            Condition(name="drill", poisoned=("bob",), payload="Say five."),
        ),
    )


def figures(rng, queries, repeats):
    """Everything in a report that has an interval and is said of repeated queries."""
    found = findings(held(rng, queries, repeats), experiment=design(queries))
    model = found.models[0]
    agreed, differed = found.splits
    drill = next(s for s in found.shifts if s.poisoned)
    return {
        "accuracy": found.showings[0].accuracy,
        "debates where first answers agree": agreed.debate,
        "votes where they differ": differed.vote,
        "gain where they differ": differed.gain,
        "votes by the share behind them": found.by_cluster[0].right,
        "spoiled": model.flips.spoiled,
        "mended": model.flips.mended,
        "gave in": model.sycophancy.gave_in,
        "drill": drill.followed,
        "effective size": found.effective["debate"],
    }


@pytest.fixture(scope="module")
def truth():
    found = figures(np.random.default_rng(0), 60_000, 1)
    return {name: i.value for name, i in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [2, 5, 10])
def test_intervals_hold_the_truth_however_often_a_query_is_repeated(truth, repeats):
    rng, times = np.random.default_rng(repeats), 200
    hits = dict.fromkeys(truth, 0)
    for _ in range(times):
        for name, interval in figures(rng, 40, repeats).items():
            hits[name] += truth[name] in interval
    short = {name: n / times for name, n in hits.items() if n < 0.92 * times}
    assert not short


def test_repeating_every_query_tells_nothing_more_if_all_repeats_come_out_alike():
    rng = np.random.default_rng(3)
    once = (rng.random(40) < 0.6).tolist()
    names = [f"q{i}" for i in range(40)]
    one, ten = share_by_query(once, names), share_by_query(once * 10, names * 10)
    assert ten.value == one.value
    assert ten.high - ten.low == pytest.approx(one.high - one.low, rel=0.06)
    flip, other = [not r for r in once], [*once[1:], True]
    claims, places = (
        (np.arange(40) / 40).tolist(),
        [("first", "first" if r else "second") for r in once],
    )
    for figure in (
        lambda n: flips(once * n, flip * n, names * n).spoiled,
        lambda n: mean_by_query(once * n, names * n),
        lambda n: effective_size({"a": once * n, "b": other * n}, names * n),
        lambda n: kappa(once * n, other * n, names * n),
        lambda n: position_bias(places * n, names * n).consistent,
        lambda n: calibration(claims * n, once * n, names * n).discrimination,
    ):
        one, ten = figure(1), figure(10)
        assert ten.high - ten.low >= 0.9 * (one.high - one.low)


def test_where_all_are_right_there_is_room_for_as_many_errors_as_queries_allow():
    names = [f"q{i}" for i in range(10)] * 20
    assert share_by_query([True] * 200, names).low < 0.75
    assert share_by_query([True] * 200).low > 0.97


@pytest.mark.parametrize("seed", range(20))
def test_no_panel_is_worth_more_members_than_it_has(seed):
    rng = np.random.default_rng(seed)
    turns = rng.permutation(12)
    right = {n: (turns % SEATS != i).tolist() for i, n in enumerate("abcd")}  # errors alternate
    found = effective_size(right, [f"q{i // 3}" for i in range(12)])
    assert 1 <= found.low <= found.value <= found.high <= SEATS


def equals(rng, models, queries):
    """A panel and models alone that are all right as often as each other."""
    ease = rng.beta(2, 1.5, queries)
    for q in range(queries):
        yield result("debate", "panel", q, 0, rng.random() < ease[q])
        for i in range(models):
            yield result(f"single m{i}", "single", q, 0, rng.random() < ease[q])


@pytest.mark.slow
def test_the_best_of_many_equal_models_does_not_beat_a_panel_that_is_as_good():
    rng, worse, gaps = np.random.default_rng(4), 0, []
    for _ in range(120):
        (found,) = findings(equals(rng, 8, 60)).comparisons
        worse += found.shown
        gaps.append(found.difference.value)
    assert worse <= 12  # 5 % of 120, and what chance adds to that
    assert abs(np.mean(gaps)) < 0.02  # picked on the same queries it would be -0.08


def test_who_is_picked_on_other_queries_is_named_with_what_it_is_worth_there():
    def one(i, right):
        return result(f"single m{i}", "single", q, 0, right)

    rows = []
    for q in range(20):
        rows += [one(0, q % 10 != 0), one(1, q % 2 == 0), result("debate", "panel", q, 0, True)]
    found = findings(rows)
    assert (found.best_single, found.picks) == ("single m0", ("single m0",))
    best = next(s for s in found.showings if s.name == found.baseline)
    assert best.accuracy.value == pytest.approx(0.9)
    assert [(c.first, c.second) for c in found.comparisons] == [("debate", found.baseline)]
