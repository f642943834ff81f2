"""Opening the database, and the meaning of its errors to a user."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from mutual_dissent.core.errors import StoreError
from mutual_dissent.core.values.terms import command
from mutual_dissent.store.migrations import is_present, migrate
from mutual_dissent.store.postgres.server import PostgresServer
from mutual_dissent.store.private_files import (
    ELSEWHERE,
    check_owner,
    private_file,
    private_folder,
    reason,
)

BUSY_SECONDS = 10.0
OUTAGE_SECONDS = 30.0
"""Seconds for which an append is retried where a server may be restarting."""

Place = Path | PostgresServer
"""The place of a record: a SQLite file, or a PostgreSQL server."""


def open_database(path: Place) -> sqlite3.Connection:
    """Open a connection for writing; make or migrate the database where needed.

    Raises:
        StoreError: if it cannot be opened.
    """
    if isinstance(path, PostgresServer):
        return path.as_sqlite()
    private_folder(path.parent)
    _made_private(path)
    with translate_errors(path, StoreError):
        db = _connect(f"{path.absolute().as_uri()}?mode=rw")
        try:
            _write_ahead(db)
            # FULL: in WAL mode, NORMAL could lose acknowledged answers in a power cut.
            db.execute("PRAGMA synchronous = FULL")
            migrate(db, str(path))
        except BaseException:
            db.close()
            raise
    return db


def open_for_appending(path: Place) -> sqlite3.Connection:
    """Open a connection for the thread that appends, which reads over damaged text."""
    db = open_database(path)
    if not isinstance(path, PostgresServer):
        db.text_factory = lambda text: text.decode("utf-8", "replace")
    return db


def open_for_reading(path: Place) -> sqlite3.Connection:
    """Open a connection for reading, also in a read-only folder or on a full disk.

    A connection that cannot write has `PRAGMA query_only` set.
    """
    if isinstance(path, PostgresServer):
        return open_database(path)
    try:
        return open_database(path)
    except StoreError as e:
        cannot_write = not os.access(path.parent, os.W_OK) or _disk_refused(e)
        if not cannot_write or not os.access(path, os.R_OK):
            raise
    with translate_errors(path, StoreError):
        db = _present(_unwritable(path), str(path))
        db.execute("PRAGMA query_only = ON")
    return db


def _unwritable(path: Path) -> sqlite3.Connection:
    # A WAL database needs its -shm file even for reading; without a -wal file, or with the empty
    # one that a full disk leaves, the database file alone is the whole truth, and SQLite may be
    # told that no process changes it.
    log = path.with_name(path.name + "-wal")
    alone = not log.exists() or log.stat().st_size == 0
    db = _connect(f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if alone else ''}")
    db.execute("SELECT count(*) FROM sqlite_master")
    return db


def _present(db: sqlite3.Connection, name: str) -> sqlite3.Connection:
    """Return the database at the present version: a copy if its file cannot be migrated."""
    if is_present(db, name):
        return db
    copy = _connect("file::memory:")
    db.backup(copy)
    db.close()
    migrate(copy, name)
    return copy


def _disk_refused(error: StoreError) -> bool:
    name = getattr(error.__cause__, "sqlite_errorname", "") or ""
    return name.startswith(("SQLITE_FULL", "SQLITE_IOERR"))


def _made_private(path: Path) -> None:
    """Make the file before SQLite does, which gives its -wal and -shm files the same permissions.

    An existing database must not be opened here: closing a descriptor drops every lock that
    this process holds on the file. Another process would then take itself for the last one, remove
    the -wal file on leaving, and what is written afterwards would be lost.
    """
    try:
        status = path.lstat()
    except FileNotFoundError:
        os.close(private_file(path))
        return
    except OSError as e:
        raise StoreError(f"{path} cannot be opened: {reason(e)}; {ELSEWHERE}") from e
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"{path} is not a plain file; move it away")
    check_owner(path, status)


class Turns:
    """A fair lock: it is not taken again before the threads that wait for it have had it.

    SQLite lets its writers look now and then whether they may: on a slow disk one that commits
    again and again keeps the others of its process out until they give up.
    """

    def __init__(self) -> None:
        self._door, self._room = threading.Lock(), threading.Lock()

    def __enter__(self) -> None:
        with self._door:  # the next thread waits here; one that has just left the room is behind it
            self._room.acquire()

    def __exit__(self, *_: object) -> None:
        self._room.release()


_TURNS: dict[Place, Turns] = defaultdict(Turns)


def turn_to_write(path: Place) -> AbstractContextManager[None]:
    """Hold this while writing through any connection of this process; it is not reentrant."""
    return nullcontext() if isinstance(path, PostgresServer) else _TURNS[path.absolute()]


class Transaction:
    """All or nothing, with the lock taken at once so that it never has to be upgraded."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._db.execute("COMMIT")
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")


@contextmanager
def translate_errors(path: Place, error: type[StoreError]) -> Iterator[None]:
    """Turn SQLite's errors into one sentence."""
    try:
        yield
    except sqlite3.Error as e:
        raise user_error(e, path, error) from e


def user_error(problem: sqlite3.Error, path: Place, error: type[StoreError]) -> StoreError:
    """Return the user's error for an error of SQLite."""
    text = str(problem)
    name = getattr(problem, "sqlite_errorname", "") or ""
    what, *hint = next((row for code, row in _MEANINGS.items() if name.startswith(code)), (text,))
    wish = "could not be used" if error is StoreError else "could not be written"
    return error(f"{path} {wish}: {what}", *hint)


_MEANINGS = {
    "SQLITE_FULL": ("the disk is full", "free some space and try again"),
    "SQLITE_READONLY": ("it is read-only", ELSEWHERE),
    "SQLITE_CANTOPEN": ("it cannot be opened", f"check its permissions, or {ELSEWHERE}"),
    "SQLITE_IOERR": (
        "the disk refused (full, over quota, or failing)",
        "check it and try again",
    ),
    "SQLITE_BUSY": ("another process kept it locked for too long", "try again"),
    "SQLITE_LOCKED": ("another process kept it locked for too long", "try again"),
    "SQLITE_NOTADB": ("it is not a database of this program", "move it away and try again"),
    "SQLITE_CORRUPT": ("it is damaged", f"run `{command('doctor')}`"),
}
"""SQLite's name of an error -> what is wrong, and what to do."""


def _connect(uri: str) -> sqlite3.Connection:
    db = sqlite3.connect(
        uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    db.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
    return db


def _is_busy(error: sqlite3.OperationalError) -> bool:
    return error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switch to WAL. SQLite does not wait here when several processes switch at once: we do."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            mode = db.execute("PRAGMA journal_mode").fetchone()[0]
            if mode != "wal":
                db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as e:
            if time.monotonic() >= until or not _is_busy(e):
                raise
            time.sleep(0.02)
        else:
            return
