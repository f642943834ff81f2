"""The backlog: appends that could not be written yet. They are kept, read, and tried again.

It holds what debates under way have bought while the disk was full or the database locked, and no
more than that: nothing new is begun while it cannot be put on record.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from mutual_dissent.store.debates.row import Append, EventRow


class Backlog:
    """The changes that are not on record yet, by debate, in order."""

    def __init__(self) -> None:
        self._changes: dict[str, list[Append]] = {}
        self._turn = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._changes)

    def __contains__(self, transcript_id: object) -> bool:
        return transcript_id in self._changes

    def changes(self) -> list[Append]:
        """Return all of them."""
        with self._turn:
            return [c for changes in self._changes.values() for c in changes]

    def rows(self, transcript_id: str) -> list[EventRow]:
        """Return the events of a debate that are not on record."""
        with self._turn:
            return [row for c in self._changes.get(transcript_id, ()) for row in c.rows]

    def keep(self, changes: Iterable[Append]) -> None:
        """Keep changes that could not be written."""
        with self._turn:
            for change in changes:
                self._changes.setdefault(change.transcript_id, []).append(change)

    def clear(self) -> None:
        """Drop everything: the process that held it ends."""
        with self._turn:
            self._changes.clear()

    def drop(self, transcript_id: str) -> None:
        """Forget a debate's changes: they are on record, or have no place there any more."""
        with self._turn:
            self._changes.pop(transcript_id, None)
