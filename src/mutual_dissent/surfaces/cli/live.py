"""Watching a debate: panes on a terminal, plain lines in a pipe, and the transcript at the end."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from mutual_dissent.core.events import Answered, Event, Token
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.cli import screen
from mutual_dissent.surfaces.cli.board import Board
from mutual_dissent.surfaces.cli.panes import frame
from mutual_dissent.surfaces.cli.progress import Asking, progress_lines
from mutual_dissent.views.phrases import plural

log = logging.getLogger("mutual_dissent")

FRAME = 1 / 12
"""Seconds between two frames at least; the first text of an answer does not wait for it."""

IDLE = 1.0
"""Seconds after which a frame is drawn although nothing happened: clocks move on."""

BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
"""Around a frame: terminals that know these marks show it at once, others pass over them."""

GONE = (OSError, ValueError)
"""What a terminal raises that is gone or closed."""


async def watch(
    events: AsyncIterator[Event | Token],
    console: Console | None = None,
    *,
    live: bool,
    verbose: bool = False,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Transcript:
    """Follow a debate to its end, and return its transcript.

    Args:
        events: what happens; a resumed debate's recorded events come first and are not animated.
        console: where to draw; by default stdout when live, else stderr.
        live: whether to draw panes; otherwise each thing that happens is one plain line.
        verbose: without panes, also every answer in full as it arrives.
        now: the time, by which recorded events are told from those that happen now.
    """
    board = Board()
    if live:
        async with Painter(board, console or screen.console()) as painter:
            async for item in events:
                painter.take(item)
    else:
        lines = Lines(console or screen.console(stderr=True), now(), verbose=verbose)
        async for item in events:
            board.take(item, 0.0)
            lines.take(item)
    assert board.transcript is not None, "every debate begins with Opened"
    return board.transcript


def show(
    transcript: Transcript,
    *,
    verbose: bool = False,
    saved: bool = True,
    console: Console | None = None,
) -> None:
    """Print a debate as it stands."""
    from mutual_dissent.views.terminal import finished, terminal

    out = console or screen.console()
    if out.is_terminal:
        out.print(finished(transcript, verbose=verbose, saved=saved))
    else:
        text = terminal(transcript, verbose=verbose, saved=saved, width=out.width)
        out.print(Text(text), end="", soft_wrap=True)


class Painter:
    """Draws the board: at once for an answer's first text, else a few times a second."""

    def __init__(
        self, board: Board, console: Console, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Draw `board` on `console`."""
        self._board, self._console, self._clock = board, console, clock
        self._started = clock()
        self._news = asyncio.Event()
        self._live = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._task: asyncio.Task[None] | None = None
        self._blind = False
        self.frames = 0

    async def __aenter__(self) -> Self:
        self._safely(self._live.start)
        self._task = asyncio.create_task(self._repaint())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._safely(self._live.stop)

    def take(self, item: Event | Token) -> None:
        """Take in what happened, and show it."""
        if self._board.take(item, self._clock()):
            self._draw()
        else:
            self._news.set()

    async def _repaint(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), IDLE)
            self._draw()
            await asyncio.sleep(FRAME)

    def _draw(self) -> None:
        self._news.clear()
        if not self._blind:
            self.frames += 1
            self._safely(self._frame)

    def _frame(self) -> None:
        shown = frame(self._board, self._console, self._clock(), self._started)
        out = self._console.file
        out.write(BEGIN)  # sent with the frame
        self._live.update(shown, refresh=True)
        out.write(END)
        out.flush()

    def _safely(self, act: Callable[[], None]) -> None:
        """Answers are being paid for: what cannot be drawn must not cost them."""
        try:
            act()
        except GONE:
            self._blind = True
        except Exception:
            self._blind = True
            log.exception("the live view stopped drawing")


class Lines:
    """Says what happens in plain lines; what was recorded before is only counted."""

    def __init__(self, console: Console, since: datetime, *, verbose: bool) -> None:
        """Write to `console` what happened since a moment."""
        self._console, self._since, self._verbose = console, since, verbose
        self._recorded = 0
        self._asking = Asking()

    def take(self, item: Event | Token) -> None:
        """Say what happened."""
        if isinstance(item, Token):
            return
        if item.at < self._since:
            self._recorded += isinstance(item, Answered)
            return
        if self._recorded:
            verb = "is" if self._recorded == 1 else "are"
            self._say(f"{plural(self._recorded, 'answer')} {verb} on record")
            self._recorded = 0
        if asking := self._asking.line(item):
            self._say(asking)
        for line in progress_lines(item, verbose=self._verbose):
            self._say(line)

    def _say(self, line: str) -> None:
        with suppress(*GONE):
            self._console.print(Text(line), soft_wrap=True)
