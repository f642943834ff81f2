"""Files that only their owner can read, written whole or not at all, never through a link."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import chain, count, takewhile
from pathlib import Path

from mutual_dissent.core.errors import StoreError
from mutual_dissent.core.values.terms import option

FILE_MODE = 0o600
FOLDER_MODE = 0o700
TEMPORARY = ".unfinished-"
ELSEWHERE = f"set MUTUAL_DISSENT_HOME to a folder of your own, or use {option('no_save')}"
# Some file systems sync no folders; there is nothing better to be done there.
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM}
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def private_folder(folder: Path) -> Path:
    """Return the folder, made for its owner alone if it does not exist.

    Raises:
        StoreError: if it cannot be made, is another user's, or is not a folder.
    """
    try:
        upwards = chain((folder,), folder.parents)
        for path in reversed([*takewhile(lambda p: not p.exists(), upwards)]):
            with suppress(FileExistsError):
                path.mkdir(mode=FOLDER_MODE)
                path.chmod(FOLDER_MODE)  # the umask may have taken bits that the owner needs
                sync_folder(path.parent)
        status = folder.lstat()
    except OSError as e:
        raise StoreError(f"the folder {folder} cannot be made: {reason(e)}; {ELSEWHERE}") from e
    if not stat.S_ISDIR(status.st_mode):
        raise StoreError(f"{folder} is not a folder; move it away, or set MUTUAL_DISSENT_HOME")
    check_owner(folder, status)
    return folder


def check_owner(path: Path, found: os.stat_result) -> None:
    """Check that no other user owns a path, who could read or change it meanwhile.

    Raises:
        StoreError: if a user other than this one and root does.
    """
    if hasattr(os, "geteuid") and found.st_uid not in (os.geteuid(), 0):
        raise StoreError(f"{path} belongs to another user; {ELSEWHERE}")


def private_file(path: Path) -> int:
    """Open a file for its owner alone, made if it does not exist; return the descriptor.

    Raises:
        StoreError: if it cannot be made or opened, or is not a plain file.
    """
    flags = os.O_RDWR | _NOFOLLOW | _NONBLOCK | _CLOEXEC | _BINARY
    try:
        try:
            fd = os.open(path, flags | os.O_CREAT | os.O_EXCL, FILE_MODE)
            made = True
        except FileExistsError:
            fd = os.open(path, flags)
            made = False
    except OSError as e:
        raise StoreError(f"{path} cannot be opened: {reason(e)}; {ELSEWHERE}") from e
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise StoreError(f"{path} is not a plain file; move it away")
    if made and hasattr(os, "fchmod"):
        os.fchmod(fd, FILE_MODE)
    return fd


def read_plain(path: Path, limit: int) -> bytes:
    """Return the bytes of a plain file of at most `limit` bytes, not through a link.

    Raises:
        StoreError: if it is something else, larger, or cannot be read.
    """
    try:
        # Without O_NONBLOCK, opening a pipe would wait for a process to write into it.
        fd = os.open(path, os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _CLOEXEC | _BINARY)
    except (OSError, ValueError) as e:
        raise StoreError(f"{path} cannot be read: {reason(e)}") from e
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise StoreError(f"{path} is not a plain file")
        too_large = status.st_size > limit
        data = b"" if too_large else _all_of(fd, limit + 1)
    except OSError as e:
        raise StoreError(f"{path} cannot be read: {reason(e)}") from e
    finally:
        os.close(fd)
    if too_large or len(data) > limit:
        raise StoreError(f"{path} is larger than {limit >> 20} MB and was not read")
    return data


@contextmanager
def temporary_file(folder: Path, data: bytes, mode: int = FILE_MODE) -> Iterator[Path]:
    """Write a synced temporary file, to be moved to its name; removed afterwards."""
    path = folder / f"{TEMPORARY}{os.getpid()}-{os.urandom(6).hex()}"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC | _BINARY, mode)
    try:
        with os.fdopen(fd, "wb") as file:
            if hasattr(os, "fchmod"):
                os.fchmod(fd, mode)
            file.write(data)
            file.flush()
            os.fsync(fd)
        yield path
    finally:
        with suppress(FileNotFoundError):
            path.unlink()


def sync_folder(folder: Path) -> None:
    """Make names in a folder survive a power cut, where the system can."""
    if os.name == "nt":
        return
    try:
        fd = os.open(folder, os.O_RDONLY | _CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as e:
        if e.errno not in _CANNOT_SYNC:
            raise


class SharedSync:
    """Syncs of one folder: those that are wanted at the same time are one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._turn = threading.Lock()
        self._wanted = count(1)
        self._last = self._done = 0

    def sync(self) -> None:
        """Make the names of now survive a power cut; whoever waits for a turn is often done."""
        mine = self._last = next(self._wanted)
        with self._turn:
            if self._done < mine:
                covered = self._last
                sync_folder(self._folder)
                self._done = covered


@lru_cache(maxsize=16)
def shared_sync(folder: Path) -> SharedSync:
    """The one of a folder, for all threads of this process."""
    return SharedSync(folder)


def reason(error: OSError | ValueError) -> str:
    """Return why the system refused, in its own words."""
    if not isinstance(error, OSError) or error.errno is None:
        return str(error)
    return "it is a symbolic link" if error.errno == errno.ELOOP else os.strerror(error.errno)


def _all_of(fd: int, limit: int) -> bytes:
    pieces, left = [], limit
    while left > 0 and (piece := os.read(fd, min(left, 1 << 20))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
