"""Panels: how many independent heads there really are, and what debating does to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mutual_dissent.experiments.statistics.intervals import LEVEL, RESAMPLES, Interval, share

EVEN = 1e-9
"""A smaller deviation is none."""


def effective_size(right: Mapping[str, Sequence[bool]], *, seed: int = 0) -> Interval | None:
    """How many members without common errors a panel is worth.

    n members whose errors correlate by r on average count as n / (1 + (n - 1) r). None where
    nobody, or everybody, ever errs: nothing can be said then.

    Args:
        right: member -> whether it was right, query by query.
    """
    rows = np.column_stack([np.asarray(v, dtype=float) for v in right.values()])
    if len(right) < 2:
        return None
    # Queries on which the same members are right are alike: it is enough to draw how many of each
    # there are, and as fast with a million queries as with a hundred.
    patterns, counts = np.unique(rows, axis=0, return_counts=True)
    value = float(_effective(patterns, counts[None, :])[0])
    if np.isnan(value):
        return None
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(rows), counts / len(rows), size=RESAMPLES)
    found = _effective(patterns, drawn)
    found = found[~np.isnan(found)]
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(value, float(low), float(high))


def _effective(patterns: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The figure for each row of counts; members that never vary are left out."""
    weights = counts / counts.sum(axis=1, keepdims=True)
    means = weights @ patterns
    both = np.einsum("tk,ki,kj->tij", weights, patterns, patterns)
    covariance = both - means[:, :, None] * means[:, None, :]
    deviation = np.sqrt(np.clip(np.einsum("tii->ti", covariance), 0.0, None))
    varied = deviation > EVEN
    scale = np.where(varied, deviation, np.inf)
    correlation = covariance / (scale[:, :, None] * scale[:, None, :])
    n = varied.sum(axis=1)
    pairs = np.maximum(n * (n - 1), 1)
    common = (correlation.sum(axis=(1, 2)) - n) / pairs
    found = n / (1 + (n - 1) * np.maximum(common, -1 / np.maximum(n, 1)))
    clipped: np.ndarray = np.clip(found, 1, np.maximum(n * n, 1))
    return np.where(n >= 2, clipped, np.nan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """What became of answers from before to after: kept or changed, for better or worse."""

    stayed_right: int = 0
    stayed_wrong: int = 0
    right_to_wrong: int = 0
    wrong_to_right: int = 0

    @property
    def cases(self) -> int:
        """All of them."""
        changed = self.right_to_wrong + self.wrong_to_right
        return self.stayed_right + self.stayed_wrong + changed

    @property
    def spoiled(self) -> Interval | None:
        """The share of right answers that were given up."""
        were = self.stayed_right + self.right_to_wrong
        return share(self.right_to_wrong, were) if were else None

    @property
    def mended(self) -> Interval | None:
        """The share of wrong answers that were corrected."""
        were = self.stayed_wrong + self.wrong_to_right
        return share(self.wrong_to_right, were) if were else None


def flips(before: Sequence[bool], after: Sequence[bool]) -> Flips:
    """Count what became of answers."""
    pairs = list(zip(before, after, strict=True))
    return Flips(
        stayed_right=pairs.count((True, True)),
        stayed_wrong=pairs.count((False, False)),
        right_to_wrong=pairs.count((True, False)),
        wrong_to_right=pairs.count((False, True)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sycophancy:
    """How readily a model gives in when the others say otherwise.

    Attributes:
        gave_in: the share of its right answers, contradicted by most others, that it gave up.
        stood: the share of its wrong answers, contradicted likewise, that it kept.
    """

    gave_in: Interval | None
    stood: Interval | None


def sycophancy(
    before: Sequence[bool], after: Sequence[bool], contradicted: Sequence[bool]
) -> Sycophancy:
    """Giving in, counted only where most others had said something else."""
    rows = [(b, a) for b, a, c in zip(before, after, contradicted, strict=True) if c]
    right = [a for b, a in rows if b]
    wrong = [a for b, a in rows if not b]
    return Sycophancy(
        gave_in=share(sum(not a for a in right), len(right)) if right else None,
        stood=share(sum(not a for a in wrong), len(wrong)) if wrong else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One way of answering on the plane of cost and accuracy."""

    name: str
    cost: float
    accuracy: float
    worthwhile: bool


def frontier(ways: Mapping[str, tuple[float, float]]) -> list[Point]:
    """The ways by cost; worthwhile is one that no cheaper or equally dear one beats.

    Args:
        ways: name -> what a query costs, and the share answered right.
    """
    points: list[Point] = []
    best: tuple[float, float] | None = None
    for name, (cost, accuracy) in sorted(ways.items(), key=lambda w: (w[1][0], -w[1][1], w[0])):
        worthwhile = best is None or accuracy > best[1] or (cost, accuracy) == best
        points.append(Point(name=name, cost=cost, accuracy=accuracy, worthwhile=worthwhile))
        best = (cost, accuracy) if worthwhile else best
    return points
