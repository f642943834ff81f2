"""Accord: how far judges agree beyond chance, with each other, with labels, with themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mutual_dissent.experiments.statistics.intervals import (
    Floats,
    Interval,
    Queries,
    jackknifed,
    mean_by_query,
    queries_of,
    query_blocks,
    share_by_query,
    within,
)


def kappa(
    first: Sequence[str | int], second: Sequence[str | int], queries: Queries = None
) -> Interval:
    """Cohen's kappa of two raters of the same cases: 1 perfect, 0 what chance would give."""
    if len(first) != len(second) or not first:
        raise ValueError("two raters of the same cases are needed")
    names = sorted({*map(str, first), *map(str, second)})
    place, kinds = {name: i for i, name in enumerate(names)}, len(names)
    pairs = [place[str(a)] * kinds + place[str(b)] for a, b in zip(first, second, strict=True)]
    blocks = query_blocks(queries, len(pairs))
    many = int(blocks.max()) + 1
    cells = blocks * kinds**2 + np.array(pairs)
    counts = np.bincount(cells, minlength=many * kinds**2).reshape(many, -1).astype(float)
    return within(jackknifed(counts, lambda some: _kappa(some, kinds)), -1.0, 1.0)


def _kappa(counts: Floats, kinds: int) -> Floats:
    shares = (counts / counts.sum(axis=1, keepdims=True)).reshape(-1, kinds, kinds)
    seen = np.einsum("tii->t", shares)
    chance = (shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1)
    found = np.full(len(counts), np.nan)
    np.divide(seen - chance, 1 - chance, out=found, where=chance < 1)
    return found


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


def position_bias(verdicts: Sequence[tuple[str, str]], queries: Queries = None) -> Bias:
    """A judge's bias for places, from both orders of the same pairs.

    Args:
        verdicts: for each pair, which place won: `first` or `second` in the one order, then in
            the other. A judge without bias says `first` once and `second` once.
        queries: of which query each pair is.
    """
    if not verdicts:
        raise ValueError("no pair was judged in both orders")
    torn = [i for i, (one, other) in enumerate(verdicts) if one == other]
    of = queries_of(queries, torn)
    return Bias(
        pairs=len(verdicts),
        consistent=share_by_query([one != other for one, other in verdicts], queries),
        first=share_by_query([verdicts[i][0] == "first" for i in torn], of) if torn else None,
    )


def self_preference(
    own: Sequence[bool], others: Sequence[bool], queries: Queries = None, *, seed: int = 0
) -> Interval:
    """How much more often a judge prefers its own vendor's answer than other judges prefer it.

    Args:
        own: for each pair with an answer of its vendor, whether the judge preferred that one.
        others: the same pairs, judged by somebody else.
        queries: of which query each pair is.
    """
    more = [float(a) - float(b) for a, b in zip(own, others, strict=True)]
    return within(mean_by_query(more, queries, seed=seed), -1.0, 1.0)
