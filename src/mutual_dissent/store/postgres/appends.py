"""Appends on PostgreSQL: one statement for all that wait in a process, and its own transaction.

It locks the rows of its own debates and nothing else. An append fits only where the log ends, and
only while no other process has the debate's lease: both are conditions of the one UPDATE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from functools import lru_cache

import orjson

from mutual_dissent.store.database import Database, Row
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


class SharedAppends:
    """The appends of one store, which holds debates as `owner`; words are indexed afterwards."""

    def __init__(self, server: PostgresServer, owner: str) -> None:
        self._owner = owner
        self._index = Index(server)

    def write(self, db: Database, changes: Sequence[Append]) -> list[bool]:
        """Write changes; return for each whether it fits, and was the owner's to make.

        Outside a transaction each statement is one. If a later one fails, all may be retried.
        """
        written: dict[int, bool] = {}
        for wave in _waves(changes):
            done = _write(db, self._owner, wave)
            for change in wave:
                fits = change.transcript_id in done
                written[id(change)] = fits or (change.tried and is_written(db, change))
        # Within a transaction nobody else sees it yet: `after_commit` wakes the index then.
        if not db.in_transaction and any(c.opened or c.closed for c in changes):
            self._index.wake()
        return [written[id(change)] for change in changes]

    def alone(self, db: Database) -> AbstractContextManager[None]:  # noqa: ARG002
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
        # One order for all processes, so that no two wait for each other's rows.
        ids = sorted(wave_changes)
        for start in range(0, len(ids), AT_ONCE):
            yield [wave_changes[name] for name in ids[start : start + AT_ONCE]]


def _write(db: Database, owner: str, wave: Sequence[Append]) -> set[str]:
    """Write a wave; return the ids of the debates that it changed."""
    rows = [first_row(c) for c in wave if c.opened]
    done: set[str] = set()
    while True:
        new = [c for c in wave if c.transcript_id not in done]
        _number_apart(rows)
        done |= _written(db, owner, new, rows)
        if not (rows := _renumbered(db, [r for r in rows if r["transcript_id"] not in done])):
            return done


def _number_apart(rows: list[Row]) -> None:
    """Give no two debates the same number."""
    used: set[int] = set()
    for row in rows:
        while row["number"] in used:
            row["number"] += 1
        used.add(row["number"])


def _renumbered(db: Database, rows: list[Row]) -> list[Row]:
    """Return the debates that failed because their number was taken, with the next number."""
    if not rows:
        return []
    numbers, ids = [r["number"] for r in rows], [r["transcript_id"] for r in rows]
    taken = set(db.column(_NUMBERS, numbers=numbers))
    known = set(db.column(_KNOWN, ids=ids))
    again = [r for r in rows if r["number"] in taken and r["transcript_id"] not in known]
    return [r | {"number": r["number"] + 1} for r in again]


def _written(db: Database, owner: str, wave: Sequence[Append], rows: list[Row]) -> set[str]:
    """Write a wave in one statement; return the ids of the debates that it changed."""
    tables = {name: table for name, table in _tables(wave, rows).items() if table}
    sql = _statement(tuple(tables), ", ".join(rows[0]) if rows else "")
    values = {name: _json(table) for name, table in tables.items()}
    return set(db.column(sql, owner=owner, **values))


@lru_cache(maxsize=64)
def _statement(tables: tuple[str, ...], columns: str) -> str:
    """Return the statement that writes these tables; `columns` are those of a debate that opens."""
    parts = {name: _PARTS[name].format(columns=columns) for name in tables}
    sources = {name: parts.pop(name, _NOTHING) for name in _SOURCES}
    listed = [f"{name} AS ({part})" for name, part in (sources | {"done": _DONE} | parts).items()]
    return f"WITH {', '.join(listed)} SELECT transcript_id FROM done"  # noqa: S608 - constants


def _tables(wave: Sequence[Append], rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows for each of `_PARTS`."""
    opened = {r["transcript_id"] for r in rows}

    def of_all(listed: Callable[[Append], Iterable[Row]]) -> list[Row]:
        return [{"transcript_id": c.transcript_id, **row} for c in wave for row in listed(c)]

    return {
        "opened": rows,
        "appended": of_all(lambda c: [] if c.opened else [counts(c)]),
        "stored": of_all(lambda c: [row._asdict() for row in c.rows]),
        "named": [
            {"transcript_id": c.transcript_id, "name": name}
            for c in wave
            if c.opened and c.transcript_id in opened
            for name in names_of(c.opened.brief)
        ],
        "spent": of_all(lambda c: [line._asdict() for line in c.spent]),
        "unfound": of_all(lambda c: [{"closed": c.closed}] if c.opened or c.closed else []),
    }


