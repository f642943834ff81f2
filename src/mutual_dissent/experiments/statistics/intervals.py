"""Intervals: between which values the truth probably lies.

Everything that is resampled is resampled by query: the repeats of one query are not independent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Figure = Callable[[Floats], float]

RESAMPLES = 2000
FEWEST, MANY = 200, 20_000
FEW = 5
"""With fewer values than this that differ from the rest, a bootstrap alone is too sure."""

CELLS = 4_000_000
"""So many drawn values are held at once."""

LEVEL = 0.95


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
    """A share with Wilson's interval, which stays sensible at 0, at 1 and with few cases."""
    if not 0 <= right <= of or of == 0:
        raise ValueError(f"{right} of {of} is no share")
    z = NormalDist().inv_cdf((1 + level) / 2)
    p, middle = right / of, (right + z * z / 2) / (of + z * z)
    half = z * sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return Interval(p, max(0.0, middle - half), min(1.0, middle + half))


def mean(values: Sequence[float] | Floats, *, seed: int = 0, level: float = LEVEL) -> Interval:
    """A mean with its studentised bootstrap interval.

    Each resample is measured in its own standard errors, which keeps the promised level also with
    skewed values. Where all values are equal nothing can be resampled: the interval is then what a
    single deviating case among as many would allow.
    """
    x = np.asarray(values, dtype=np.float64)
    n = len(x)
    if n == 0:
        raise ValueError("no values")
    centre = float(x.mean())
    error = float(x.std(ddof=1)) / sqrt(n) if n > 1 else 0.0
    if x.min() == x.max():  # the deviation of equal values need not come out as exactly zero
        slack = 3.0 / n
        return Interval(centre, centre - slack, centre + slack)
    rng = np.random.default_rng(seed)
    t = np.concatenate([_studentised(x, rng, k) for k in blocks(RESAMPLES, n)])
    low, high = np.quantile(t, [(1 - level) / 2, (1 + level) / 2])
    found = Interval(centre, centre - float(high) * error, centre - float(low) * error)
    return _widened(found, x, level) if _differing(x) < FEW else found


def resampled(
    rows: Floats, figure: Figure, *, seed: int = 0, level: float = LEVEL, times: int = RESAMPLES
) -> Interval:
    """Any figure of rows, one a query, with its percentile bootstrap interval.

    Resamples for which the figure does not exist (nan) are left out.
    """
    rows = np.asarray(rows, dtype=np.float64)
    if len(rows) == 0:
        raise ValueError("no rows")
    rng, n = np.random.default_rng(seed), len(rows)
    # With very many rows a resample takes long, and the bounds need fewer of them to be steady.
    times = min(times, max(FEWEST, times * MANY // n))
    found = np.array([figure(rows[rng.integers(0, n, size=n)]) for _ in range(times)])
    found = found[~np.isnan(found)]
    value = figure(rows)
    if len(found) == 0:
        return Interval(value, float("nan"), float("nan"))
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high))


def _differing(x: Floats) -> int:
    """How many values differ from the most frequent one."""
    return len(x) - int(np.unique(x, return_counts=True)[1].max())


def _widened(found: Interval, x: Floats, level: float) -> Interval:
    """An interval that also allows for one more deviating case on either side.

    Where hardly a value differs from the others, resamples know of nothing else.
    """
    kinds, counts = np.unique(x, return_counts=True)
    usual = kinds[counts.argmax()]
    far = float(np.abs(x - usual).max())
    more = np.concatenate([x, [usual - far, usual + far]])
    half = NormalDist().inv_cdf((1 + level) / 2) * float(more.std(ddof=1)) / sqrt(len(x))
    return Interval(found.value, min(found.low, found.value - half),
                    max(found.high, found.value + half))  # fmt: skip


def _studentised(x: Floats, rng: np.random.Generator, times: int) -> Floats:
    """Means of resamples in their own standard errors, less the mean of all."""
    n = len(x)
    drawn = x[rng.integers(0, n, size=(times, n))]
    spread = drawn.std(axis=1, ddof=1) / sqrt(n)
    usable = spread > 0
    found: Floats = (drawn.mean(axis=1)[usable] - x.mean()) / spread[usable]
    return found


def blocks(times: int, n: int) -> list[int]:
    """A number of resamples in parts that fit into memory."""
    each = max(1, min(times, CELLS // n))
    return [each] * (times // each) + ([times % each] if times % each else [])
