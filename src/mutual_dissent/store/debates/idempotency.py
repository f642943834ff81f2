"""Idempotency keys: which requests were made under which name, and what became of them.

A request is remembered before it is obeyed. It was obeyed if its debate has more events now than
it had then; where the process died in between, it has not, and the request may be made again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from mutual_dissent.store.database import Database
from mutual_dissent.store.debates.row import ticks

LIFE = timedelta(hours=24)
"""The time for which a request is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """A request that was made before; `fingerprint` stands for all of its options."""

    fingerprint: str
    transcript_id: str
    obeyed: bool


def find_repeat(db: Database, owner: str, name: str, now: datetime) -> Repeat | None:
    """Return the request that this owner made under this name, if it is still remembered."""
    row = db.row(_FIND, owner=owner, name=name, since=ticks(now - LIFE))
    if row is None:
        return None
    obeyed = row.pop("last_seq") > row.pop("seq")
    return Repeat(**row, obeyed=obeyed)


def remember(db: Database, owner: str, name: str, what: tuple[str, str], now: datetime) -> None:
    """Remember a request, in the place of an earlier one of that name; forget expired ones.

    Args:
        what: its fingerprint, and the id of the debate that it is about.
    """
    fingerprint, transcript_id = what
    request = {"fingerprint": fingerprint, "transcript_id": transcript_id, "at": ticks(now)}
    db.execute("DELETE FROM repeats WHERE made_at < :since", since=ticks(now - LIFE))
    db.execute(_REMEMBER, owner=owner, name=name, **request)


def forget(db: Database, owner: str, name: str) -> None:
    """Forget a request that could not be obeyed."""
    query = "DELETE FROM repeats WHERE owner = :owner AND name = :name"
    db.execute(query, owner=owner, name=name)


_FIND = """
SELECT r.fingerprint, r.transcript_id, r.seq, coalesce(d.last_seq, 0) AS last_seq
FROM repeats r LEFT JOIN debates d ON d.transcript_id = r.transcript_id
WHERE r.owner = :owner AND r.name = :name AND r.made_at >= :since
"""

_REMEMBER = """
INSERT INTO repeats (owner, name, fingerprint, transcript_id, seq, made_at)
VALUES (:owner, :name, :fingerprint, :transcript_id,
    coalesce((SELECT last_seq FROM debates WHERE transcript_id = :transcript_id), 0), :at)
ON CONFLICT (owner, name) DO UPDATE SET
    fingerprint = excluded.fingerprint, transcript_id = excluded.transcript_id,
    seq = excluded.seq, made_at = excluded.made_at
"""
