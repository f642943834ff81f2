"""Calibration: does what claims to be sure turn out right as often as it claims?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mutual_dissent.experiments.statistics.intervals import (
    Interval,
    Queries,
    jackknife,
    queries_of,
    query_blocks,
    share_by_query,
    within,
)

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
    """The reliability of a claim between 0 and 1.

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


def calibration(
    claims: Sequence[float], right: Sequence[bool], queries: Queries = None, *, bins: int = BINS
) -> Calibration:
    """Compare claims with correctness, one of each a case.

    Args:
        queries: the query of each case.
        bins: how many equal parts the claims from 0 to 1 are put into.

    Raises:
        ValueError: if there are none, or a claim is not between 0 and 1.
    """
    c, r = np.asarray(claims, dtype=np.float64), np.asarray(right, dtype=bool)
    if len(c) == 0 or len(c) != len(r) or not ((c >= 0) & (c <= 1)).all():
        raise ValueError("as many claims between 0 and 1 as outcomes are needed, at least one")
    found = tuple(_bins(c, r, queries, bins))
    both = 0 < r.sum() < len(r)
    return Calibration(
        cases=len(c),
        bins=found,
        error=sum(b.cases * abs(b.claimed - b.right.value) for b in found) / len(c),
        brier=float(((c - r) ** 2).mean()),
        discrimination=_discrimination(c, r, queries) if both else None,
    )


def _bins(claims: np.ndarray, right: np.ndarray, queries: Queries, count: int) -> list[Bin]:
    # A claim of exactly 1 belongs to the last bin.
    places = np.minimum((claims * count).astype(int), count - 1)
    bins = []
    for i in np.unique(places):
        mine = places == i
        of = queries_of(queries, np.flatnonzero(mine).tolist())
        bins.append(
            Bin(
                low=float(i) / count,
                high=float(i + 1) / count,
                cases=int(mine.sum()),
                claimed=float(claims[mine].mean()),
                right=share_by_query(right[mine].tolist(), of),
            )
        )
    return bins


def _discrimination(claims: np.ndarray, right: np.ndarray, queries: Queries) -> Interval:
    """Return the chance that a right case claims more than a wrong one.

    Cases of the same claim are alike: it is enough to count how many of each a query has.
    """
    # Rounded: what was computed in two ways is the same claim, and a tie.
    levels, place = np.unique(np.round(claims, 4), return_inverse=True)
    blocks = query_blocks(queries, len(claims))
    many, kinds = int(blocks.max()) + 1, 2 * len(levels)
    cells = blocks * kinds + place * 2 + right
    counts = np.bincount(cells, minlength=many * kinds).reshape(many, kinds).astype(float)
    return within(jackknife(counts, _auc), 0.0, 1.0)


def _auc(counts: np.ndarray) -> np.ndarray:
    """Return the area for each row of counts (wrong and right by rising claim); ties count half."""
    wrong, right = counts[:, 0::2], counts[:, 1::2]
    below = np.cumsum(wrong, axis=1) - wrong
    won = (right * (below + wrong / 2)).sum(axis=1)
    pairs = wrong.sum(axis=1) * right.sum(axis=1)
    area = np.full(len(counts), np.nan)
    np.divide(won, pairs, out=area, where=pairs > 0)
    return area
