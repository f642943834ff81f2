"""The record of a running debate: every event is stored first, then folded in, then shown."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field

from mutual_dissent.core.errors import NotSaved, StoreError
from mutual_dissent.core.events import Event, Noted
from mutual_dissent.core.ports import Clock, Journal
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.engine.outbox import Outbox


@dataclass(slots=True, kw_only=True)
class Record:
    """How a debate stands, and the way for events to get into it.

    Attributes:
        now: the transcript so far.
        seq: the number of the last event that was given one.
        sent: the number of the last event that was shown.
        unsaved: whether events could not be written: the debate lives in memory from there on.
    """

    now: Transcript
    journal: Journal
    clock: Clock
    seq: int
    outbox: Outbox = field(default_factory=Outbox)
    unsaved: bool = False
    sent: int = field(init=False)
    unsent: dict[int, Event] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sent = self.seq

    def fold(self, event: Event) -> None:
        """Count an event that is already on record."""
        self.now = self.now.apply(event)

    async def add(self, *events: Event) -> None:
        """Number events, store them, fold them in, and only then pass them on, in order."""
        numbered = self._numbered(events)
        if not numbered:
            return
        try:
            if not self.unsaved:
                await whole(self.journal.append(numbered))
        except NotSaved as e:
            numbered += self._not_saved(e)
        except StoreError:
            if not self.unsaved:  # else it only misses what could not be written just before
                raise
        finally:
            self._pass_on(numbered)

    def _numbered(self, events: Sequence[Event]) -> list[Event]:
        """The events with their places in the log."""
        placed = [e.numbered(self.seq + i) for i, e in enumerate(events, start=1)]
        self.seq += len(placed)
        return placed

    def _pass_on(self, events: Sequence[Event]) -> None:
        """Fold events in and show them, none before those with smaller numbers."""
        self.unsent.update({e.seq: e for e in events})
        while event := self.unsent.pop(self.sent + 1, None):
            self.sent += 1
            self.fold(event)
            self.outbox.put(event)

    def _not_saved(self, error: NotSaved) -> list[Event]:
        """From here on the debate lives in memory alone; said once."""
        if self.unsaved:
            return []
        self.unsaved = True
        return self._numbered([Noted(at=self.clock(), code="not_saved", text=str(error))])


async def whole(work: Coroutine[None, None, None]) -> None:
    """Wait for work that must not be left half done, also if whoever waits is cancelled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
