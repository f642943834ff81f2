"""Accord: how far judges agree beyond chance, with each other, with labels, with themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mutual_dissent.experiments.statistics.intervals import (
    Floats,
    Interval,
    Queries,
    jackknife,
    mean_by_query,
    queries_of,
    query_blocks,
    share_by_query,
    within,
)


def kappa(
    first: Sequence[str | int], second: Sequence[str | int], queries: Queries = None
) -> Interval:
    """Return Cohen's kappa of two raters of the same cases: 1 is perfect, 0 is chance."""
    if len(first) != len(second) or not first:
        raise ValueError("two raters of the same cases are needed")
    names = sorted({*map(str, first), *map(str, second)})
    place, kinds = {name: i for i, name in enumerate(names)}, len(names)
    pairs = [place[str(a)] * kinds + place[str(b)] for a, b in zip(first, second, strict=True)]
    blocks = query_blocks(queries, len(pairs))
    many = int(blocks.max()) + 1
    # A cell for each query and pair of ratings, so that queries can be left out one by one.
    cells = blocks * kinds**2 + np.array(pairs)
    counts = np.bincount(cells, minlength=many * kinds**2).reshape(many, -1).astype(float)
    return within(jackknife(counts, lambda some: _kappa(some, kinds)), -1.0, 1.0)


def _kappa(counts: Floats, kinds: int) -> Floats:
    shares = (counts / counts.sum(axis=1, keepdims=True)).reshape(-1, kinds, kinds)
    seen = np.einsum("tii->t", shares)
    chance = (shares.sum(axis=2) * shares.sum(axis=1)).sum(axis=1)
    kappas = np.full(len(counts), np.nan)
    np.divide(seen - chance, 1 - chance, out=kappas, where=chance < 1)
    return kappas


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """The effect of an answer's place on a judge.

    Attributes:
        consistent: the share of pairs in which it prefers the same answer in both orders.
        first: the share of its contradictions in which it prefers what it is shown first.
    """

    pairs: int
    consistent: Interval
    first: Interval | None


def position_bias(verdicts: Sequence[tuple[str, str]], queries: Queries = None) -> Bias:
    """Return a judge's position bias, from both orders of the same pairs.

    Args:
        verdicts: for each pair, the place that won: `first` or `second` in the one order, then in
            the other. A judge without bias says `first` once and `second` once.
        queries: the query of each pair.
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
    """Return how much more often a judge prefers its own vendor's answer than other judges do.

    Args:
        own: for each pair with an answer of its vendor, whether the judge preferred that one.
        others: the same pairs, judged by another judge.
        queries: the query of each pair.
    """
    more = [float(a) - float(b) for a, b in zip(own, others, strict=True)]
    return within(mean_by_query(more, queries, seed=seed), -1.0, 1.0)
