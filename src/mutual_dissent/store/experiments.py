"""Experiments on record: their texts, what was settled when they began, and their states."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mutual_dissent.store.access import Access, Place
from mutual_dissent.store.database import Row
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
        self._access = Access(path)

    def keep(self, name: str, text: str, folder: str, settled: str, now: datetime) -> None:
        """Put an experiment that begins now on record, in place of an earlier one of its name."""
        row = {"name": name, "text": text, "folder": folder, "settled": settled}
        with self._access.to_write() as db:
            db.execute(_KEEP, **row, state=State.RUNNING.value, now=ticks(now))

    def move(self, name: str, state: State, now: datetime, *, only: State | None = None) -> bool:
        """Set an experiment's state; return whether it exists (and was in the state `only`)."""
        values = {"state": state.value, "only": only.value if only else None}
        with self._access.to_write() as db:
            return db.execute(_MOVE, name=name, now=ticks(now), **values) > 0

    def find(self, name: str) -> Kept | None:
        """Return the experiment of that name, if it is on record."""
        rows = self._access.rows(f"{_SELECT} WHERE name = :name", name=name)
        return _from_row(rows[0]) if rows else None

    def every(self) -> list[Kept]:
        """Return all that are on record, the newest first."""
        return [_from_row(r) for r in self._access.rows(f"{_SELECT} ORDER BY updated_at DESC")]

    def state(self, name: str) -> State | None:
        """Return the state of an experiment; None if there is none of that name."""
        rows = self._access.rows("SELECT state FROM experiments WHERE name = :name", name=name)
        return State(rows[0]["state"]) if rows else None

    def close(self) -> None:
        """Let go of the database."""
        self._access.close()


def _from_row(row: Row) -> Kept:
    times = {name: at_tick(row[name]) for name in ("created_at", "updated_at")}
    return Kept(**row | times | {"state": State(row["state"])})


_SELECT = "SELECT name, text, folder, settled, state, created_at, updated_at FROM experiments"

_KEEP = """
INSERT INTO experiments (name, text, folder, settled, state, created_at, updated_at)
VALUES (:name, :text, :folder, :settled, :state, :now, :now)
ON CONFLICT (name) DO UPDATE SET
    text = excluded.text, folder = excluded.folder, settled = excluded.settled,
    state = excluded.state, updated_at = excluded.updated_at
"""

_MOVE = """
UPDATE experiments SET state = :state, updated_at = :now
WHERE name = :name AND state = coalesce(:only, state)
"""
