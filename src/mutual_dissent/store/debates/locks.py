"""Locks on debates: one process works on a debate at a time; a dead process releases its lock.

The kernel releases a file lock when its process dies, however it dies. Where a file system has no
locks, a row with the process and its start takes their place.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from uuid import uuid4

from mutual_dissent.core.errors import Held, StoreError
from mutual_dissent.store.database import Database
from mutual_dissent.store.debates.ids import is_id
from mutual_dissent.store.private_files import private_file, private_folder

SUFFIX = ".lock"
# Windows says EACCES or EDEADLK.
_BUSY = {errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK}
# A lock may be taken for an instant by a process that only looks whether it is held, and its file
# may be deleted between opening and locking it; neither happens four times in a row.
_PATIENCE = 4


class Holds:
    """The locks of a store, one file a debate that is being worked on.

    Attributes:
        waiting: the debates that wait for their turn, in this process or another.
    """

    def __init__(self, folder: Path, database: Callable[[], Database]) -> None:
        self.folder = folder
        self._database = database
        self.waiting = WaitingList(folder, _is_free)

    @contextmanager
    def hold(self, transcript_id: str) -> Iterator[None]:
        """Work on a debate alone.

        Raises:
            Held: if another process, or another task of this one, works on it.
        """
        private_folder(self.folder)
        path = self.folder / (transcript_id + SUFFIX)
        try:
            fd = self._locked(path, transcript_id)
        except _Unsupported:
            with self._row(transcript_id):
                yield
            return
        try:
            with suppress(OSError):  # on a full disk it is held without the process's number
                _sign(fd)
            yield
        finally:
            # Removed while still locked: a process that waits for it sees that its file is gone.
            with suppress(OSError):
                path.unlink()
            os.close(fd)

    def held_ids(self) -> set[str]:
        """Return the ids that a process works on."""
        return {i for i in self.files() if self.holder(i) is not None} | self._rows()

    def under_way(self) -> set[str]:
        """Return the ids that a process works on, or will when their turn comes."""
        return self.held_ids() | self.waiting.ids()

    def files(self) -> list[str]:
        """Return the ids that have a lock file, also those whose process died."""
        try:
            names = [p.name for p in self.folder.iterdir()]
        except OSError:
            return []
        return [i for n in names if n.endswith(SUFFIX) and is_id(i := n.removesuffix(SUFFIX))]

    def stale(self) -> list[Path]:
        """Return the lock files of processes that died."""
        held = self.held_ids()
        return [self.folder / (i + SUFFIX) for i in self.files() if i not in held]

    def close(self) -> None:
        """Do nothing: nothing is open between holds."""

    def holder(self, transcript_id: str) -> int | None:
        """Return the process that works on a debate; 0 if it is not known which."""
        path = self.folder / (transcript_id + SUFFIX)
        if not path.exists():
            return None
        try:
            fd = private_file(path)
        except StoreError:
            return None
        try:
            # Shared, so that two processes which look at once do not take each other for the
            # holder.
            if _try_lock(fd, shared=True):
                return None
            return _pid_in(fd)
        except _Unsupported:
            return None
        finally:
            os.close(fd)

    def _locked(self, path: Path, transcript_id: str) -> int:
        holder = 0
        for _ in range(_PATIENCE):
            fd, kept = private_file(path), False
            try:
                mine = _try_lock(fd)
                if kept := mine and _same_file(fd, path):
                    return fd
                holder = 0 if mine else _pid_in(fd)
            finally:
                if not kept:
                    os.close(fd)
            time.sleep(0.01)  # perhaps another process only looked whether it is held
        raise Held(transcript_id, _named(holder))

    @contextmanager
    def _row(self, transcript_id: str) -> Iterator[None]:
        db, name = self._database(), transcript_id
        with db.transaction():
            row = db.row("SELECT pid, started FROM holders WHERE transcript_id = :name", name=name)
            if row and _alive(**row):
                raise Held(transcript_id, _named(row["pid"]))
            started = _started(os.getpid())
            db.execute(_TAKE, name=name, pid=os.getpid(), started=started)
        try:
            yield
        finally:
            db.execute("DELETE FROM holders WHERE transcript_id = :name", name=name)

    def _rows(self) -> set[str]:
        rows = self._database().rows("SELECT transcript_id, pid, started FROM holders")
        return {row["transcript_id"] for row in rows if _alive(row["pid"], row["started"])}


_TAKE = """
INSERT INTO holders (transcript_id, pid, started) VALUES (:name, :pid, :started)
ON CONFLICT (transcript_id) DO UPDATE SET pid = excluded.pid, started = excluded.started
"""


class _Unsupported(Exception):
    """This file system has no locks."""


def _try_lock(fd: int, *, shared: bool = False) -> bool:
    """Try to lock a file; return whether the lock is ours now."""
    try:
        _lock(fd, shared=shared)
    except OSError as e:
        if e.errno in _BUSY:
            return False
        raise _Unsupported from e
    return True


def _is_free(fd: int) -> bool:
    """Return whether the lock was free, and is ours now; also true where there are no locks."""
    try:
        return _try_lock(fd)
    except _Unsupported:
        return True


if sys.platform == "win32":  # pragma: no cover - Windows has no flock
    import msvcrt

    def _lock(fd: int, *, shared: bool) -> None:
        # A byte far behind the text, so that the holder's number stays readable.
        os.lseek(fd, 1 << 20, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        if shared:
            msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
        os.lseek(fd, 0, os.SEEK_SET)
else:
    import fcntl

    def _lock(fd: int, *, shared: bool) -> None:
        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _same_file(fd: int, path: Path) -> bool:
    """Return whether the locked file still has its name; the last holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(fd), path.lstat())
    except OSError:
        return False


