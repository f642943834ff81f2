"""An experiment whose debates other machines hold: this process only deals them out.

The budget, the order and the progress are those of any run. What differs is who holds a debate:
it goes into the queue, and is over when a worker has said so.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import orjson

from mutual_dissent.core.codec import to_plain
from mutual_dissent.core.errors import DissentError, StoreError
from mutual_dissent.core.events import Closed, Event
from mutual_dissent.experiments.running import ORDERED, Piece, Progress, Run
from mutual_dissent.store.postgres.queue import WITHDRAWN, Job
from mutual_dissent.watching import Happenings

T = TypeVar("T")

PATIENCE = 120.0
"""Seconds in which a server that was started anew, or moved, is there again."""

PAUSE = 0.25
"""Seconds between two attempts to reach it."""


@dataclass(slots=True)
class ClusterRun(Run):
    """One run of an experiment on the workers of a cluster.

    Attributes:
        priority: higher goes before the debates of others.
    """

    priority: int = 0
    _waiting: dict[str, asyncio.Future[str]] = field(default_factory=dict)

    async def to_the_end(self) -> Progress:
        """Deal out all debates that are missing, and wait for the last of them."""
        capacity = sum(w.capacity for w in self.md.queue.workers() if w.alive)
        # A few more than there is room for, so that no worker waits for this process.
        most = max(self.experiment.concurrency, 2 * capacity)
        self.experiment = replace(self.experiment, concurrency=most)
        try:
            progress = await Run.to_the_end(self)
        finally:
            with suppress(StoreError):
                self.md.queue.withdraw(self.experiment.name)
                self.md.queue.clear(self.experiment.name)
        if progress.stopped:
            progress.failed -= progress.problems.pop(WITHDRAWN, 0)
        return progress

    async def _begin(self, piece: Piece, limit: float | None) -> Happenings:
        return self._elsewhere(piece, limit)

    async def _elsewhere(self, piece: Piece, limit: float | None) -> Happenings:
        """What happened in a debate that a worker held, once it is over."""
        name = piece.transcript_id
        brief = await self.brief_of(piece, limit)
        total = None if limit is None else limit + self._begun.get(name, 0.0)
        job = Job(
            transcript_id=name,
            owner=self.experiment.name,
            brief=orjson.dumps(to_plain(brief)).decode(),
            max_cost=total,
            priority=self.priority,
        )
        await reached(partial(self.md.queue.put, job))  # first: what is not there was withdrawn
        future = self._waiting[name] = asyncio.get_running_loop().create_future()
        try:
            error = await future
        finally:
            self._waiting.pop(name, None)
        events = await reached(partial(self._events, name))
        for event in events:
            yield event
        last = events[-1] if events else None
        ended = isinstance(last, Closed) and (error != WITHDRAWN or last.reason in ORDERED)
        if error and not ended:  # how it closed in an earlier run says nothing of this one
            raise NotHeld(error)

    def _events(self, name: str) -> list[Event]:
        return self.md.store.events(name) if self.md.store.last_seq(name) else []

    async def halt(self) -> None:
        """Have those end that have begun, and take back what nobody has taken."""
        await asyncio.to_thread(self.md.queue.withdraw, self.experiment.name)
        await Run.halt(self)

    async def glance(self) -> None:
        """See also which debates have ended."""
        await Run.glance(self)
        ended = await asyncio.to_thread(self.md.queue.ended, [*self._waiting])
        for name, error in ended.items():
            future = self._waiting.get(name)
            if future and not future.done():
                future.set_result(error)


class NotHeld(DissentError):
    """A debate that no worker could hold."""


async def reached(work: Callable[[], T]) -> T:
    """What comes of work on the shared record, which is tried again while the server is away.

    Raises:
        StoreError: if that takes too long.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return await asyncio.to_thread(work)
        except StoreError:
            if time.monotonic() >= until:
                raise
        await asyncio.sleep(PAUSE)
