"""A worker: takes debates from the queue that all machines share, and holds them to their end.

What it does not finish, the next one does: when it is stopped it puts its debates back, and when
it dies they are taken over after the lease. The record decides what is still to be asked, so that
no recorded answer is bought again.
"""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import aclosing, suppress
from uuid import uuid4

import orjson

from mutual_dissent import __version__
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.codec import from_plain
from mutual_dissent.core.errors import DissentError, Held, StoreError
from mutual_dissent.core.events import Closed, Status
from mutual_dissent.store.postgres.leases import BEATS
from mutual_dissent.store.postgres.queue import Job
from mutual_dissent.watching import Happenings

IDLE = 0.25
"""Seconds between two looks at a queue that had nothing."""


class Worker:
    """Holds up to `capacity` debates at once.

    Attributes:
        name: what the others know it by.
        held: how many debates have ended with it.
    """

    def __init__(self, md: MutualDissent, capacity: int) -> None:
        self.md = md
        self.capacity = capacity
        self.name = f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:4]}"
        self.held = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def work(self, *, until_empty: bool = False) -> None:
        """Take debates and hold them, for ever or until nothing waits; cancelled, put all back."""
        await self._beat()
        heart = asyncio.create_task(self._live())
        try:
            while await self._fill() or self._tasks or not until_empty:
                await self._pause()
        finally:
            heart.cancel()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(heart, *self._tasks, return_exceptions=True)
            with suppress(StoreError):  # what it had is taken over after the lease
                self.md.queue.leave(self.name)

    async def _fill(self) -> int:
        """Take as many debates as there is room for."""
        room = self.capacity - len(self._tasks)
        try:
            taken = await asyncio.to_thread(self.md.queue.take, self.name, room) if room else []
        except StoreError:  # the server may be restarting
            return 0
        for job in taken:
            task = asyncio.create_task(self._hold(job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return len(taken)

    async def _pause(self) -> None:
        """Wait for room, or for something to be in the queue."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=IDLE, return_when=asyncio.FIRST_COMPLETED)
        else:
            await asyncio.sleep(IDLE)

    async def _live(self) -> None:
        while True:
            await asyncio.sleep(self.md.server.lease / BEATS)
            with suppress(StoreError):
                await self._beat()

    async def _beat(self) -> None:
        facts = (self.name, socket.gethostname(), os.getpid(), __version__, self.capacity)
        await asyncio.to_thread(self.md.queue.beat, *facts)

    async def _hold(self, job: Job) -> None:
        queue, name = self.md.queue, job.transcript_id
        try:
            error = await self._ended(job)
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
        """Tell the queue; where that fails, the debate is looked at again after the lease."""
        assert callable(tell)
        with suppress(StoreError):
            await asyncio.to_thread(tell, *values)

    async def _ended(self, job: Job) -> str:
        """Hold a debate; why it has no answer, if it has none."""
        status, why = Status.ERROR, "it ended without a word"
        async with aclosing(self._happenings(job)) as events:
            async for event in events:
                if isinstance(event, Closed):
                    status, why = event.status, event.text or event.reason
        return "" if status is Status.COMPLETED else why or status.value

    def _happenings(self, job: Job) -> Happenings:
        """Begin a debate, or go on where its record ends."""
        if not self.md.store.last_seq(job.transcript_id):
            return self.md.run(from_plain(Brief, orjson.loads(job.brief)))
        if job.max_cost is None:
            return self.md.resume(job.transcript_id)
        return self.md.resume(job.transcript_id, max_cost=job.max_cost)
