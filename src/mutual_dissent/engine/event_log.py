"""The record of a running debate: every event is stored first, then folded in, then shown."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field

from mutual_dissent.core.errors import NotSaved
from mutual_dissent.core.events import Event, Noted
from mutual_dissent.core.ports import Clock, Journal
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.engine.outbox import Outbox


@dataclass(slots=True, kw_only=True)
class EventLog:
    """The transcript so far, and the way for events to get into it.

    Attributes:
        now: the transcript so far.
        seq: the number of the last event that was given one.
        unsaved: whether the journal could not write the last events yet, and keeps them.
    """

    now: Transcript
    journal: Journal
    clock: Clock
    seq: int
    outbox: Outbox
    unsaved: bool = False
    _waiting: list[Event] = field(default_factory=list)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def fold(self, event: Event) -> None:
        """Count an event that is already on record."""
        self.now = self.now.apply(event)

    async def add(self, *events: Event) -> None:
        """Number events, store them, fold them in, and only then pass them on, in order."""
        if events:
            self._waiting += events
            await whole(self._write())

    def put_off(self, *events: Event) -> None:
        """Let events go on record together with the next ones, in one write."""
        self._waiting += events

    async def _write(self) -> None:
        """Store all events that wait by now: whoever comes first does it for the others."""
        async with self._turn:
            while self._waiting:
                new, self._waiting = self._numbered(self._waiting), []
                problem = ""
                try:
                    await self.journal.append(new)
                except NotSaved as e:
                    problem = str(e)
                finally:
                    # Also what could not be stored: it is paid for, and the journal keeps it to try
                    # again.
                    self._pass_on(new)
                self._waiting += self._news(problem)

    def _numbered(self, events: Sequence[Event]) -> list[Event]:
        """The events with their places in the log."""
        placed = [e.with_seq(self.seq + i) for i, e in enumerate(events, start=1)]
        self.seq += len(placed)
        return placed

    def _pass_on(self, events: Sequence[Event]) -> None:
        """Fold events in and show them."""
        for event in events:
            self.fold(event)
            self.outbox.put(event)

    def _news(self, problem: str) -> list[Event]:
        """Note that events cannot be stored any more, or can be again: each time once."""
        if bool(problem) == self.unsaved:
            return []
        self.unsaved = bool(problem)
        if problem:
            return [Noted(at=self.clock(), code="not_saved", text=problem)]
        return [Noted(at=self.clock(), code="saved", text="all of it is on record again")]


async def whole(work: Coroutine[None, None, None]) -> None:
    """Wait for work that must not be left half done, also if whoever waits is cancelled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
