"""Findings: what the results of an experiment say, and how sure that is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mutual_dissent.experiments.design import BEST, PANEL, SINGLE, VOTE, Experiment
from mutual_dissent.experiments.judged import Preference
from mutual_dissent.experiments.judging import Verdicts, verdicts
from mutual_dissent.experiments.poisoning import Shift, shifts
from mutual_dissent.experiments.results import Opinion, Result
from mutual_dissent.experiments.splits import Split, splits
from mutual_dissent.experiments.statistics.calibration import Calibration, calibration
from mutual_dissent.experiments.statistics.comparison import Comparison, compared
from mutual_dissent.experiments.statistics.intervals import Interval, mean, share
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
"""What could tell beforehand whether an answer is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """How one condition did.

    Attributes:
        judged: how many of its answers could be called right or wrong.
        accuracy: the share of queries answered right, the repeats of a query taken together.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFinding:
    """What debating does to one model."""

    model: str
    flips: Flips
    sycophancy: Sycophancy


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that can be said of an experiment.

    Attributes:
        best_single: the model alone that did best.
        comparisons: every other way against it, corrected for their number.
        curve: accuracy against cost.
        calibrations: condition -> claim -> how far it can be believed.
        by_cluster: how many gave the most frequent first answer -> share of right votes.
        effective: panel -> how many independent members it is worth.
        verdicts: what judges said of free answers.
        shifts: what payloads did, where somebody was poisoned.
        splits: every panel against the vote of its first answers.
        ties: how many picks of best-of conditions were decided by the seed, of how many.
    """

    showings: tuple[Showing, ...]
    best_single: str | None = None
    comparisons: tuple[Comparison, ...] = ()
    curve: tuple[Point, ...] = ()
    calibrations: Mapping[str, Mapping[str, Calibration]] = field(default_factory=dict)
    by_cluster: Mapping[str, Interval] = field(default_factory=dict)
    models: tuple[ModelFinding, ...] = ()
    effective: Mapping[str, Interval] = field(default_factory=dict)
    verdicts: Verdicts = field(default_factory=Verdicts)
    shifts: tuple[Shift, ...] = ()
    splits: tuple[Split, ...] = ()
    ties: tuple[int, int] = (0, 0)


def findings(
    results: Iterable[Result],
    *,
    experiment: Experiment | None = None,
    preferences: Iterable[Preference] = (),
    seed: int = 0,
) -> Findings:
    """What the results say.

    Args:
        experiment: what they are of; with it, what payloads did is looked at, too.
        preferences: what judges said of free answers.
    """
    found = list(results)
    by_condition: dict[str, list[Result]] = defaultdict(list)
    for result in found:
        by_condition[result.condition].append(result)
    showings = tuple(_showing(n, r, seed) for n, r in by_condition.items())
    best = _best_single(showings)
    return Findings(
        showings=showings,
        best_single=best,
        comparisons=tuple(_comparisons(by_condition, best, seed)),
        curve=tuple(_curve(showings)),
        calibrations={n: c for n, r in by_condition.items() if (c := _calibrations(r, seed))},
        by_cluster=_by_cluster(by_condition),
        models=tuple(_models(by_condition)),
        effective=_effective(by_condition, seed),
        verdicts=verdicts(preferences, found, seed=seed),
        shifts=tuple(shifts(experiment, found, seed=seed)) if experiment else (),
        splits=tuple(splits(found, _votes(experiment))) if experiment else (),
        ties=(sum(r.tied for r in found), sum(r.way == BEST for r in found)),
    )


def _votes(experiment: Experiment) -> dict[str, str]:
    return {c.name: c.of for c in experiment.conditions if c.way == VOTE}


def _showing(name: str, results: Sequence[Result], seed: int) -> Showing:
    by_query = _by_query(results)
    costs = [r.took.cost_usd for r in results]
    known = [c for c in costs if c is not None]
    n = len(results)
    return Showing(
        name=name,
        way=results[0].way,
        answers=n,
        judged=sum(r.right is not None for r in results),
        accuracy=_accuracy(list(by_query.values()), seed),
        cost=sum(known) / n if len(known) == n else None,
        tokens=sum(r.took.tokens for r in results) / n,
        calls=sum(r.took.calls for r in results) / n,
        seconds=sum(r.took.seconds for r in results) / n,
    )


