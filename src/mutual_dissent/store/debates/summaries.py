"""Summaries of debates, kept beside their logs so that the logs need not be read again.

A summary is text that its maker understands. It is valid while no event was added since and the
maker has not changed its version; otherwise it is ignored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

Kept = tuple[int, str]
"""The number of the last event that a summary is about, and its text."""

_AT_ONCE = 500


def find(db: sqlite3.Connection, ids: Sequence[str], version: int) -> dict[str, str]:
    """Return id -> summary, for the debates that have a valid one."""
    summaries: dict[str, str] = {}
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(some))
        query = f"{_FIND} AND d.transcript_id IN ({marks})"
        summaries.update(db.execute(query, (version, *some)))
    return summaries


def keep(db: sqlite3.Connection, version: int, summaries: Mapping[str, Kept]) -> None:
    """Store summaries in the place of older ones; those of deleted debates are dropped."""
    db.executemany(_KEEP, _rows(version, summaries))


def _rows(version: int, summaries: Mapping[str, Kept]) -> Iterable[tuple[object, ...]]:
    return [(seq, version, body, name) for name, (seq, body) in sorted(summaries.items())]


_FIND = """
SELECT d.transcript_id, s.body FROM debates d JOIN summaries s ON s.debate = d.number
WHERE s.seq = d.last_seq AND s.version = ?
"""

_KEEP = """
INSERT INTO summaries (debate, seq, version, body)
SELECT number, ?, ?, ? FROM debates WHERE transcript_id = ?
ON CONFLICT (debate) DO UPDATE SET
    seq = excluded.seq, version = excluded.version, body = excluded.body
"""
