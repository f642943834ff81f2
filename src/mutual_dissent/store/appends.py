"""Appends to a SQLite file: one after the other, in one transaction, searchable at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mutual_dissent.store.access import turn_to_write
from mutual_dissent.store.database import Database
from mutual_dissent.store.debates.row import Append, write


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
