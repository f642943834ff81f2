"""Findings: what the results of an experiment say, and how sure that is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mutual_dissent.core.brief import AMEND, SELECT, SYNTHESIZE
from mutual_dissent.experiments.design.experiment import (
    BEST,
    PANEL,
    SINGLE,
    VOTE,
    Condition,
    Experiment,
)
from mutual_dissent.experiments.jury.schedule import Preference
from mutual_dissent.experiments.results.baseline import PICKED, baseline
from mutual_dissent.experiments.results.drill import PayloadEffect, shifts
from mutual_dissent.experiments.results.reliability import JudgeVerdicts, verdicts
from mutual_dissent.experiments.results.results import Opinion, TrialResult
from mutual_dissent.experiments.results.shares import by_query, enough_read, share_of
from mutual_dissent.experiments.results.splits import Split, splits
from mutual_dissent.experiments.statistics.calibration import Calibration, calibration
from mutual_dissent.experiments.statistics.comparison import Comparison, compare_by_query
from mutual_dissent.experiments.statistics.intervals import Interval
from mutual_dissent.experiments.statistics.panels import (
    Flips,
    Point,
    Sycophancy,
    effective_size,
    flips,
    frontier,
    sycophancy,
)

CLAIMS = ("agreement", "cluster", "confidence")
"""Figures that could tell beforehand whether an answer is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionSummary:
    """The results of one condition.

    Attributes:
        unreadable: the number of answers that cannot be read; they count for nothing, and if they
            are too many, it is not `comparable` with others.
        judged: the number of answers that could be called right or wrong.
        accuracy: the share of those that are right.
        cost: dollars a query, where all prices are known.
    """

    name: str
    way: str
    answers: int
    judged: int
    accuracy: Interval | None
    cost: float | None
    tokens: float
    calls: float
    seconds: float
    unreadable: int = 0
    comparable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFinding:
    """The effect of debating on one model."""

    model: str
    flips: Flips
    sycophancy: Sycophancy


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """Votes with the same share of the panel behind them.

    Attributes:
        share: the share of the first answers that were the most frequent one.
        right: the share of right votes.
        against: the vote against the best model alone on the same queries.
    """

    share: float
    cases: int
    right: Interval
    against: Comparison | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentFindings:
    """All findings of an experiment.

    Attributes:
        best_single: the model alone that was picked as the best most often; `picks` are all of
            them, `baseline` is the name under which it is compared.
        comparisons: every way of several answers against it, corrected for their number.
        curve: accuracy against cost.
        calibrations: condition -> claim -> how reliable it is.
        by_cluster: votes by the share of first answers that are the most frequent one.
        effective: panel -> the number of independent members that it is worth.
        verdicts: the judges' verdicts on free answers.
        shifts: the effects of payloads, where a panelist was poisoned.
        splits: every panel against the vote of its first answers.
        answers: conditions that select or amend, against their like that synthesize.
        ties: the number of picks of best-of conditions that the seed decided, and of all picks.
    """

    showings: tuple[ConditionSummary, ...]
    best_single: str | None = None
    picks: tuple[str, ...] = ()
    baseline: str | None = None
    comparisons: tuple[Comparison, ...] = ()
    curve: tuple[Point, ...] = ()
    calibrations: Mapping[str, Mapping[str, Calibration]] = field(default_factory=dict)
    by_cluster: tuple[Agreed, ...] = ()
    models: tuple[ModelFinding, ...] = ()
    effective: Mapping[str, Interval] = field(default_factory=dict)
    verdicts: JudgeVerdicts = field(default_factory=JudgeVerdicts)
    shifts: tuple[PayloadEffect, ...] = ()
    splits: tuple[Split, ...] = ()
    answers: tuple[Comparison, ...] = ()
    ties: tuple[int, int] = (0, 0)


def findings(
    results: Iterable[TrialResult],
    *,
    experiment: Experiment | None = None,
    preferences: Iterable[Preference] = (),
    seed: int = 0,
) -> ExperimentFindings:
    """Return the findings in these results.

    Args:
        experiment: the one that they are of; with it, the effects of payloads are found, too.
        preferences: the judges' preferences between free answers.
    """
    found = list(results)
    by_condition: dict[str, list[TrialResult]] = defaultdict(list)
    for result in found:
        by_condition[result.condition].append(result)
    showings = tuple(_showing(n, r) for n, r in by_condition.items())
    alone = {s.name: by_condition[s.name] for s in showings if s.way == SINGLE and s.comparable}
    best = baseline(alone)
    picked = best.results if best else ()
    # Of one model alone, the baseline is that very condition, which is shown already.
    own = () if best is None or best.name in by_condition else (_showing(best.name, picked),)
    return ExperimentFindings(
        showings=(*showings, *own),
        best_single=best.picks[0] if best else None,
        picks=best.picks if best else (),
        baseline=best.name if best else None,
        comparisons=tuple(_comparisons(showings, by_condition, picked, seed)),
        curve=tuple(_curve(showings)),
        calibrations={n: c for n, r in by_condition.items() if (c := _calibrations(r))},
        by_cluster=tuple(_by_cluster(found, picked, seed)),
        models=tuple(_models(found)),
        effective=_effective(by_condition),
        verdicts=verdicts(preferences, found, seed=seed),
        shifts=tuple(shifts(experiment, found, seed=seed)) if experiment else (),
        splits=tuple(splits(found, _votes(experiment))) if experiment else (),
        answers=tuple(_answer_ways(experiment, by_condition, seed)) if experiment else (),
        ties=(sum(r.tied for r in found), sum(r.way == BEST for r in found)),
    )


