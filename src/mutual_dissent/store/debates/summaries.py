"""Summaries of debates, kept beside their logs so that the logs need not be read again.

A summary is text that its maker understands. It is valid while no event was added since and the
maker has not changed its version; otherwise it is ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson

from mutual_dissent.store.database import Database

Kept = tuple[int, str]
"""The number of the last event that a summary is about, and its text."""


def find(db: Database, ids: Sequence[str], version: int) -> dict[str, str]:
    """Return id -> summary, for the debates that have a valid one."""
    rows = db.rows(_FIND, version=version, ids=orjson.dumps(list(ids)).decode())
    return {row["transcript_id"]: row["body"] for row in rows}


def keep(db: Database, version: int, summaries: Mapping[str, Kept]) -> None:
    """Store summaries in the place of older ones; those of deleted debates are dropped."""
    db.executemany(
        _KEEP,
        [
            {"name": name, "seq": seq, "version": version, "body": body}
            for name, (seq, body) in sorted(summaries.items())
        ],
    )


_FIND = """
SELECT d.transcript_id, s.body FROM debates d JOIN summaries s ON s.debate = d.number
WHERE s.seq = d.last_seq AND s.version = :version
    AND d.transcript_id IN (SELECT value FROM json_each(:ids))
"""

_KEEP = """
INSERT INTO summaries (debate, seq, version, body)
SELECT number, :seq, :version, :body FROM debates WHERE transcript_id = :name
ON CONFLICT (debate) DO UPDATE SET
    seq = excluded.seq, version = excluded.version, body = excluded.body
"""
