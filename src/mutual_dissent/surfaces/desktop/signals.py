"""Signals while a foreign loop owns the main thread, where Python's handlers do not run."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def report_signals(tell: Callable[[int], None]) -> Iterator[None]:
    """Within this context, report each terminating signal from a thread.

    The C-level handler writes the signal's number into a socket whatever the main thread does.
    """
    numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda *_: None) for number in numbers}
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    wakeup = signal.set_wakeup_fd(theirs.fileno())

    def listen() -> None:
        while number := ours.recv(1):
            tell(number[0])

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        theirs.close()
        thread.join()
        ours.close()