def _votes(experiment: Experiment) -> dict[str, str]:
    return {c.name: c.of for c in experiment.conditions if c.way == VOTE}


def _answer_ways(
    experiment: Experiment, by_condition: Mapping[str, Sequence[TrialResult]], seed: int
) -> list[Comparison]:
    """Compare answers that were selected or amended with those that were synthesized."""
    panels = [c for c in experiment.conditions if c.way == PANEL and c.name in by_condition]
    usual = [c for c in panels if c.options.get("answer") in (None, SYNTHESIZE)]
    pairs = [
        (c.name, other.name)
        for c in panels
        if c.options.get("answer") in (SELECT, AMEND)
        for other in usual
        if _but_for_answer(c) == _but_for_answer(other)
    ]
    names = {name for pair in pairs for name in pair}
    scores = {name: by_query(by_condition[name]) for name in names}
    return compare_by_query(scores, pairs, seed=seed) if pairs else []


def _but_for_answer(c: Condition) -> tuple[object, ...]:
    options = {k: v for k, v in c.options.items() if k != "answer"}
    return (options, dict(c.context), c.poisoned, c.payload)


def _showing(name: str, results: Sequence[TrialResult]) -> ConditionSummary:
    costs = [r.took.cost_usd for r in results]
    known = [c for c in costs if c is not None]
    n = len(results)
    return ConditionSummary(
        name=name,
        way=results[0].way,
        answers=n,
        judged=sum(r.right is not None for r in results),
        accuracy=share_of(results),
        cost=sum(known) / n if len(known) == n else None,
        tokens=sum(r.took.tokens for r in results) / n,
        calls=sum(r.took.calls for r in results) / n,
        seconds=sum(r.took.seconds for r in results) / n,
        unreadable=sum(r.answer is None for r in results),
        comparable=enough_read(results),
    )


def _comparisons(
    showings: Sequence[ConditionSummary],
    by_condition: Mapping[str, Sequence[TrialResult]],
    best: Sequence[TrialResult],
    seed: int,
) -> list[Comparison]:
    """Compare every way of several answers, as far as they can be read, with the best model."""
    others = [s.name for s in showings if s.way != SINGLE and s.comparable]
    if not best:
        return []
    scores = {n: by_query(by_condition[n]) for n in others}
    name = best[0].condition
    pairs = [(n, name) for n in others]
    return compare_by_query({**scores, name: by_query(best)}, pairs, seed=seed)


def _curve(showings: Sequence[ConditionSummary]) -> list[Point]:
    # One unit for all points: tokens, as soon as a single price is missing.
    priced = all(s.cost is not None for s in showings)
    ways = {
        s.name: (s.cost if priced and s.cost is not None else s.tokens, s.accuracy.value)
        for s in showings
        if s.accuracy
    }
    return frontier(ways)


def _calibrations(results: Sequence[TrialResult]) -> dict[str, Calibration]:
    by_claim = {}
    for claim in CLAIMS:
        cases = [
            (float(value), bool(r.right), r.query)
            for r in results
            if r.right is not None and (value := getattr(r, claim)) is not None
        ]
        if len(cases) >= 10:
            by_claim[claim] = calibration(*zip(*cases, strict=True))
    return by_claim


def _by_cluster(
    results: Sequence[TrialResult], best: Sequence[TrialResult], seed: int
) -> list[Agreed]:
    """Return how often a vote is right by the share of members behind it, and its gain there."""
    votes: dict[float, list[TrialResult]] = defaultdict(list)
    for r in results:
        if r.way == VOTE and r.cluster is not None and r.right is not None:
            votes[round(r.cluster, 2)].append(r)
    sizes = sorted(votes, reverse=True)
    scores = {f"{size:.0%}": by_query(votes[size]) for size in sizes}
    pairs = [(name, PICKED) for name in scores]
    tests = compare_by_query({**scores, PICKED: by_query(best)}, pairs, seed=seed)
    against = {c.first: c for c in tests}
    return [
        Agreed(
            share=size,
            cases=len(votes[size]),
            right=right,
            against=against.get(f"{size:.0%}"),
        )
        for size in sizes
        if (right := share_of(votes[size])) is not None
    ]


def _models(results: Sequence[TrialResult]) -> list[ModelFinding]:
    opinions: dict[str, list[tuple[Opinion, str]]] = defaultdict(list)
    for result in results:
        for opinion in result.opinions:
            if opinion.right_before is not None and opinion.right_after is not None:
                opinions[opinion.model].append((opinion, result.query))
    return [_model(name, found) for name, found in opinions.items()]


def _model(name: str, opinions: Sequence[tuple[Opinion, str]]) -> ModelFinding:
    before = [bool(o.right_before) for o, _ in opinions]
    after = [bool(o.right_after) for o, _ in opinions]
    queries = [q for _, q in opinions]
    return ModelFinding(
        model=name,
        flips=flips(before, after, queries),
        sycophancy=sycophancy(before, after, [o.contradicted for o, _ in opinions], queries),
    )


def _effective(by_condition: Mapping[str, Sequence[TrialResult]]) -> dict[str, Interval]:
    """Return every panel's effective size, on the cases in which all first answers can be read."""
    sizes = {}
    for name, results in by_condition.items():
        held = [r for r in results if r.way == PANEL and len(r.opinions) > 1]
        held = [r for r in held if all(o.right_before is not None for o in r.opinions)]
        if not held:
            continue
        members = range(min(len(r.opinions) for r in held))
        right = {str(i): [bool(r.opinions[i].right_before) for r in held] for i in members}
        if (size := effective_size(right, [r.query for r in held])) is not None:
            sizes[name] = size
    return sizes
