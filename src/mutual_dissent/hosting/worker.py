"""A worker: takes debates from the queue that all machines share, and holds them to their end.

What it does not finish, the next one does: when it leaves it puts its debates back, and when it
dies they are taken over after the lease. The record decides what is still to be asked, so that no
recorded answer is bought again.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time
from contextlib import suppress
from uuid import uuid4

import orjson

from mutual_dissent import __version__
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.codec import from_plain
from mutual_dissent.core.errors import DissentError, Held, StoreError
from mutual_dissent.core.events import Status
from mutual_dissent.engine.ending import RESTING, Over
from mutual_dissent.hosting.holding import AtRest, ended, on_record
from mutual_dissent.store.postgres.leases import BEATS
from mutual_dissent.store.postgres.queue import Job
from mutual_dissent.watching import Happenings

IDLE = 0.25
"""Seconds between two looks at a queue that had nothing."""


class Worker:
    """Holds up to `capacity` debates at once.

    Attributes:
        grace: seconds that calls in flight may take when it leaves.
        name: what the others know it by.
        held: how many debates have ended with it.
    """

    def __init__(self, md: MutualDissent, capacity: int, grace: float = 0.0) -> None:
        self.md = md
        self.capacity = capacity
        self.grace = grace
        self.name = f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:4]}"
        self.held = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._paused = False
        self._again = 0.0
        self._leaving = asyncio.Event()

    async def work(self, *, until_empty: bool = False) -> None:
        """Take debates and hold them until `leave` is called, or until nothing waits.

        Cancelled, it gives up the calls that are in flight, and puts everything back at once.
        """
        await self._beat()
        heart = asyncio.create_task(self._live())
        self.md.rest = self._rest
        try:
            while not self._leaving.is_set():
                if not await self._fill() and until_empty and await self._is_empty():
                    return
                await self._pause()
            await self._end_calls()
        finally:
            heart.cancel()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(heart, *self._tasks, return_exceptions=True)
            self.md.rest = lambda: None
            with suppress(StoreError):  # what it had is taken over after the lease
                self.md.queue.leave(self.name)

    def leave(self) -> None:
        """Take nothing more, let the calls in flight end, and put everything back."""
        self._leaving.set()

    @property
    def state(self) -> str:
        """What it does, in a word."""
        return "leaving" if self._leaving.is_set() else "paused" if self._paused else "working"

    def _rest(self) -> Over | None:
        """How debates are closed that would ask something now; None if they may."""
        if self._leaving.is_set():
            return Over(Status.INTERRUPTED, RESTING, "its worker was stopped")
        if self._paused:
            return Over(Status.PAUSED, RESTING, "all workers are paused")
        if self.md.store.in_debt:  # what is bought now would be lost with this process
            return Over(Status.INTERRUPTED, RESTING, "its answers could not be put on record")
        return None

    async def _end_calls(self) -> None:
        """Wait for the calls in flight, after which every debate comes to rest by itself."""
        with suppress(StoreError):
            await self._beat()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=self.grace)

    async def _fill(self) -> int:
        """Take as many debates as there is room for, unless all workers are paused."""
        try:
            await self._look()
            room = 0 if self._rest() else self.capacity - len(self._tasks)
            if time.monotonic() < self._again:
                return 0
            taken = await asyncio.to_thread(self.md.queue.take, self.name, room) if room else []
        except StoreError:  # the server may be restarting, and others seem dead that are not
            self._again = time.monotonic() + self.md.server.lease / BEATS
            return 0
        for job in taken:
            task = asyncio.create_task(self._hold(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return len(taken)

    async def _look(self) -> None:
        """See whether all workers are paused, and tell the others that this one has seen it."""
        paused = await asyncio.to_thread(self.md.queue.paused) is not None
        if paused is not self._paused:
            self._paused = paused
            await self._beat()

    async def _is_empty(self) -> bool:
        """Whether nothing is held here, and nothing waits, be it for the end of a pause."""
        if self._tasks:
            return False
        try:
            return not (await asyncio.to_thread(self.md.queue.lengths))["waiting"]
        except StoreError:
            return False

    async def _pause(self) -> None:
        """Wait for room, for something to be in the queue, or to be told to leave."""
        leaving = asyncio.create_task(self._leaving.wait())
        try:
            await asyncio.wait(
                [leaving, *self._tasks], timeout=IDLE, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            leaving.cancel()

    async def _live(self) -> None:
        rest = beat = self.md.server.lease / BEATS
        while True:
            await asyncio.sleep(rest)
            try:
                await self._beat()
                rest = beat
            except StoreError:  # after an outage, the others must soon know that it lives
                rest = min(beat, IDLE)

    async def _beat(self) -> None:
        facts = (self.name, socket.gethostname(), os.getpid(), __version__, self.capacity)
        await asyncio.to_thread(self.md.queue.beat, *facts, self.state)

    async def _hold(self, job: Job) -> None:
        queue, name = self.md.queue, job.transcript_id
        try:
            error = await self._ended(job)
            await on_record(self.md, name)
        except AtRest:  # where it is not on record yet, whoever takes it finds that it is held
            await self._told(queue.put_back, name, self.name)
        except Held:  # the lease of a dead worker has not run out, or this one's has
            delay = self.md.server.lease / BEATS
            await self._told(queue.put_back, name, self.name, delay)
        except StoreError:  # the record could not be reached: nothing is wrong with the debate
            await self._told(queue.put_back, name, self.name, 1.0)
        except DissentError as e:
            await self._told(queue.finish, name, self.name, str(e))
        except Exception as e:  # noqa: BLE001 - one debate must not end the others
            await self._told(queue.finish, name, self.name, f"{type(e).__name__}: {e}"[:500])
        else:
            self.held += 1
            await self._told(queue.finish, name, self.name, error)

    async def _told(self, tell: object, *values: object) -> None:
        """Tell the queue, again until it is told: the others wait for that while this one lives."""
        assert callable(tell)
        while True:
            try:
                await asyncio.to_thread(tell, *values)
            except StoreError:
                await asyncio.sleep(IDLE)
            else:
                return

    async def _ended(self, job: Job) -> str:
        """Hold a debate; why it has no answer, if it has none.

        Raises:
            AtRest: if it came to rest with this worker, or would not even begin.
        """
        if self._rest():
            raise AtRest
        return (await ended(self._happenings(job))).trouble

    def _happenings(self, job: Job) -> Happenings:
        """Begin a debate, or go on where its record ends."""
        if not self.md.store.last_seq(job.transcript_id):
            return self.md.run(from_plain(Brief, orjson.loads(job.brief)), tokens=False)
        if job.max_cost is None:
            return self.md.resume(job.transcript_id)
        return self.md.resume(job.transcript_id, max_cost=job.max_cost)
