"""Shares of results of which something is true, with the repeats of a query taken together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mutual_dissent.experiments.results.results import TrialResult
from mutual_dissent.experiments.statistics.intervals import Interval, share_by_query

MOST_UNREADABLE = 0.1
"""The highest share of unreadable answers at which a way is compared: they may be what differs."""


def enough_read(results: Sequence[TrialResult]) -> bool:
    """Return whether enough of the answers can be read to compare them with others."""
    return sum(r.answer is None for r in results) <= MOST_UNREADABLE * len(results)


def by_query(results: Iterable[TrialResult], what: str = "right") -> dict[str, float]:
    """Return query -> the share of its results of which it is true, of those that can be told."""
    values: dict[str, list[bool]] = {}
    for r in results:
        if (value := getattr(r, what)) is not None:
            values.setdefault(r.query, []).append(value)
    return {q: sum(v) / len(v) for q, v in values.items()}


def share_of(results: Iterable[TrialResult], what: str = "right") -> Interval | None:
    """Return the share of results of which it is true; None if it can be told of none."""
    known = [(value, r.query) for r in results if (value := getattr(r, what)) is not None]
    return share_by_query([v for v, _ in known], [q for _, q in known]) if known else None
