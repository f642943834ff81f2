"""Judges' comparisons of free answers, and how reliable the judges are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mutual_dissent.experiments.jury.schedule import Preference
from mutual_dissent.experiments.results.results import TrialResult
from mutual_dissent.experiments.statistics.agreement import (
    Bias,
    kappa,
    position_bias,
    self_preference,
)
from mutual_dissent.experiments.statistics.comparison import holm, sign_flip_test
from mutual_dissent.experiments.statistics.intervals import Interval, mean, within


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferred:
    """The share of one condition's free answers preferred to another's, a tie counted half."""

    first: str
    second: str
    queries: int
    share: Interval
    p: float
    corrected: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeVerdicts:
    """All verdicts of the judges.

    Attributes:
        bias: judge -> how far the place of an answer moves it.
        own: judge -> how much more often it prefers its own vendor's answers than other judges do.
        accord: judge -> kappa with the known answers, where one of two was right.
    """

    preferred: tuple[Preferred, ...] = ()
    bias: Mapping[str, Bias] = field(default_factory=dict)
    own: Mapping[str, Interval] = field(default_factory=dict)
    accord: Mapping[str, Interval] = field(default_factory=dict)


def verdicts(
    preferences: Iterable[Preference], results: Iterable[TrialResult] = (), *, seed: int = 0
) -> JudgeVerdicts:
    """Return the judges' preferences, and how reliable they are."""
    found = list(preferences)
    right = {(r.condition, r.query, r.repeat): r.right for r in results}
    judges = list(dict.fromkeys(p.judge for p in found))
    of = {j: [p for p in found if p.judge == j] for j in judges}
    return JudgeVerdicts(
        preferred=tuple(_preferred(found, seed)),
        bias={j: b for j in judges if (b := _bias(of[j])) is not None},
        own={j: i for j in judges if (i := _own(of[j], found, seed)) is not None},
        accord={j: i for j in judges if (i := _accord(of[j], right)) is not None},
    )


def _preferred(found: Sequence[Preference], seed: int) -> list[Preferred]:
    """Return each pair of conditions, by impartial judges where there are any."""
    by_pair: dict[tuple[str, str], list[Preference]] = defaultdict(list)
    for p in found:
        by_pair[p.first, p.second].append(p)
    rows = []
    for (first, second), scored in by_pair.items():
        heard = [p for p in scored if p.impartial] or scored
        by_query: dict[str, list[float]] = defaultdict(list)
        for p in heard:
            by_query[p.query].append(p.score)
        scores = np.array([sum(v) / len(v) for v in by_query.values()])
        rows.append((first, second, scores, sign_flip_test(scores - 0.5, seed=seed)))
    corrected = holm([r[3] for r in rows])
    return [
        Preferred(first=a, second=b, queries=len(s), p=p, corrected=c,
                  share=within(mean(s, seed=seed), 0.0, 1.0))
        for (a, b, s, p), c in zip(rows, corrected, strict=True)
    ]  # fmt: skip


def _bias(mine: Sequence[Preference]) -> Bias | None:
    placed = [(p.places, p.query) for p in mine if p.places]
    return position_bias([v for v, _ in placed], [q for _, q in placed]) if placed else None


def _own(mine: Sequence[Preference], found: Sequence[Preference], seed: int) -> Interval | None:
    """Return the judge's self-preference, on pairs that other judges read, too."""
    others: dict[tuple[str, str, str, int], list[float]] = defaultdict(list)
    for p in found:
        if mine and p.judge != mine[0].judge:
            others[p.first, p.second, p.query, p.repeat].append(p.score)
    rows, queries = [], []
    for p in mine:
        scores = others.get((p.first, p.second, p.query, p.repeat))
        if p.own is not None and scores:
            theirs = sum(scores) / len(scores)
            to_first = p.own == p.first
            rows.append((p.score, theirs) if to_first else (1 - p.score, 1 - theirs))
            queries.append(p.query)
    if len(rows) < 2:
        return None
    own, by_others = zip(*((a > 0.5, b > 0.5) for a, b in rows), strict=True)
    return self_preference(own, by_others, queries, seed=seed)


def _accord(
    mine: Sequence[Preference], right: Mapping[tuple[str, str, int], bool | None]
) -> Interval | None:
    judged, known, queries = [], [], []
    for p in mine:
        a, b = (right.get((n, p.query, p.repeat)) for n in (p.first, p.second))
        if a is None or b is None or a == b or p.score == 0.5:
            continue
        judged.append("first" if p.score > 0.5 else "second")
        known.append("first" if a else "second")
        queries.append(p.query)
    return kappa(judged, known, queries) if len(judged) >= 10 else None
