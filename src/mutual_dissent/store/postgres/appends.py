"""Appends on PostgreSQL: one statement for all that wait in a process, and its own transaction.

It locks the rows of its own debates and nothing else. An append fits only where the log ends, and
only while no other process has the debate's lease: both are conditions of the one UPDATE.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import orjson

from mutual_dissent.core.events import Status
from mutual_dissent.store.debates.row import (
    COUNTS,
    LINE,
    SETS,
    SPEND,
    Append,
    counts,
    first_row,
    is_written,
    names_of,
)
from mutual_dissent.store.postgres.index import Index
from mutual_dissent.store.postgres.server import PostgresServer

AT_ONCE = 500
"""The most appends in one statement."""

Rows = list[dict[str, Any]]


class SharedAppends:
    """The appends of one store, which holds debates as `owner`; words are indexed afterwards."""

    def __init__(self, server: PostgresServer, owner: str) -> None:
        self._owner = owner
        self._index = Index(server)

    def write(self, db: sqlite3.Connection, changes: Sequence[Append]) -> list[bool]:
        """Write changes; return for each whether it fits, and was the owner's to make.

        Outside a transaction each statement is one. If a later one fails, all may be retried.
        """
        written: dict[int, bool] = {}
        for wave in _waves(changes):
            done = _write(db, self._owner, wave)
            for change in wave:
                fits = change.transcript_id in done
                written[id(change)] = fits or (change.tried and is_written(db, change))
        if not db.in_transaction and any(c.opened or c.closed for c in changes):
            self._index.wake()
        return [written[id(change)] for change in changes]

    def alone(self, db: sqlite3.Connection) -> AbstractContextManager[None]:  # noqa: ARG002
        """Enter nothing: each statement is a transaction by itself."""
        return nullcontext()

    def after_commit(self) -> None:
        """Index what was written in a transaction."""
        self._index.wake()

    def catch_up(self) -> None:
        """Wait until what was written here is searchable, though not for ever."""
        self._index.catch_up()

    def close(self) -> None:
        """Index what is left, and close the connection."""
        self._index.close()


def _waves(changes: Iterable[Append]) -> Iterator[list[Append]]:
    """Yield the changes in as few lists as can be, no debate twice in one; each in order of ids."""
    waves: list[dict[str, Append]] = []
    depth: dict[str, int] = {}
    for change in changes:
        wave = depth[change.transcript_id] = depth.get(change.transcript_id, -1) + 1
        if wave == len(waves):
            waves.append({})
        waves[wave][change.transcript_id] = change
    for wave_changes in waves:
        ids = sorted(wave_changes)
        for start in range(0, len(ids), AT_ONCE):
            yield [wave_changes[name] for name in ids[start : start + AT_ONCE]]


def _write(db: sqlite3.Connection, owner: str, wave: Sequence[Append]) -> set[str]:
    """Write a wave; return the ids of the debates that it changed."""
    rows = [_opening(c) for c in wave if c.opened]
    done: set[str] = set()
    while True:
        new = [c for c in wave if c.transcript_id not in done]
        _number_apart(rows)
        done |= {str(i) for (i,) in db.execute(*_statement(owner, new, rows))}
        if not (rows := _renumbered(db, [r for r in rows if r["transcript_id"] not in done])):
            return done


def _opening(change: Append) -> dict[str, Any]:
    """Return the row of a debate that begins with this append."""
    assert change.opened is not None
    row = first_row(change.transcript_id, change.opened) | counts(change)
    began = row["created_at"] if change.began is None else change.began
    return row | {
        "status": change.status or Status.CREATED.value,
        "reason": change.reason or "",
        "heading": change.heading or "",
        "exit": change.exit or "",
        "outcome": change.outcome or "",
        "synthesizer": change.synthesizer or change.opened.brief.synthesizer.seat,
        "worked": change.updated_at - began - change.idle,
    }


def _number_apart(rows: Rows) -> None:
    """Give no two debates the same number."""
    used: set[int] = set()
    for row in rows:
        while row["number"] in used:
            row["number"] += 1
        used.add(row["number"])


def _renumbered(db: sqlite3.Connection, rows: Rows) -> Rows:
    """Return the debates that failed because their number was taken, with the next number."""
    if not rows:
        return []
    numbers, ids = [r["number"] for r in rows], [r["transcript_id"] for r in rows]
    taken = {number for (number,) in db.execute(_NUMBERS, (numbers,))}
    known = {name for (name,) in db.execute(_KNOWN, (ids,))}
    again = [r for r in rows if r["number"] in taken and r["transcript_id"] not in known]
    return [r | {"number": r["number"] + 1} for r in again]


def _statement(owner: str, wave: Sequence[Append], rows: Rows) -> tuple[str, list[object]]:
    """Return the statement that writes a wave, and its values; empty parts are left out."""
    parts, values = [], list[object]()
    for (name, part), some in zip(_PARTS.items(), _tables(wave, rows), strict=True):
        if some:
            parts.append(f"{name} AS ({part})")
            values.append(_json(some))
            if name in _SOURCES:
                values.append(owner)
        elif name in _SOURCES:
            parts.append(f"{name} AS ({_NOTHING})")
        if name == _SOURCES[-1]:
            parts.append(f"done AS ({_DONE})")
    return f"WITH {', '.join(parts)} SELECT transcript_id FROM done", values  # noqa: S608 - constants


def _tables(wave: Sequence[Append], rows: Rows) -> tuple[Rows, ...]:
    """Return the rows for each of `_PARTS`."""
    opened = {r["transcript_id"] for r in rows}
    appended = [{"transcript_id": c.transcript_id, **counts(c)} for c in wave if not c.opened]
    events = [
        {"transcript_id": c.transcript_id, "seq": seq, "kind": kind, "body": body}
        for c in wave
        for seq, kind, body in c.rows
    ]
    names = [
        {"transcript_id": c.transcript_id, "name": name}
        for c in wave
        if c.opened and c.transcript_id in opened
        for name in names_of(c.opened.brief)
    ]
    spent = [
        dict(zip(LINE, line, strict=True), transcript_id=c.transcript_id)
        for c in wave
        for line in c.spent
    ]
    indexed = [
        {"transcript_id": c.transcript_id, "closed": c.closed} for c in wave if c.opened or c.closed
    ]
    return rows, appended, events, names, spent, indexed


def _json(rows: Rows) -> str:
    """Return rows as JSON, without NUL, which PostgreSQL cannot store."""
    text = orjson.dumps(rows).decode()
    return _NUL.sub(r"\1 ", text) if "\\u0000" in text else text


# Not a text that spells out the escape: there, a second backslash stands before it.
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def _recordset(kinds: dict[str, str]) -> str:
    listed = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
    return f'json_to_recordset(?::json) AS w (transcript_id text COLLATE "C", {listed})'


_OPENING = [
    *("number", "transcript_id", "query", "status", "mode", "preset", "topology", "panel"),
    *("models", "vendors", "synthesizer", "experiment_id", "campaign_id", "condition"),
    *("replay_of", "conversation", "owner", "created_at", "updated_at", "last_seq", "rounds"),
    *("calls", "failed", "unpriced", "tokens", "cost_usd", "agreement", "exit", "score"),
    *("outcome", "reason", "heading", "worked"),
]

_MINE = """
NOT EXISTS (SELECT 1 FROM leases l WHERE l.transcript_id = w.transcript_id
    AND l.owner <> ? AND l.expires > clock_timestamp())
