"""Access to a record: a SQLite file, or a PostgreSQL server, opened when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from mutual_dissent.core.errors import NotSaved, StoreError
from mutual_dissent.store import sqlite
from mutual_dissent.store.database import Database, Row, translate_errors
from mutual_dissent.store.debates.row import Append, write

if TYPE_CHECKING:
    from mutual_dissent.store.postgres.server import PostgresServer

Place: TypeAlias = "Path | PostgresServer"
"""The place of a record: a SQLite file, or a PostgreSQL server."""


class Access:
    """One connection to a record, for one thread at a time; it is opened with its first use."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._db: Database | None = None
        self._turn = threading.RLock()

    @contextmanager
    def to_read(self) -> Iterator[Database | None]:
        """Yield the connection, or None where there is no database yet: reading makes no files.

        Raises:
            StoreError: if it cannot be used.
        """
        with self._turn, translate_errors(self.place, StoreError):
            yield self.readable() if self._db is not None or self.place.exists() else None

    @contextmanager
    def to_write(self, error: type[StoreError] = NotSaved) -> Iterator[Database]:
        """Yield the connection, in this process's turn to write."""
        # In this order: whoever waits for its turn to write keeps no reader from the connection.
        with turn_to_write(self.place), self._turn, translate_errors(self.place, error):
            yield self.writable()

    @contextmanager
    def transaction(self) -> Iterator[Database]:
        """Yield the connection in a transaction."""
        with self.to_write() as db, db.transaction():
            yield db

    def rows(self, sql: str, /, **values: object) -> list[Row]:
        """Return the rows of a query; none where there is no database yet."""
        with self.to_read() as db:
            return db.rows(sql, **values) if db else []

    def readable(self) -> Database:
        """Return the connection, also in a read-only folder or on a full disk."""
        if self._db is None:
            place = self.place
            self._db = sqlite.open_to_read(place) if isinstance(place, Path) else place.open()
        return self._db

    def writable(self) -> Database:
        """Return the connection, opened again where it was read-only: by now there may be room."""
        if self._db is not None and self._db.read_only:
            self.close()
        if self._db is None:
            self._db = open_database(self.place)
        return self._db

    def close(self) -> None:
        """Close the connection."""
        with self._turn:
            if self._db is not None:
                self._db.close()
                self._db = None


def open_database(place: Place, *, lenient: bool = False) -> Database:
    """Open a connection for writing; make or migrate a file where needed.

    Args:
        lenient: whether to read over damaged text.

    Raises:
        StoreError: if it cannot be opened.
    """
    if not isinstance(place, Path):
        return place.open()
    return sqlite.open_file(place, lenient=lenient)


def turn_to_write(place: Place) -> AbstractContextManager[None]:
    """Hold this while writing through any connection of this process; it is not reentrant."""
    return sqlite.TURNS[place.absolute()] if isinstance(place, Path) else nullcontext()


class Appends:
    """Writes changes into a SQLite database."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, db: Database, changes: Sequence[Append]) -> list[bool]:
        """Write changes; return for each whether it fits where its log ends."""
        return [write(db, change) for change in changes]

    @contextmanager
    def alone(self, db: Database) -> Iterator[None]:
        """Enter a transaction in this process's turn to write."""
        with turn_to_write(self._path), db.transaction():
            yield

    def after_commit(self) -> None:
        """Do nothing: nothing is left to do."""

    def catch_up(self) -> None:
        """Do nothing: the search index is up to date after each append."""

    def close(self) -> None:
        """Do nothing: nothing is open."""
