"""Calibration: does what claims to be sure turn out right as often as it claims?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mutual_dissent.experiments.statistics.intervals import Interval, resampled, share

BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Cases of about the same claim: what they claimed, how often they were right."""

    low: float
    high: float
    cases: int
    claimed: float
    right: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How far a claim between 0 and 1 can be believed.

    Attributes:
        error: the expected calibration error: how far claims and truth are apart on average.
        brier: the mean squared distance of claim and truth; 0.25 is what a coin gets.
        discrimination: how often a right answer claims more than a wrong one; 0.5 is chance; None
            where all were right or all wrong.
    """

    cases: int
    bins: tuple[Bin, ...]
    error: float
    brier: float
    discrimination: Interval | None


def calibration(claims: Sequence[float], right: Sequence[bool], *, seed: int = 0) -> Calibration:
    """Claims against correctness, one of each a case.

    Raises:
        ValueError: if there are none, or a claim is not between 0 and 1.
    """
    c, r = np.asarray(claims, dtype=np.float64), np.asarray(right, dtype=bool)
    if len(c) == 0 or len(c) != len(r) or ((c < 0) | (c > 1)).any():
        raise ValueError("as many claims between 0 and 1 as outcomes are needed, at least one")
    bins = tuple(_bins(c, r))
    rows = np.column_stack([c, r])
    both = 0 < r.sum() < len(r)
    return Calibration(
        cases=len(c),
        bins=bins,
        error=sum(b.cases * abs(b.claimed - b.right.value) for b in bins) / len(c),
        brier=float(((c - r) ** 2).mean()),
        discrimination=resampled(rows, _auc, seed=seed) if both else None,
    )


def _bins(claims: np.ndarray, right: np.ndarray) -> list[Bin]:
    places = np.minimum((claims * BINS).astype(int), BINS - 1)
    found = []
    for i in np.unique(places):
        mine = places == i
        found.append(
            Bin(
                low=float(i) / BINS,
                high=float(i + 1) / BINS,
                cases=int(mine.sum()),
                claimed=float(claims[mine].mean()),
                right=share(int(right[mine].sum()), int(mine.sum())),
            )
        )
    return found


def _auc(rows: np.ndarray) -> float:
    """The chance that a right case claims more than a wrong one, ties counted half."""
    claims, right = rows[:, 0], rows[:, 1] > 0.5
    if right.all() or not right.any():
        return float("nan")
    _, place, count = np.unique(claims, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    yes, no = int(right.sum()), int((~right).sum())
    return float((rank[right].sum() - yes * (yes + 1) / 2) / (yes * no))
