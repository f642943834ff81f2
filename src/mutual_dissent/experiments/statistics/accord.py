"""Accord: how far judges agree beyond chance, with each other, with labels, with themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mutual_dissent.experiments.statistics.intervals import Interval, resampled, share


def kappa(first: Sequence[str | int], second: Sequence[str | int], *, seed: int = 0) -> Interval:
    """Cohen's kappa of two raters of the same cases: 1 perfect, 0 what chance would give."""
    if len(first) != len(second) or not first:
        raise ValueError("two raters of the same cases are needed")
    names = sorted({*map(str, first), *map(str, second)})
    place = {name: i for i, name in enumerate(names)}
    rows = np.array(
        [[place[str(a)], place[str(b)]] for a, b in zip(first, second, strict=True)], dtype=float
    )
    return resampled(rows, lambda r: _kappa(r, len(names)), seed=seed)


def _kappa(rows: np.ndarray, kinds: int) -> float:
    a, b = rows[:, 0].astype(int), rows[:, 1].astype(int)
    seen = float((a == b).mean())
    shares = [np.bincount(x, minlength=kinds) / len(rows) for x in (a, b)]
    chance = float(shares[0] @ shares[1])
    return (seen - chance) / (1 - chance) if chance < 1 else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """How far the place of an answer moves a judge.

    Attributes:
        consistent: how often it prefers the same answer when the two change places.
        first: how often it prefers what it is shown first, where it contradicts itself.
    """

    pairs: int
    consistent: Interval
    first: Interval | None


def position_bias(verdicts: Sequence[tuple[str, str]]) -> Bias:
    """A judge's bias for places, from both orders of the same pairs.

    Args:
        verdicts: for each pair, which place won: `first` or `second` in the one order, then in
            the other. A judge without bias says `first` once and `second` once.
    """
    if not verdicts:
        raise ValueError("no pair was judged in both orders")
    torn = [v for v in verdicts if v[0] == v[1]]
    steady = len(verdicts) - len(torn)
    to_first = sum(v[0] == "first" for v in torn)
    return Bias(
        pairs=len(verdicts),
        consistent=share(steady, len(verdicts)),
        first=share(to_first, len(torn)) if torn else None,
    )


def self_preference(own: Sequence[bool], others: Sequence[bool], *, seed: int = 0) -> Interval:
    """How much more often a judge prefers its own vendor's answer than other judges prefer it.

    Args:
        own: for each pair with an answer of its vendor, whether the judge preferred that one.
        others: the same pairs, judged by somebody else.
    """
    rows = np.column_stack([np.asarray(own, dtype=float), np.asarray(others, dtype=float)])
    return resampled(rows, lambda r: float(r[:, 0].mean() - r[:, 1].mean()), seed=seed)
