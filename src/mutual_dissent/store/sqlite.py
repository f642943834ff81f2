"""SQLite: opening a file, the meaning of its errors, and its turns to write."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote

from mutual_dissent.core.errors import StoreError
from mutual_dissent.core.values.terms import command
from mutual_dissent.store.database import (
    Database,
    DatabaseError,
    DiskRefused,
    Rejected,
    Row,
    Violation,
    translate_errors,
)
from mutual_dissent.store.migrations import is_present, migrate
from mutual_dissent.store.private_files import (
    ELSEWHERE,
    check_owner,
    private_file,
    private_folder,
    reason,
)

# Other processes hold the file for a write of milliseconds at a time; who waits as long as this
# waits for one that hangs, and is told so instead.
BUSY_SECONDS = 10.0


class SqliteDatabase(Database):
    """A connection to a SQLite file."""

    newest_first = True

    def __init__(self, db: sqlite3.Connection, *, read_only: bool = False) -> None:
        self._db = db
        self.read_only = read_only

    def execute(self, sql: str, /, **values: object) -> int:
        """Run a statement; return the number of rows that it changed."""
        with _PORT_ERRORS:
            return self._db.execute(sql, values).rowcount

    def executemany(self, sql: str, rows: Iterable[Mapping[str, object]], /) -> None:
        """Run a statement for each row of values."""
        with _PORT_ERRORS:
            self._db.executemany(sql, rows)

    def rows(self, sql: str, /, **values: object) -> list[Row]:
        """Run a statement; return its rows."""
        with _PORT_ERRORS:
            cursor = self._db.execute(sql, values)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=False)) for row in cursor]

    def begin(self) -> None:
        """Begin a transaction that writes."""
        # A transaction that begins by reading and writes later is refused at once where another
        # process wrote in between, however long it would wait for a lock.
        self.execute("BEGIN IMMEDIATE")

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction is open."""
        return self._db.in_transaction

    def wait_for_locks(self, milliseconds: int) -> None:
        """Set how long to wait for another writer."""
        self.execute(f"PRAGMA busy_timeout = {milliseconds}")

    def problems(self) -> list[str]:
        """Return what SQLite finds wrong with the file."""
        return [text for text in self.column("PRAGMA integrity_check(20)") if text != "ok"]

    def close(self) -> None:
        """Close the connection."""
        self._db.close()


def open_file(path: Path, *, lenient: bool = False) -> SqliteDatabase:
    """Open a file for writing; make or migrate it where needed.

    Args:
        lenient: whether to read over damaged text.

    Raises:
        StoreError: if it cannot be opened.
    """
    private_folder(path.parent)
    _made_private(path)
    with translate_errors(path, StoreError), _PORT_ERRORS:
        db = _connect(_address(path, "mode=rw"))
        try:
            _write_ahead(db)
            # FULL: in WAL mode, NORMAL could lose acknowledged answers in a power cut.
            db.execute("PRAGMA synchronous = FULL")
            migrate(db, str(path))
        except BaseException:
            db.close()
            raise
    if lenient:
        db.text_factory = lambda text: text.decode("utf-8", "replace")
    return SqliteDatabase(db)


def open_to_read(path: Path) -> SqliteDatabase:
    """Open a file, also in a read-only folder or on a full disk."""
    try:
        return open_file(path)
    except StoreError as e:
        refused = isinstance(e.__cause__, DiskRefused) or not os.access(path.parent, os.W_OK)
        if not refused or not os.access(path, os.R_OK):
            raise
    with translate_errors(path, StoreError), _PORT_ERRORS:
        db = _present(_unwritable(path), str(path))
        db.execute("PRAGMA query_only = ON")
    return SqliteDatabase(db, read_only=True)


def _unwritable(path: Path) -> sqlite3.Connection:
    # A WAL database needs its -shm file even for reading; without a -wal file, or with the empty
    # one that a full disk leaves, the database file alone is the whole truth, and SQLite may be
    # told that no process changes it.
    log = path.with_name(path.name + "-wal")
    alone = not log.exists() or log.stat().st_size == 0
    db = _connect(_address(path, f"mode=ro{'&immutable=1' if alone else ''}"))
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


TURNS: dict[Path, Turns] = defaultdict(Turns)
"""The turns to write of this process, by absolute path."""


class _PortErrors:
    """Turns SQLite's errors into those of the port; a class, since every statement enters it."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise _port_error(error) from error


_PORT_ERRORS = _PortErrors()


def _port_error(error: sqlite3.Error) -> DatabaseError:
    if isinstance(error, sqlite3.IntegrityError):
        return Violation(str(error))
    if isinstance(error, sqlite3.DataError | sqlite3.ProgrammingError | sqlite3.InterfaceError):
        return Rejected(str(error))
    name = getattr(error, "sqlite_errorname", "") or ""
    meaning = next((row for code, row in _MEANINGS.items() if name.startswith(code)), None)
    refused = name.startswith(("SQLITE_FULL", "SQLITE_IOERR"))
    return (DiskRefused if refused else DatabaseError)(*meaning or (str(error),))


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


def _address(path: Path, how: str) -> str:
    """URI of a file, without `as_uri`, which loads an HTTP client from Python 3.14 on."""
    place = quote(os.fsencode(path.absolute().as_posix()), safe="/:")
    drive = "" if place.startswith("/") else "/"  # before `C:/` there has to be a slash
    return f"file://{drive}{place}?{how}"


def _connect(uri: str) -> sqlite3.Connection:
    db = sqlite3.connect(
        # `isolation_level=None`: transactions begin where the store says so, not before some
        # statement. `check_same_thread=False`: `Access` gives a connection to one thread at a time.
        uri,
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
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
