"""The search index on PostgreSQL: updated after the commit, by a thread of its own.

A debate to be indexed stands in a table from the moment of the commit. The process that writes
next, on whichever machine, also indexes what a crash left there.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from operator import itemgetter

import orjson

from mutual_dissent.core.errors import StoreError
from mutual_dissent.store.database import DatabaseError, Row
from mutual_dissent.store.debates.row import texts
from mutual_dissent.store.postgres.adapter import PostgresDatabase
from mutual_dissent.store.postgres.server import PostgresServer

AGAIN = 1.0
"""Seconds until the next attempt where the server could not be reached."""

PATIENCE = 1.0
"""Seconds that a search waits for what was written here."""

AT_ONCE = 20
"""Debates that are indexed in one transaction."""


class Index:
    """Indexes what was written; nothing is opened or started before the first time."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._db: PostgresDatabase | None = None
        self._thread: threading.Thread | None = None
        self._turn = threading.Condition()
        self._wanted = self._done = 0
        self._away = self._end = False
        self._most = AT_ONCE
        self._refused: list[int] = []

    def wake(self) -> None:
        """Have everything indexed that was committed."""
        with self._turn:
            self._wanted += 1
            self._turn.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="index", daemon=True)
                self._thread.start()

    def catch_up(self) -> None:
        """Wait until what was written here before is searchable, though not for long."""
        with self._turn:
            target = self._wanted
            self._turn.wait_for(lambda: self._done >= target, PATIENCE)

    def close(self) -> None:
        """Index what is left, unless the server is away, and close the connection."""
        with self._turn:
            self._turn.wait_for(lambda: self._done >= self._wanted or self._away)
            thread, self._thread, self._end = self._thread, None, True
            self._turn.notify_all()
        if thread is not None:
            thread.join()
        self._end = False

    def _run(self) -> None:
        try:
            while not self._end:
                self._look()
        finally:
            with self._turn:  # no caller may wait for a thread that has ended
                self._away = True
                self._turn.notify_all()
            if self._db is not None:
                self._db.close()
                self._db = None

    def _look(self) -> None:
        """Wait until there is something to index, and index it."""
        with self._turn:
            self._turn.wait_for(lambda: self._end or self._wanted > self._done)
            target = self._wanted
        fine = self._all_indexed()
        with self._turn:
            self._away = not fine
            self._done = target if fine else self._done
            self._turn.notify_all()
            if not fine:
                self._turn.wait_for(lambda: self._end, AGAIN)

    def _all_indexed(self) -> bool:
        """Index what is there by now; return False if that fails at the moment."""
        try:
            if self._db is None:
                self._db = self._server.open(durable=False)
            (last,) = self._db.column("SELECT max(number) FROM unindexed")
            while not self._end and last and self._some(self._db, last):
                pass
        except (StoreError, DatabaseError):
            return False
        return True

    def _some(self, db: PostgresDatabase, last: int) -> bool:
        """Index a few debates that no other process is indexing; False if there are none."""
        rows: list[Row] = []
        try:
            with db.transaction():
                rows = db.rows(_NEXT, last=last, refused=self._refused, most=self._most)
                # RETURNING has no order, and a debate's closing has to come after its opening.
                for row in sorted(rows, key=itemgetter("number")):
                    _index(db, row["debate"], closed=row["closed"])
        except DatabaseError:
            if not rows or db.closed:
                raise
            if self._most == 1:  # the one that fails alone is skipped, so that the rest is indexed
                self._refused.append(rows[0]["number"])
            self._most = 1
        else:
            self._most = AT_ONCE
        return bool(rows)


def _index(db: PostgresDatabase, debate: int, *, closed: bool) -> None:
    """Make a debate searchable: by its query at once, by its answers when it is closed."""
    first = db.column("SELECT body FROM events WHERE debate = :debate AND seq = 1", debate=debate)
    query = ""
    with suppress(ValueError, KeyError, TypeError):
        query = str(orjson.loads(first[0])["brief"]["query"]) if first else ""
    found = texts(db, debate) if closed else {"answers": "", "synthesis": ""}
    db.execute(_INDEX_ALL if closed else _INDEX_QUERY, debate=debate, query=query, **found)


_NEXT = """
DELETE FROM unindexed WHERE number IN (
    SELECT number FROM unindexed WHERE number <= :last AND number <> ALL(:refused)
    ORDER BY number LIMIT :most FOR UPDATE SKIP LOCKED)
RETURNING number, debate, closed
"""

# FOR KEY SHARE: a debate that is just being deleted must not get an entry that stays.
_INDEX = """
INSERT INTO search (rowid, query, answers, synthesis)
SELECT number, :query, :answers, :synthesis FROM debates WHERE number = :debate FOR KEY SHARE
ON CONFLICT (rowid)
"""

# Another process may have indexed the closing before: that is not undone.
_INDEX_QUERY = f"{_INDEX} DO NOTHING"
_INDEX_ALL = f"""{_INDEX} DO UPDATE SET
    query = excluded.query, answers = excluded.answers, synthesis = excluded.synthesis
"""
