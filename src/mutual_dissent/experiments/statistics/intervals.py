"""Intervals: between which values the truth probably lies.

The repeats of one query are not independent: a query asked ten times is still one question. All
figures over many cases therefore go by query: the queries vary, their repeats come along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Figure = Callable[[Floats], float]
Figures = Callable[[Floats], Floats]
"""Rows of sums -> the figure of each of them; nan where it does not exist."""

Queries = Sequence[str] | None
"""The query of each case; None where each has its own."""

RESAMPLES = 2000
# The bounds are 2.5 % quantiles: of 200 resamples five lie beyond each, fewer would leave it to
# one or two.
FEWEST, MANY = 200, 20_000
FEW = 5
"""With fewer values than this that differ from the rest, a bootstrap alone is too sure."""

CELLS = 4_000_000
"""The most drawn values held at once."""

LEVEL = 0.95
MOST_BLOCKS = 400
"""The most queries that are left out one by one; more are left out in blocks."""

EVEN = 1e-9
"""A smaller deviation counts as zero."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the range that holds the truth with the stated level."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def __contains__(self, truth: float) -> bool:
        return self.low <= truth <= self.high


def share(right: int, of: int, level: float = LEVEL) -> Interval:
    """Return a share with Wilson's interval, which stays sensible at 0, at 1 and with few cases."""
    if not 0 <= right <= of or of == 0:
        raise ValueError(f"{right} of {of} is no share")
    return _wilson(right / of, of, NormalDist().inv_cdf((1 + level) / 2))


def share_by_query(right: Sequence[bool], queries: Queries = None) -> Interval:
    """Return the share of right cases, with Wilson's interval on their effective number.

    Cases of one query that come out alike are worth hardly more than one of them; how much they
    are alike is told by how far queries differ. Where all cases are right, or none, they are worth
    as many as there are queries.
    """
    hits, sizes = sums_by_query(np.asarray(right, dtype=np.float64), queries)
    n, of = len(sizes), float(sizes.sum())
    if (sizes == 1).all():
        return share(round(float(hits.sum())), n)
    p = float(hits.sum()) / of
    error = _error(hits, sizes)
    # So many independent cases would have the same error.
    worth = n if n == 1 or p in (0.0, 1.0) else of if error == 0 else p * (1 - p) / error**2
    return _wilson(p, min(of, worth), _student(n - 1))


def _wilson(p: float, of: float, z: float) -> Interval:
    middle = (p + z * z / (2 * of)) / (1 + z * z / of)
    half = z * sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    # At 0 and at 1 rounding could put the share itself just outside.
    return Interval(p, max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half)))


def mean(
    values: Sequence[float] | Floats,
    sizes: Floats | None = None,
    *,
    seed: int = 0,
    level: float = LEVEL,
) -> Interval:
    """Return a mean with its studentised bootstrap interval.

    Each resample is measured in its own standard errors, which keeps the promised level also with
    skewed values. Where all values are equal nothing can be resampled: the interval is then what a
    single deviating case among as many would allow.

    Args:
        values: one a query; with `sizes`, the sum of its cases.
        sizes: the number of cases of each query, where the mean is one of all cases.
    """
    sums = np.asarray(values, dtype=np.float64)
    n = len(sums)
    if n == 0:
        raise ValueError("no values")
    of = np.ones(n) if sizes is None else sizes
    x = sums / of
    centre = float(sums.sum() / of.sum())
    if float(np.ptp(x)) < EVEN:  # the deviation of equal values need not come out as exactly zero
        # The rule of three: what never came up in n cases has a chance of 3 / n at most (95 %).
        return Interval(centre, centre - 3.0 / n, centre + 3.0 / n)
    error = _error(sums, of)
    rng = np.random.default_rng(seed)
    t = np.concatenate([_studentised(sums, of, rng, k) for k in blocks(RESAMPLES, n)])
    low, high = np.quantile(t, [(1 - level) / 2, (1 + level) / 2])
    # Crosswise: where resamples lie too high, the truth lies below.
    interval = Interval(centre, centre - float(high) * error, centre - float(low) * error)
    return _widen(interval, x, level) if _differing(x) < FEW else interval


def mean_by_query(values: Sequence[float], queries: Queries = None, *, seed: int = 0) -> Interval:
    """Return the mean of cases of which several may be of one query."""
    return mean(*sums_by_query(np.asarray(values, dtype=np.float64), queries), seed=seed)


def _error(sums: Floats, sizes: Floats) -> float:
    """Return the standard error of the mean of all cases, as queries differ."""
    n, of = len(sums), float(sizes.sum())
    off = sums - float(sums.sum()) / of * sizes
    return sqrt(float((off**2).sum()) * n / max(1, n - 1)) / of


