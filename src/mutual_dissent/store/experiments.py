"""Experiments on record: their texts, what was settled when they began, and their states."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from mutual_dissent.core.errors import NotSaved, StoreError
from mutual_dissent.store.database import Place, open_database, translate_errors, turn_to_write
from mutual_dissent.store.debates.row import at_tick, ticks


class State(StrEnum):
    """State of an experiment. One that is RUNNING and whose process is gone was cut off."""

    RUNNING = "running"
    FINISHING = "finishing"  # begins no further debate
    STOPPING = "stopping"  # and those that have begun end after their running calls
    HALTING = "halting"  # and those that have begun end at once
    STOPPED = "stopped"
    INCOMPLETE = "incomplete"
    BUDGET = "budget"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An experiment as it is on record.

    Attributes:
        text: its file.
        folder: where the files that it names are searched for.
        settled: what was decided when it began and must not change on the way, as JSON.
    """

    name: str
    text: str
    folder: str
    settled: str
    state: State
    created_at: datetime
    updated_at: datetime


class Experiments:
    """All experiments, in the database of the debates; nothing is opened before it is needed."""

    def __init__(self, path: Place) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None
        self._turn = threading.Lock()

    def keep(self, name: str, text: str, folder: str, settled: str, now: datetime) -> None:
        """Put an experiment that begins now on record, in place of an earlier one of its name."""
        row = (name, text, folder, settled, State.RUNNING.value, ticks(now), ticks(now))
        with turn_to_write(self.path), self._turn, translate_errors(self.path, NotSaved):
            self._open().execute(_KEEP, row)

    def move(self, name: str, state: State, now: datetime, *, only: State | None = None) -> bool:
        """Set an experiment's state; return whether it exists (and was in the state `only`)."""
        with turn_to_write(self.path), self._turn, translate_errors(self.path, NotSaved):
            values = (state.value, ticks(now), name, only.value if only else None)
            return self._open().execute(_MOVE, values).rowcount > 0

    def find(self, name: str) -> Kept | None:
        """Return the experiment of that name, if it is on record."""
        return next(iter(self._select("WHERE name = ?", (name,))), None)

    def every(self) -> list[Kept]:
        """Return all that are on record, the newest first."""
        return self._select("ORDER BY updated_at DESC", ())

    def state(self, name: str) -> State | None:
        """Return the state of an experiment; None if there is none of that name."""
        with self._turn, translate_errors(self.path, StoreError):
            if self._db is None and not self.path.exists():
                return None
            query = "SELECT state FROM experiments WHERE name = ?"
            row = self._open().execute(query, (name,)).fetchone()
        return State(row[0]) if row else None

    def close(self) -> None:
        """Let go of the database."""
        with self._turn:
            if self._db is not None:
                self._db.close()
                self._db = None

    def _select(self, rest: str, values: tuple[str, ...]) -> list[Kept]:
        with self._turn, translate_errors(self.path, StoreError):
            if self._db is None and not self.path.exists():  # reading makes no files
                return []
            return [_from_row(row) for row in self._open().execute(f"{_SELECT} {rest}", values)]

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = open_database(self.path)
        return self._db


def _from_row(row: tuple[Any, ...]) -> Kept:
    name, text, folder, settled, state, created, updated = row
    return Kept(
        name=name,
        text=text,
        folder=folder,
        settled=settled,
        state=State(state),
        created_at=at_tick(created),
        updated_at=at_tick(updated),
    )


_SELECT = "SELECT name, text, folder, settled, state, created_at, updated_at FROM experiments"

_KEEP = """
INSERT INTO experiments (name, text, folder, settled, state, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET
    text = excluded.text, folder = excluded.folder, settled = excluded.settled,
    state = excluded.state, updated_at = excluded.updated_at
"""

_MOVE = """
UPDATE experiments SET state = ?, updated_at = ? WHERE name = ? AND state = coalesce(?, state)
"""
