"""Panels: the number of independent heads in them, and what debating does to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mutual_dissent.experiments.statistics.intervals import (
    EVEN,
    Floats,
    Interval,
    Queries,
    jackknife,
    queries_of,
    query_blocks,
    share_by_query,
)


def effective_size(right: Mapping[str, Sequence[bool]], queries: Queries = None) -> Interval | None:
    """Return the number of members without common errors that a panel is worth.

    n members whose errors correlate by r on average count as n / (1 + (n - 1) r). None where no
    member, or every member, ever errs: nothing can be said then.

    Args:
        right: member -> whether it was right, case by case.
        queries: the query of each case.
    """
    rows = [np.asarray(v, dtype=np.float64) for v in right.values()]
    members = len(rows)
    if members < 2 or not len(rows[0]):
        return None
    places = query_blocks(queries, len(rows[0]))

    def summed(values: Floats) -> Floats:
        return np.bincount(places, weights=values).astype(np.float64)

    alone = [summed(r) for r in rows]
    both = [summed(a * b) for a in rows for b in rows]
    sums = np.column_stack([summed(np.ones(len(rows[0]))), *alone, *both])
    common = jackknife(sums, lambda some: _common(some, members))
    if np.isnan(common.value):
        return None

    def size(r: float) -> float:
        # Errors that avoid each other by chance would make a panel worth more than its members.
        return members / (1 + (members - 1) * min(1.0, max(0.0, r)))

    if np.isnan(common.low):
        return Interval(size(common.value), 1.0, float(members))
    # The more they err together, the fewer they are worth: the bounds change places.
    return Interval(size(common.value), size(common.high), size(common.low))


def _common(sums: Floats, members: int) -> Floats:
    """Return the mean correlation of errors; members that never vary are left out."""
    means = sums / sums[:, :1]
    own = means[:, 1 : members + 1]
    both = means[:, members + 1 :].reshape(-1, members, members)
    covariance = both - own[:, :, None] * own[:, None, :]
    deviation = np.sqrt(np.clip(np.einsum("tii->ti", covariance), 0.0, None))
    varied = deviation > EVEN
    # Divided by infinity, members that never vary drop out of the sum.
    scale = np.where(varied, deviation, np.inf)
    correlation = covariance / (scale[:, :, None] * scale[:, None, :])
    n = varied.sum(axis=1)
    mean = (correlation.sum(axis=(1, 2)) - n) / np.maximum(n * (n - 1), 1)
    return np.where(n >= 2, mean, np.nan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """Answers from before to after: kept or changed, for better or worse.

    Attributes:
        spoiled: the share of right answers that were given up.
        mended: the share of wrong answers that were corrected.
    """

    stayed_right: int
    stayed_wrong: int
    right_to_wrong: int
    wrong_to_right: int
    spoiled: Interval | None
    mended: Interval | None

    @property
    def cases(self) -> int:
        """Return the number of all answers."""
        changed = self.right_to_wrong + self.wrong_to_right
        return self.stayed_right + self.stayed_wrong + changed


def flips(before: Sequence[bool], after: Sequence[bool], queries: Queries = None) -> Flips:
    """Count how answers changed."""
    pairs = list(zip(before, after, strict=True))
    return Flips(
        stayed_right=pairs.count((True, True)),
        stayed_wrong=pairs.count((False, False)),
        right_to_wrong=pairs.count((True, False)),
        wrong_to_right=pairs.count((False, True)),
        spoiled=_share_of([(b, not a) for b, a in pairs], queries),
        mended=_share_of([(not b, a) for b, a in pairs], queries),
    )


def _share_of(cases: Sequence[tuple[bool, bool]], queries: Queries) -> Interval | None:
    """Return the share of the selected cases of which something is true."""
    meant = [i for i, (counts, _) in enumerate(cases) if counts]
    if not meant:
        return None
    return share_by_query([cases[i][1] for i in meant], queries_of(queries, meant))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sycophancy:
    """The readiness of a model to give in when the other panelists disagree.

    Attributes:
        gave_in: the share of its right answers, contradicted by most others, that it gave up.
        stood: the share of its wrong answers, contradicted likewise, that it kept.
    """

    gave_in: Interval | None
    stood: Interval | None


def sycophancy(
    before: Sequence[bool],
    after: Sequence[bool],
    contradicted: Sequence[bool],
    queries: Queries = None,
) -> Sycophancy:
    """Count giving in, only where most others had said something else."""
    rows = list(zip(before, after, contradicted, strict=True))
    return Sycophancy(
        gave_in=_share_of([(bool(c and b), not a) for b, a, c in rows], queries),
        stood=_share_of([(bool(c and not b), not a) for b, a, c in rows], queries),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One way of answering on the plane of cost and accuracy."""

    name: str
    cost: float
    accuracy: float
    worthwhile: bool


def frontier(ways: Mapping[str, tuple[float, float]]) -> list[Point]:
    """Return the ways by cost; a way is worthwhile if no cheaper or equally dear one beats it.

    Args:
        ways: name -> the cost of a query, and the share answered right.
    """
    points: list[Point] = []
    best: tuple[float, float] | None = None
    for name, (cost, accuracy) in sorted(ways.items(), key=lambda w: (w[1][0], -w[1][1], w[0])):
        worthwhile = best is None or accuracy > best[1] or (cost, accuracy) == best
        points.append(Point(name=name, cost=cost, accuracy=accuracy, worthwhile=worthwhile))
        best = (cost, accuracy) if worthwhile else best
    return points
