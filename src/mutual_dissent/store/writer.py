"""Group commit: one thread writes all appends that are waiting, in one transaction, one sync."""

from __future__ import annotations

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from mutual_dissent.core.errors import StoreError
from mutual_dissent.store.change import Change, write

if TYPE_CHECKING:
    # Reading commands never need asyncio, and it is slow to import.
    from asyncio import AbstractEventLoop, Future


@dataclass(slots=True)
class Waiting:
    """An append that somebody awaits."""

    change: Change
    future: Future[None]
    loop: AbstractEventLoop


class Writer:
    """The thread that owns the connection for writing; it starts with the first append."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        failure: Callable[[sqlite3.Error], StoreError],
        conflict: Callable[[str], StoreError],
        allows: Callable[[sqlite3.Connection, str], bool],
    ) -> None:
        self._connect = connect
        self._failure = failure
        self._conflict = conflict
        self._allows = allows
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._db: sqlite3.Connection | None = None
        self._start = threading.Lock()
        self.commits = 0

    async def append(self, change: Change) -> None:
        """Wait until a change is on disk."""
        from asyncio import get_running_loop

        loop = get_running_loop()
        future: Future[None] = loop.create_future()
        self._queue.put(Waiting(change, future, loop))
        if self._thread is None:
            self._begin()
        await future

    def close(self) -> None:
        """Write what is waiting, and end the thread."""
        with self._start:
            if self._thread is not None:
                self._queue.put(None)
                self._thread.join()
                self._thread = None

    def _begin(self) -> None:
        with self._start:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        open_ = True
        while open_:
            first = self._queue.get()
            batch, open_ = self._rest(first)
            if batch:
                _tell(batch, self._commit(batch))
        if self._db is not None:
            self._db.close()
            self._db = None

    def _rest(self, first: Waiting | None) -> tuple[list[Waiting], bool]:
        """Everything that is waiting by now, and whether more may come."""
        batch: list[Waiting] = []
        item = first
        while item is not None:
            batch.append(item)
            try:
                item = self._queue.get_nowait()
            except Empty:
                return batch, True
        return batch, False

    def _commit(self, batch: list[Waiting]) -> list[StoreError | None]:
        """Write a batch; each append either is on disk or has its error."""
        try:
            if self._db is None:
                self._db = self._connect()
            return self._transaction(self._db, batch)
        except sqlite3.Error as e:
            return [self._failure(e) for _ in batch]
        except StoreError as e:
            return [e for _ in batch]
        except Exception as e:  # noqa: BLE001 - whoever waits must be told, whatever it was
            if len(batch) > 1:  # one append that cannot be written must not spoil the others
                return [error for waiting in batch for error in self._commit([waiting])]
            return [StoreError(f"an event could not be stored: {e!r:.200}")]

    def _transaction(self, db: sqlite3.Connection, batch: list[Waiting]) -> list[StoreError | None]:
        outcome: list[StoreError | None] = []
        try:
            db.execute("BEGIN IMMEDIATE")
            for waiting in batch:
                change = waiting.change
                written = self._allows(db, change.transcript_id) and write(db, change)
                outcome.append(None if written else self._conflict(change.transcript_id))
            db.execute("COMMIT")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
        self.commits += 1
        return outcome


def _tell(batch: list[Waiting], outcome: list[StoreError | None]) -> None:
    """Wake everybody who waits, with one call for each event loop."""
    by_loop: dict[AbstractEventLoop, list[tuple[Future[None], StoreError | None]]]
    by_loop = defaultdict(list)
    for waiting, error in zip(batch, outcome, strict=True):
        by_loop[waiting.loop].append((waiting.future, error))
    for loop, settled in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle, settled)
        except RuntimeError:
            continue  # the loop is closed: nobody waits any more


def _settle(settled: list[tuple[Future[None], StoreError | None]]) -> None:
    for future, error in settled:
        if future.done():
            continue  # whoever waited was cancelled
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
