"""Comparison: is one way of answering better than another on the same queries?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import erfc, sqrt

import numpy as np

from mutual_dissent.experiments.statistics.intervals import (
    Floats,
    Interval,
    Ints,
    mean,
    within,
)

EXACT_UP_TO = 16
"""The most differing queries that are tested with every combination of signs, not by sampling."""

# Enough that a p near .05 is off by some .0015 (its standard error), and quick with numpy.
FLIPS = 20_000
FOLDS = 5
SHOWN = 0.05
"""A difference that chance gives less often is shown."""

LARGE = 500
"""From this number of differing queries on, the sum of flipped signs is practically normal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One way against another, query by query.

    Attributes:
        difference: how much better the first is on average, with its interval.
        p: the share of chance results with a difference as large, if both were equal.
        corrected: the same with all comparisons that were made together taken into account.
        better: the number of queries on which the first is better; `worse` and `equal` likewise.
    """

    first: str
    second: str
    queries: int
    difference: Interval
    p: float
    corrected: float
    better: int
    worse: int
    equal: int

    @property
    def shown(self) -> bool:
        """Return whether there is a difference that chance does not explain."""
        return self.corrected < SHOWN


def compare_pairs(
    scores: Mapping[str, Sequence[float]], pairs: Sequence[tuple[str, str]], *, seed: int = 0
) -> list[Comparison]:
    """Compare pairs of ways; each has one score from 0 to 1 a query, in the same order.

    The scores of repeats are averaged before. What one test may find by chance, many do more
    easily: the p values are corrected by Holm's method over all pairs.
    """
    return _correct([_one(a, b, scores, seed) for a, b in pairs])


def _correct(comparisons: Sequence[Comparison]) -> list[Comparison]:
    corrected = holm([c.p for c in comparisons])
    return [replace(c, corrected=p) for c, p in zip(comparisons, corrected, strict=True)]


def compare_by_query(
    scores: Mapping[str, Mapping[str, float]], pairs: Sequence[tuple[str, str]], *, seed: int = 0
) -> list[Comparison]:
    """Compare scores by query: each pair on the queries that both have, if any."""
    comparisons = []
    for a, b in pairs:
        if common := [q for q in scores[a] if q in scores[b]]:
            lined_up = {n: [scores[n][q] for q in common] for n in (a, b)}
            comparisons.append(_one(a, b, lined_up, seed))
    return _correct(comparisons)


def folds(n: int) -> list[tuple[Ints, Ints]]:
    """Return rows to learn from and rows to try it on: every fifth row is in one of five folds."""
    rows = np.arange(n)
    if n < 2:
        return [(rows, rows)]
    some = min(FOLDS, n)
    return [(rows[rows % some != f], rows[rows % some == f]) for f in range(some)]


def _one(a: str, b: str, scores: Mapping[str, Sequence[float]], seed: int) -> Comparison:
    x, y = (np.asarray(scores[name], dtype=np.float64) for name in (a, b))
    if len(x) != len(y) or len(x) == 0:
        raise ValueError(f"{a} and {b} are compared on the same queries, at least one")
    d = x - y
    p = sign_flip_test(d, seed=seed)
    return Comparison(
        first=a,
        second=b,
        queries=len(d),
        difference=within(mean(d, seed=seed), -1.0, 1.0),
        p=p,
        corrected=p,
        better=int((d > 0).sum()),
        worse=int((d < 0).sum()),
        equal=int((d == 0).sum()),
    )


def sign_flip_test(differences: Floats, *, seed: int = 0) -> float:
    """Return the two-sided p value of a paired permutation test.

    If both ways were equal, each query's difference could as well have the other sign. With right
    and wrong answers this is McNemar's exact test.
    """
    d = differences[differences != 0]
    n = len(d)
    if n == 0:
        return 1.0
    observed = abs(d.sum()) - 1e-12 * np.abs(d).sum()  # sums in another order differ by a little
    if n <= EXACT_UP_TO:
        signs = 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return float((np.abs(signs @ d) >= observed).mean())
    # Right against wrong differs by the same each time: fair coins, counted exactly.
    if len(set(np.abs(d).tolist())) == 1:
        return _binomial_two_sided(int((d > 0).sum()), n)
    if n > LARGE:
        return float(erfc(abs(d.sum()) / sqrt(2 * (d**2).sum())))
    rng = np.random.default_rng(seed)
    signs = rng.choice(np.array([-1.0, 1.0]), size=(FLIPS, n))
    # What was observed is one of the possible results: sampling never gives a p of zero.
    return float(((np.abs(signs @ d) >= observed).sum() + 1) / (FLIPS + 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values corrected for having made several tests, by Holm's step-down method."""
    order = np.argsort(p_values, kind="stable")
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        # A larger p never comes out below a smaller one.
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = highest
    return corrected


def _binomial_two_sided(k: int, n: int) -> float:
    """Return how often n fair coins differ from one half by as much as k does."""
    steps = np.arange(n + 1)
    # In logarithms: factorials are too large for a float from 171 on.
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    logs = log_factorial[n] - log_factorial[steps] - log_factorial[n - steps] - n * np.log(2)
    far = np.abs(steps - n / 2) >= abs(k - n / 2) - 1e-9
    return float(min(1.0, np.exp(logs[far]).sum()))