def sums_by_query(values: Floats, queries: Queries) -> tuple[Floats, Floats]:
    """Return the sum of the values of each query, and their number."""
    if len(values) == 0:
        raise ValueError("no cases")
    if queries is None:
        return values, np.ones(len(values))
    places = _numbered(queries)
    sums, sizes = np.bincount(places, weights=values), np.bincount(places)
    return sums.astype(np.float64), sizes.astype(np.float64)


def queries_of(queries: Queries, places: Iterable[int]) -> Queries:
    """Return the queries of some of the cases."""
    return None if queries is None else [queries[i] for i in places]


def query_blocks(queries: Queries, cases: int) -> Ints:
    """Return the number of each case's query, or of its block where there are very many queries."""
    places = np.arange(cases) if queries is None else _numbered(queries)
    return places % MOST_BLOCKS


def _numbered(queries: Sequence[str]) -> Ints:
    known: dict[str, int] = {}
    return np.array([known.setdefault(q, len(known)) for q in queries], dtype=np.int64)


def jackknife(sums: Floats, figure: Figures) -> Interval:
    """Return a figure of the sums over all queries, with its jackknife interval.

    Args:
        sums: a row a query, or a block of them.
        figure: makes the figure of such sums.
    """
    whole = sums.sum(axis=0, keepdims=True)
    value = float(figure(whole)[0])
    parts = np.array_split(sums, min(len(sums), 1 + 8 * sums.size // CELLS))
    figures = np.concatenate([figure(whole - part) for part in parts])
    figures = figures[~np.isnan(figures)]
    n = len(figures)
    if n < 2:
        return Interval(value, float("nan"), float("nan"))
    error = sqrt((n - 1) / n * float(((figures - figures.mean()) ** 2).sum()))
    half = _student(n - 1) * error if error > EVEN else 3.0 / n
    return Interval(value, value - half, value + half)


def within(i: Interval, low: float, high: float) -> Interval:
    """Return the interval of a figure that cannot lie elsewhere."""
    return Interval(i.value, max(low, i.low), min(high, i.high))


def _student(freedom: int) -> float:
    """Return the quantile of Student's distribution, by its expansion around the normal one."""
    # By hand: scipy is not needed at run time for anything else (decision 21).
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    d = max(1, freedom)
    return (
        z
        + (z**3 + z) / (4 * d)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * d**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * d**3)
    )


def bootstrap(
    rows: Floats, figure: Figure, *, seed: int = 0, level: float = LEVEL, times: int = RESAMPLES
) -> Interval:
    """Return any figure of rows, one a query, with its percentile bootstrap interval.

    Resamples for which the figure does not exist (nan) are left out.
    """
    rows = np.asarray(rows, dtype=np.float64)
    if len(rows) == 0:
        raise ValueError("no rows")
    rng, n = np.random.default_rng(seed), len(rows)
    # With very many rows a resample takes long, and the bounds need fewer of them to be steady.
    times = min(times, max(FEWEST, times * MANY // n))
    figures = np.array([figure(rows[rng.integers(0, n, size=n)]) for _ in range(times)])
    figures = figures[~np.isnan(figures)]
    value = figure(rows)
    if len(figures) == 0:
        return Interval(value, float("nan"), float("nan"))
    low, high = np.quantile(figures, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high))


def _differing(x: Floats) -> int:
    """Return the number of values that differ from the most frequent one."""
    return len(x) - int(np.unique(x, return_counts=True)[1].max())


def _widen(narrow: Interval, x: Floats, level: float) -> Interval:
    """Return an interval that also allows for one more deviating case on either side.

    Where hardly a value differs from the others, resamples know of nothing else.
    """
    kinds, counts = np.unique(x, return_counts=True)
    usual = kinds[counts.argmax()]
    far = float(np.abs(x - usual).max())
    more = np.concatenate([x, [usual - far, usual + far]])
    half = NormalDist().inv_cdf((1 + level) / 2) * float(more.std(ddof=1)) / sqrt(len(x))
    return Interval(narrow.value, min(narrow.low, narrow.value - half),
                    max(narrow.high, narrow.value + half))  # fmt: skip


def _studentised(sums: Floats, sizes: Floats, rng: np.random.Generator, times: int) -> Floats:
    """Return means of resamples in their own standard errors, less the mean of all."""
    n = len(sums)
    chosen = rng.integers(0, n, size=(times, n))
    drawn, of = sums[chosen], sizes[chosen]
    total = of.sum(axis=1)
    means = drawn.sum(axis=1) / total
    off = drawn - means[:, None] * of
    spread = np.sqrt((off**2).sum(axis=1) * n / (n - 1)) / total
    usable = spread > EVEN / n
    t: Floats = (means[usable] - sums.sum() / sizes.sum()) / spread[usable]
    return t


def blocks(times: int, n: int) -> list[int]:
    """Split a number of resamples into parts that fit into memory."""
    each = max(1, min(times, CELLS // n))
    return [each] * (times // each) + ([times % each] if times % each else [])
