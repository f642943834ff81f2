"""One window a user: a second process signals the first, which then shows its window."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hmac import compare_digest
from pathlib import Path
from secrets import token_hex
from typing import NoReturn

from mutual_dissent.config.paths import Home
from mutual_dissent.core.errors import DissentError, Held, StoreError
from mutual_dissent.store.debates.locks import Holds
from mutual_dissent.store.private_files import private_file

NAME = "desktop"
SHOWN = b"shown\n"
PATIENCE = 15.0
"""Seconds that a window which is opening has until it answers."""


def place(home: Home) -> Path:
    """Return the file that says how to reach the window; only its owner can read it."""
    return home.root / "desktop.bell"


@contextmanager
def listen_for_others(home: Home, show: Callable[[], None]) -> Iterator[None]:
    """Within this context, show the window when another process of this user signals."""
    secret = token_hex(32).encode()
    with socket.create_server(("127.0.0.1", 0)) as bell:
        _write(place(home), b"%d %s\n" % (bell.getsockname()[1], secret))
        threading.Thread(target=_answer, args=(bell, secret, show), daemon=True).start()
        try:
            yield
        finally:
            with suppress(OSError):
                place(home).unlink()


def is_first(home: Home, stack: ExitStack, patience: float = PATIENCE) -> bool:
    """Return whether this process may open the window; else show the open one.

    Raises:
        DissentError: if an open window does not answer.
    """
    holds = Holds(home.ensure() / "locks", _no_locks)
    until = time.monotonic() + patience
    while True:
        try:
            stack.enter_context(holds.hold(NAME))
        except Held:
            if _rung(home):
                return False
        else:
            return True
        if time.monotonic() > until:
            raise DissentError("a window is already open, but it does not answer; quit it first")
        time.sleep(0.05)  # it is just being opened, or closed


def _rung(home: Home) -> bool:
    with suppress(OSError, ValueError):
        port, secret = place(home).read_bytes().split()
        with socket.create_connection(("127.0.0.1", int(port)), timeout=5) as line:
            line.sendall(secret + b"\n")
            return line.makefile("rb").readline() == SHOWN
    return False


def _answer(bell: socket.socket, secret: bytes, show: Callable[[], None]) -> None:
    with suppress(OSError):  # the bell is taken down
        while True:
            caller, _ = bell.accept()
            with suppress(OSError), caller:
                caller.settimeout(5)
                if compare_digest(caller.makefile("rb").readline(200), secret + b"\n"):
                    show()
                    caller.sendall(SHOWN)


def _write(path: Path, text: bytes) -> None:
    fd = private_file(path)
    try:
        os.ftruncate(fd, 0)
        os.write(fd, text)
    finally:
        os.close(fd)


def _no_locks() -> NoReturn:
    raise StoreError(
        "this folder's disk has no file locks, which keep the window single; "
        "set MUTUAL_DISSENT_HOME to a folder on another disk"
    )
