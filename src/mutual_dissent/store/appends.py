"""How appends are written into a file: one after the other, in one transaction, found at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mutual_dissent.store.database import Transaction, turn_to_write
from mutual_dissent.store.debates.row import Change, write


class Appends:
    """What the store needs of a database in which changes are written."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, db: sqlite3.Connection, changes: Sequence[Change]) -> list[bool]:
        """Write changes; whether each fits where its log ends."""
        return [write(db, change) for change in changes]

    @contextmanager
    def alone(self, db: sqlite3.Connection) -> Iterator[None]:
        """What appends are written in: a transaction, in this process's turn to write."""
        with turn_to_write(self._path), Transaction(db):
            yield

    def committed(self) -> None:
        """Nothing is left to do."""

    def catch_up(self) -> None:
        """Everything can be found."""

    def close(self) -> None:
        """Nothing is open."""