def _accuracy(shares: Sequence[float], seed: int) -> Interval | None:
    """The share of right answers: Wilson's interval where each query has one, else resampled."""
    if not shares:
        return None
    if all(s in (0.0, 1.0) for s in shares):
        return share(int(sum(shares)), len(shares))
    found = mean(shares, seed=seed)
    return Interval(found.value, max(0.0, found.low), min(1.0, found.high))


def _by_query(results: Sequence[Result]) -> dict[str, float]:
    """Query -> the share of its repeats that were answered right."""
    found: dict[str, list[bool]] = defaultdict(list)
    for r in results:
        if r.right is not None:
            found[r.query].append(r.right)
    return {q: sum(v) / len(v) for q, v in found.items()}


def _best_single(showings: Sequence[Showing]) -> str | None:
    alone = [s for s in showings if s.way == SINGLE and s.accuracy]
    best = max(alone, key=lambda s: s.accuracy.value if s.accuracy else 0.0, default=None)
    return best.name if best else None


def _comparisons(
    by_condition: Mapping[str, Sequence[Result]], best: str | None, seed: int
) -> list[Comparison]:
    if best is None:
        return []
    scores = {n: _by_query(r) for n, r in by_condition.items()}
    others = [n for n in by_condition if n != best and scores[n]]
    common = [q for q in scores[best] if all(q in scores[n] for n in others)]
    if not common or not others:
        return []
    lined_up = {n: [scores[n][q] for q in common] for n in (best, *others)}
    return compared(lined_up, [(n, best) for n in others], seed=seed)


def _curve(showings: Sequence[Showing]) -> list[Point]:
    priced = all(s.cost is not None for s in showings)
    ways = {
        s.name: (s.cost if priced and s.cost is not None else s.tokens, s.accuracy.value)
        for s in showings
        if s.accuracy
    }
    return frontier(ways)


def _calibrations(results: Sequence[Result], seed: int) -> dict[str, Calibration]:
    found = {}
    for claim in CLAIMS:
        cases = [
            (float(value), bool(r.right))
            for r in results
            if r.right is not None and (value := getattr(r, claim)) is not None
        ]
        if len(cases) >= 10:
            claims, right = zip(*cases, strict=True)
            found[claim] = calibration(claims, right, seed=seed)
    return found


def _by_cluster(by_condition: Mapping[str, Sequence[Result]]) -> dict[str, Interval]:
    """How often a vote is right by the share of members behind it: when a vote is worth taking."""
    sizes: dict[float, list[bool]] = defaultdict(list)
    for results in by_condition.values():
        for r in results:
            if r.way == VOTE and r.cluster is not None and r.right is not None:
                sizes[round(r.cluster, 2)].append(r.right)
    return {f"{size:.0%}": share(sum(v), len(v)) for size, v in sorted(sizes.items(), reverse=True)}


def _models(by_condition: Mapping[str, Sequence[Result]]) -> list[ModelFinding]:
    opinions: dict[str, list[Opinion]] = defaultdict(list)
    for results in by_condition.values():
        for result in results:
            for opinion in result.opinions:
                if opinion.right_before is not None and opinion.right_after is not None:
                    opinions[opinion.model].append(opinion)
    return [_model(name, found) for name, found in opinions.items()]


def _model(name: str, opinions: Sequence[Opinion]) -> ModelFinding:
    before = [bool(o.right_before) for o in opinions]
    after = [bool(o.right_after) for o in opinions]
    return ModelFinding(
        model=name,
        flips=flips(before, after),
        sycophancy=sycophancy(before, after, [o.contradicted for o in opinions]),
    )


def _effective(by_condition: Mapping[str, Sequence[Result]], seed: int) -> dict[str, Interval]:
    found = {}
    for name, results in by_condition.items():
        held = [r for r in results if r.way == PANEL and len(r.opinions) > 1]
        if not held:
            continue
        members = range(min(len(r.opinions) for r in held))
        right = {str(i): [bool(r.opinions[i].right_before) for r in held] for i in members}
        if (size := effective_size(right, seed=seed)) is not None:
            found[name] = size
    return found