def _json(rows: list[Row]) -> str:
    """Return rows as JSON, without NUL, which PostgreSQL cannot store."""
    text = orjson.dumps(rows).decode()
    return _NUL.sub(r"\1 ", text) if "\\u0000" in text else text


# Not a text that spells out the escape: there, a second backslash stands before it.
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def _recordset(table: str, kinds: dict[str, str]) -> str:
    listed = ", ".join(f"{name} {kind}" for name, kind in kinds.items())
    return f'json_to_recordset(:{table}::json) AS w (transcript_id text COLLATE "C", {listed})'


_MINE = """
NOT EXISTS (SELECT 1 FROM leases l WHERE l.transcript_id = w.transcript_id
    AND l.owner <> :owner AND l.expires > clock_timestamp())
"""

_TYPES = {"int": "bigint", "str": "text", "float": "double precision", "bool": "boolean"}
_COUNTS = {
    f.name: _TYPES[str(f.type).removesuffix(" | None")] for f in fields(Append) if f.name in COUNTS
}
_SUMS = ", ".join(f"sum({n})" for n in LINE[3:])
_SPENT = dict.fromkeys(LINE[:3], "text") | dict.fromkeys(LINE[3:8], "bigint")

_PARTS = {
    "opened": f"""
        INSERT INTO debates ({{columns}})
        SELECT {{columns}} FROM json_populate_recordset(NULL::debates, :opened::json) w
        WHERE {_MINE} ORDER BY number
        ON CONFLICT DO NOTHING RETURNING number, transcript_id""",  # noqa: S608 - constants
    "appended": f"""
        UPDATE debates SET {re.sub(r":(?=[a-z])", "w.", SETS)}
        FROM {_recordset("appended", _COUNTS)}
        WHERE debates.transcript_id = w.transcript_id AND debates.last_seq = w.first_seq - 1
            AND {_MINE}
        RETURNING debates.number, debates.transcript_id""",  # noqa: S608 - constants
    "stored": f"""
        INSERT INTO events (debate, seq, kind, body) SELECT number, seq, kind, body
        FROM {_recordset("stored", {"seq": "bigint", "kind": "text", "body": "text"})}
        JOIN done USING (transcript_id)""",  # noqa: S608 - constants
    "named": f"""
        INSERT INTO names (name, debate) SELECT name, number
        FROM {_recordset("named", {"name": "text"})} JOIN done USING (transcript_id)""",  # noqa: S608 - constants
    "spent": f"""
        INSERT INTO ledger ({", ".join(LINE)}) SELECT day, vendor, model_id, {_SUMS}
        FROM {_recordset("spent", _SPENT | {"cost_usd": "double precision"})}
        JOIN done USING (transcript_id)
        GROUP BY day, vendor, model_id ORDER BY day, vendor, model_id {SPEND}""",  # noqa: S608 - constants
    "unfound": f"""
        INSERT INTO unindexed (debate, closed) SELECT number, closed
        FROM {_recordset("unfound", {"closed": "boolean"})} JOIN done USING (transcript_id)""",  # noqa: S608 - constants
}
"""The parts of the statement, in order; each takes rows as JSON."""

_SOURCES = ("opened", "appended")
_NOTHING = "SELECT number, transcript_id FROM debates WHERE false"
_DONE = "SELECT * FROM opened UNION ALL SELECT * FROM appended"

_NUMBERS = "SELECT number FROM debates WHERE number = ANY(:numbers)"
_KNOWN = "SELECT transcript_id FROM debates WHERE transcript_id = ANY(:ids)"
