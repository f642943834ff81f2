"""The debates that wait for their turn in this process, published to all others.

One file a process, locked as long as it lives: hundreds may wait, and none of them holds a file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from uuid import uuid4

from mutual_dissent.store.debates.ids import is_id
from mutual_dissent.store.private_files import private_file, private_folder

SUFFIX = ".waiting"
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
        self._path = folder / f"{os.getpid()}-{uuid4().hex[:8]}{SUFFIX}"
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
            paths = [p for p in self.folder.iterdir() if p.name.endswith(SUFFIX)]
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
