"""Shares of results of which something is true, with the repeats of a query taken together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mutual_dissent.experiments.results.results import TrialResult
from mutual_dissent.experiments.statistics.intervals import Interval, share_by_query

MOST_UNREADABLE = 0.1
"""A way of which more answers cannot be read is not compared: those may be what differs."""


def enough_read(results: Sequence[TrialResult]) -> bool:
    """Whether so many of the answers can be read that they can be compared with others."""
    return sum(r.answer is None for r in results) <= MOST_UNREADABLE * len(results)


def by_query(results: Iterable[TrialResult], what: str = "right") -> dict[str, float]:
    """Query -> the share of its results of which it is true, of those that can be told."""
    found: dict[str, list[bool]] = {}
    for r in results:
        if (value := getattr(r, what)) is not None:
            found.setdefault(r.query, []).append(value)
    return {q: sum(v) / len(v) for q, v in found.items()}


def share_of(results: Iterable[TrialResult], what: str = "right") -> Interval | None:
    """The share of results of which it is true; None if it can be told of none."""
    told = [(value, r.query) for r in results if (value := getattr(r, what)) is not None]
    return share_by_query([v for v, _ in told], [q for _, q in told]) if told else None
