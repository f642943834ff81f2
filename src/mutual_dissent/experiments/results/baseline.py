"""The baseline: the best model alone, picked on other queries than those that it is tried on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mutual_dissent.experiments.results.results import TrialResult
from mutual_dissent.experiments.results.shares import by_query
from mutual_dissent.experiments.statistics.comparison import folds

BEST_ALONE = "best model alone, picked on other queries"
PICKED = "picked"
"""The way of answers that are taken from the models alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The model that everything else is compared with.

    Attributes:
        name: the condition of its results.
        picks: the conditions of the models that were picked, the most frequent one first.
    """

    name: str
    picks: tuple[str, ...]
    results: tuple[TrialResult, ...]


def baseline(alone: Mapping[str, Sequence[TrialResult]]) -> Baseline | None:
    """Return the best of some models alone; None if there are none.

    A model that is picked and tried on the same queries looks better than it is: it is picked in
    five folds, for each on the queries of the other four.
    """
    scores = {name: by_query(results) for name, results in alone.items()}
    scores = {name: s for name, s in scores.items() if s}
    if len(scores) < 2:
        return next((_only(n, alone[n]) for n in scores), None)
    queries = list(dict.fromkeys(q for s in scores.values() for q in s))
    picks: list[str] = []
    picked: list[TrialResult] = []
    for kept, tried in folds(len(queries)):
        seen, mine = ({queries[i] for i in rows} for rows in (kept, tried))
        pick = max(scores, key=lambda name: _mean_on(scores[name], seen))
        picks += [pick] * len(mine)
        picked += [r for r in alone[pick] if r.query in mine]
    return Baseline(
        name=BEST_ALONE,
        picks=tuple(name for name, _ in Counter(picks).most_common()),
        results=tuple(replace(r, condition=BEST_ALONE, way=PICKED) for r in picked),
    )


def _only(name: str, results: Sequence[TrialResult]) -> Baseline:
    return Baseline(name=name, picks=(name,), results=tuple(results))


def _mean_on(scores: Mapping[str, float], queries: set[str]) -> float:
    known = [score for q, score in scores.items() if q in queries]
    return sum(known) / len(known) if known else -1.0