"""

_SUMS = ", ".join(f"sum({n})" for n in LINE[3:])
_KINDS = dict.fromkeys(LINE[:3], "text") | dict.fromkeys(LINE[3:8], "bigint")

_PARTS = {
    "opened": f"""
        INSERT INTO debates ({", ".join(_OPENING)})
        SELECT {", ".join(_OPENING)} FROM json_populate_recordset(NULL::debates, ?::json) w
        WHERE {_MINE} ORDER BY number
        ON CONFLICT DO NOTHING RETURNING number, transcript_id""",  # noqa: S608 - constants
    "appended": f"""
        UPDATE debates SET {re.sub(r":(?=[a-z])", "w.", SETS).replace("max(", "greatest(")}
        FROM {_recordset(COUNTS)}
        WHERE debates.transcript_id = w.transcript_id AND debates.last_seq = w.first_seq - 1
            AND {_MINE}
        RETURNING debates.number, debates.transcript_id""",  # noqa: S608 - constants
    "stored": f"""
        INSERT INTO events (debate, seq, kind, body) SELECT number, seq, kind, body
        FROM {_recordset({"seq": "bigint", "kind": "text", "body": "text"})}
        JOIN done USING (transcript_id)""",  # noqa: S608 - constants
    "named": f"""
        INSERT INTO names (name, debate) SELECT name, number
        FROM {_recordset({"name": "text"})} JOIN done USING (transcript_id)""",  # noqa: S608 - constants
    "spent": f"""
        INSERT INTO ledger ({", ".join(LINE)}) SELECT day, vendor, model_id, {_SUMS}
        FROM {_recordset(_KINDS | {"cost_usd": "double precision"})}
        JOIN done USING (transcript_id)
        GROUP BY day, vendor, model_id ORDER BY day, vendor, model_id {SPEND}""",  # noqa: S608 - constants
    "unfound": f"""
        INSERT INTO unindexed (debate, closed) SELECT number, closed
        FROM {_recordset({"closed": "boolean"})} JOIN done USING (transcript_id)""",  # noqa: S608 - constants
}
"""The parts of the statement, in order; each takes rows as JSON."""

_SOURCES = ("opened", "appended")
_NOTHING = "SELECT number, transcript_id FROM debates WHERE false"
_DONE = "SELECT * FROM opened UNION ALL SELECT * FROM appended"

_NUMBERS = "SELECT number FROM debates WHERE number = ANY(?)"
_KNOWN = "SELECT transcript_id FROM debates WHERE transcript_id = ANY(?)"
