"""Runs asynchronous work under signals: the first stops it cleanly, the second at once."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Coroutine
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from mutual_dissent.core.events import Opened
from mutual_dissent.surfaces.process.crash_report import off_screen
from mutual_dissent.surfaces.process.failure import Interrupted, say

if TYPE_CHECKING:
    from mutual_dissent.stream import UpdateStream

T = TypeVar("T")
# From Ctrl-C to the prompt in 2 s, the way out of the interpreter included.
PATIENCE = 1.6
"""Seconds that the first signal leaves for closing the record and the connections."""

ECHO = 0.3
"""Seconds within which a repeated signal counts as one: `timeout` and shells send it to the
program and to its group."""

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
SIGNALS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


@dataclass
class Interruption:
    """State of a debate, for the message when it is interrupted."""

    transcript_id: str = ""
    saved: bool = True

    async def follow(self, events: UpdateStream) -> UpdateStream:
        """Pass events on, and remember the debate's id."""
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Opened):
                    self.transcript_id = event.brief.transcript_id
                yield event

    @property
    def way_on(self) -> str:
        """Return the message for an interruption."""
        if not self.transcript_id:
            return "interrupted"
        if not self.saved:
            return "interrupted; nothing was saved"
        return f"interrupted; go on with: dissent resume {self.transcript_id[:8]}"

    def winds_up(self) -> bool:
        """Return whether the work ends by itself after the first signal; else it is cancelled."""
        return False


def run(
    work: Coroutine[Any, Any, T], course: Interruption | None = None, *, many_debates: bool = False
) -> T:
    """Run the work and return its result.

    Args:
        work: the coroutine to run.
        course: knows what to tell the user after a signal.
        many_debates: whether to use the faster loop, which cannot prompt the user.

    Raises:
        Interrupted: if a signal ended it.
    """
    course = course or Interruption()
    collect_seldom()
    try:
        with (
            off_screen(),
            asyncio.Runner(loop_factory=fast_loop if many_debates else None) as runner,
        ):
            return runner.run(_Guard(course).over(work))
    except KeyboardInterrupt:  # where the loop cannot listen for signals itself
        raise Interrupted(signal.SIGINT, course.way_on) from None


def fast_loop() -> asyncio.AbstractEventLoop:
    """A new event loop: uvloop's where it is installed, for a busy machine's sake.

    Not for commands that may ask the user something: Ctrl-C does not interrupt reading under it.
    """
    try:
        import uvloop
    except ImportError:  # always so on Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def collect_seldom() -> None:
    """Have Python look for cycles after 50,000 new objects, not after 700.

    A debate makes many objects and no cycles: looking took 8 % of its processor time, now 1 %. A
    library leaves this to the program that it is a part of.
    """
    gc.set_threshold(50_000, *gc.get_threshold()[1:])


class Echoes:
    """Tells an echoed signal from a second one."""

    def __init__(self) -> None:
        self._last = (0, float("-inf"))

    def has(self, number: int, now: float) -> bool:
        """Return whether a signal repeats the last one within the echo time."""
        if number == self._last[0] and now - self._last[1] < ECHO:
            return True  # measured from the first one, so that a held key still gets through
        self._last = (number, now)
        return False


class _Guard:
    """Listens for signals while something runs."""

    def __init__(self, course: Interruption) -> None:
        self._course = course
        self._heard: int | None = None
        self._asked = False
        self._echoes = Echoes()

    async def over(self, work: Coroutine[Any, Any, T]) -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        before = {n: h for n in SIGNALS if (h := self._listen(n, loop, task)) is not None}
        try:
            return await work
        except asyncio.CancelledError:
            if self._heard is None:
                raise
            raise Interrupted(self._heard, self._course.way_on) from None
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _listen(self, number: int, loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> Any:
        """Listen for a signal; return a previous handler that must be restored by hand."""
        with suppress(RuntimeError, ValueError):  # only the main thread gets signals
            try:
                loop.add_signal_handler(number, self._on_signal, number, task)
            except NotImplementedError:  # on Windows
                heard = partial(loop.call_soon_threadsafe, self._on_signal, number, task)
                return signal.signal(number, lambda *_: heard())
        return None

    def _on_signal(self, number: int, task: asyncio.Task[Any]) -> None:
        if self._echoes.has(number, time.monotonic()):
            return
        first, self._asked = not self._asked, True
        if first and self._course.winds_up():
            return
        if self._heard is not None:
            _end_at_once(number)
        self._heard = number
        late = threading.Timer(PATIENCE, self._too_late)
        late.daemon = True
        late.start()
        task.cancel()

    def _too_late(self) -> NoReturn:
        """End at once: the store is durable, so closing it late would gain nothing."""
        say(self._course.way_on)
        _end_at_once(self._heard or signal.SIGINT)


def _end_at_once(number: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            if stream.isatty():
                os.write(stream.fileno(), b"\x1b[?25h\r\n")  # the live view hides the cursor
                break
    os._exit(128 + number)
