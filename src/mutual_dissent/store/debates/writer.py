"""Group commit: one thread writes all appends that are waiting, in one transaction, one sync."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from mutual_dissent.core.errors import NotSaved, StoreError
from mutual_dissent.store.database import Database, DatabaseError, Rejected
from mutual_dissent.store.debates.row import Append, EventRow

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future


class Backlog:
    """The changes that are not on record yet, by debate, in order.

    It holds what debates under way have bought while the disk was full or the database locked, and
    no more than that: nothing new is begun while it cannot be put on record.
    """

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


PAUSE = 0.2
"""Seconds between two attempts at a batch."""

RETRY = 0.5
"""Seconds between two attempts at the backlog while nothing new comes."""

CALM, HASTY = 10_000, 100
"""Milliseconds to wait for another writer: usually, and while there is a backlog."""


@dataclass(slots=True)
class Waiting:
    """An append that a task awaits."""

    change: Append
    future: Future[None]
    loop: AbstractEventLoop


class Writer:
    """The thread that owns the connection for writing; it starts with the first append.

    An append that cannot be written goes into the backlog, which is retried with every append and
    twice a second in between.
    """

    def __init__(
        self,
        connect: Callable[[], Database],
        failure: Callable[[DatabaseError], StoreError],
        conflict: Callable[[str], StoreError],
        write: Callable[[Database, list[Append]], list[bool]],
        settled: Callable[[str], None],
        alone: Callable[[Database], AbstractContextManager[None]],
        patience: float,
    ) -> None:
        """Write through `connect`; `settled` is called for each debate without backlog any more.

        Args:
            write: writes changes, and returns for each whether it fits where its log ends.
            alone: the context of a write; other threads of this process write in between.
            patience: seconds for which a batch is retried before it goes into the backlog.
        """
        self._connect = connect
        self._failure = failure
        self._conflict = conflict
        self._write = write
        self._settled = settled
        self._alone = alone
        self._patience = patience
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._db: Database | None = None
        self._start = threading.Lock()
        self._ending = threading.Event()
        self.backlog = Backlog()
        self.problem = ""
        self.commits = 0
        self.wrote_at = float("-inf")

    async def append(self, change: Append) -> None:
        """Wait until a change is on disk; NotSaved is raised if it is in the backlog instead."""
        from asyncio import get_running_loop

        loop = get_running_loop()
        future: Future[None] = loop.create_future()
        self._queue.put(Waiting(change, future, loop))
        if self._thread is None:
            self._begin()
        await future

    def close(self) -> None:
        """Write what is waiting, try the backlog for the last time, and end the thread."""
        with self._start:
            if self._thread is not None:
                self._ending.set()
                self._queue.put(None)
                self._thread.join()
                self._thread = None
                self._ending.clear()
            self.backlog.clear()

    def _begin(self) -> None:
        with self._start:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        open_ = True
        while open_:
            batch, open_ = self._next()
            self._work(batch)
        if self._db is not None:
            self._db.close()
            self._db = None

    def _next(self) -> tuple[list[Waiting], bool]:
        """Return all waiting appends, and whether more may come."""
        batch: list[Waiting] = []
        try:
            item = self._queue.get(timeout=RETRY if self.backlog else None)
            while item is not None:
                batch.append(item)
                item = self._queue.get_nowait()
        except Empty:
            return batch, True
        return batch, False

    def _work(self, batch: list[Waiting]) -> None:
        """Write the backlog, then what is new; each append is on disk or has its error."""
        changes = [waiting.change for waiting in batch]
        # The backlog first: an append fits only where its log ends.
        error = self._pay() if self.backlog else None
        outcome: list[StoreError | None] = [error for _ in changes]
        if changes and not error:
            outcome = self._commit(changes)
        failed = zip(changes, outcome, strict=True)
        # A debate that could not be opened is not kept: no model was asked, and its caller is
        # refused.
        self.backlog.keep(c for c, e in failed if isinstance(e, NotSaved) and not c.begins)
        if self.backlog or error:
            self._wait_for_locks(HASTY if self.backlog else CALM)
        _tell(batch, outcome)

    def _pay(self) -> StoreError | None:
        """Write the backlog; return the error if that fails."""
        owed = self.backlog.changes()
        outcome = self._commit(owed)
        if error := next((e for e in outcome if isinstance(e, NotSaved)), None):
            self.problem = error.sentence
            return error
        for transcript_id in dict.fromkeys(c.transcript_id for c in owed):
            self.backlog.drop(transcript_id)
            self._settled(transcript_id)
        self._wait_for_locks(CALM)
        return None

    def _commit(self, changes: list[Append]) -> list[StoreError | None]:
        """Write changes in one transaction, retried as a whole on a temporary error."""
        # While there is a backlog every batch fails alike: none is waited for once more.
        until = time.monotonic() + (0.0 if self.backlog else self._patience)
        while True:
            try:
                if self._db is None:
                    self._db = self._connect()
                return self._transaction(self._db, changes)
            except StoreError as e:
                error: StoreError = NotSaved(*e.args)
            except Exception as e:  # noqa: BLE001 - waiting tasks must be told, whatever it was
                if not isinstance(e, DatabaseError) or isinstance(e, Rejected):
                    return self._apart(changes, e)
                error = self._failure(e)
            _mark_tried(changes)
            # A pause that `close` cuts short.
            if time.monotonic() >= until or self._ending.wait(PAUSE):
                return [error for _ in changes]

    def _apart(self, changes: list[Append], error: Exception) -> list[StoreError | None]:
        """Write changes one by one: one that can never be written must not spoil the others."""
        _mark_tried(changes)
        if len(changes) > 1:
            return [e for change in changes for e in self._commit([change])]
        return [StoreError(f"an event could not be stored: {error!r:.200}")]

    def _transaction(self, db: Database, batch: list[Append]) -> list[StoreError | None]:
        with self._alone(db):
            written = self._write(db, batch)
        self.commits += 1
        self.wrote_at = time.monotonic()
        pairs = zip(batch, written, strict=True)
        return [None if fits else self._conflict(c.transcript_id) for c, fits in pairs]

    def _wait_for_locks(self, milliseconds: int) -> None:
        """Set how long to wait for another writer: not for long while writing fails anyway."""
        if self._db is not None:
            with suppress(DatabaseError):
                self._db.wait_for_locks(milliseconds)


def _mark_tried(changes: list[Append]) -> None:
    """Mark changes that may be on record: a line cut after the commit leaves that open."""
    for change in changes:
        change.tried = True


def _tell(batch: list[Waiting], outcome: list[StoreError | None]) -> None:
    """Wake all waiting tasks, with one call for each event loop."""
    by_loop: dict[AbstractEventLoop, list[tuple[Future[None], StoreError | None]]]
    by_loop = defaultdict(list)
    for waiting, error in zip(batch, outcome, strict=True):
        by_loop[waiting.loop].append((waiting.future, error))
    for loop, settled in by_loop.items():
        try:
            loop.call_soon_threadsafe(_settle, settled)
        except RuntimeError:
            continue  # the loop is closed: none of its tasks waits any more


def _settle(settled: list[tuple[Future[None], StoreError | None]]) -> None:
    for future, error in settled:
        if future.done():
            continue  # the task that waited was cancelled
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