def _sign(fd: int) -> None:
    """Write this process's number into a file, over that of one that died.

    The rest of the old number is cut off afterwards: on ext4, closing a file that was emptied
    first waits for the disk.
    """
    os.ftruncate(fd, os.write(fd, f"{os.getpid()}\n".encode()))


def _pid_in(fd: int) -> int:
    with suppress(OSError, ValueError):
        os.lseek(fd, 0, os.SEEK_SET)
        return int(os.read(fd, 20))
    return 0


def _named(pid: int) -> str:
    if pid == os.getpid():
        return "this very process"
    return f"process {pid}" if pid else "another process"


def _alive(pid: int, started: str) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return _started(pid) == started


def _started(pid: int) -> str:
    """Return when a process began, where the system tells: numbers of dead ones are reused."""
    try:
        # Field 22, in clock ticks. The name before it, in brackets, may hold blanks.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


WAITING = ".waiting"
NEW = 10.0
"""Seconds in which a new file may still be without the lock of its process."""

_MOST_BYTES = 1 << 24
_LONG = 1 << 20

TryLock = Callable[[int], bool]
"""Takes the lock of an open file, and returns whether it is ours now."""


class WaitingList:
    """The waiting list of this process, and those of the other living processes.

    A line `+id` adds a debate, `-id` removes it; the file is removed with the last of them.
    """

    def __init__(self, folder: Path, try_lock: TryLock) -> None:
        self.folder = folder
        self._try_lock = try_lock
        self._path = folder / f"{os.getpid()}-{uuid4().hex[:8]}{WAITING}"
        self._mine: dict[str, None] = {}
        self._fd: int | None = None
        self._size = 0
        self._turn = Lock()

    def add(self, transcript_id: str) -> None:
        """Let the other processes know that a debate waits here."""
        with self._turn:
            self._mine[transcript_id] = None
            if self._fd is None:
                private_folder(self.folder)
                self._fd, self._size = private_file(self._path), 0
                self._try_lock(self._fd)
            self._write(f"+{transcript_id}\n")

    def remove(self, transcript_id: str) -> None:
        """Take a debate off the list."""
        with self._turn:
            self._mine.pop(transcript_id, None)
            if self._fd is None:
                return
            if self._mine:
                self._write(f"-{transcript_id}\n")
                return
            with suppress(OSError):
                self._path.unlink()  # while it is locked: no process takes it for a dead one's
            os.close(self._fd)
            self._fd = None

    def ids(self) -> set[str]:
        """Return the debates that wait in any living process."""
        try:
            paths = [p for p in self.folder.iterdir() if p.name.endswith(WAITING)]
        except OSError:
            return set()
        return {i for path in paths for i in self._read(path)}

    def _write(self, line: str) -> None:
        assert self._fd is not None
        if self._size + len(line) > _LONG:  # mostly debates that have left: write the list afresh
            line = "".join(f"+{i}\n" for i in self._mine)
            self._size = 0
            os.ftruncate(self._fd, 0)
        os.lseek(self._fd, self._size, os.SEEK_SET)
        self._size += os.write(self._fd, line.encode())

    def _read(self, path: Path) -> set[str]:
        """Return the debates on one list; none on that of a dead process, which is removed."""
        try:
            fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            return set()
        try:
            if self._try_lock(fd):
                if time.time() - os.fstat(fd).st_mtime > NEW:
                    path.unlink()
                return set()
            return _waiting(os.read(fd, _MOST_BYTES).decode("ascii", "replace"))
        except OSError:
            return set()
        finally:
            os.close(fd)


def _waiting(text: str) -> set[str]:
    waiting: dict[str, None] = {}
    for line in text.splitlines():
        name = line[1:]
        if line.startswith("+") and is_id(name):
            waiting[name] = None
        else:
            waiting.pop(name, None)
    return set(waiting)
