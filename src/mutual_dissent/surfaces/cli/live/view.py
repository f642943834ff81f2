"""Watches a debate: panes on a terminal, plain lines in a pipe, the transcript at the end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.text import Text

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.events import Answered, Event, RoundEnded, RoundStarted, Token
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import ENDING_ROLES, PANEL_ROLES, Transcript, advance
from mutual_dissent.stream import Veil
from mutual_dissent.surfaces.cli.live import screen
from mutual_dissent.views.phrases import plural
from mutual_dissent.views.remarks.progress import StepAsks, progress_lines

if TYPE_CHECKING:
    from mutual_dissent.surfaces.cli.live.board import Board
    from mutual_dissent.surfaces.cli.live.seat import TerminalSeat
    from mutual_dissent.views.heading import HeadingShape

OnAnswer = Callable[[Transcript], None]
"""Called with the transcript when the answer is written."""


async def watch(
    events: AsyncIterator[Event | Token],
    console: Console | None = None,
    *,
    live: bool,
    verbose: bool = False,
    quiet: bool = False,
    calls: Callable[[Brief], int] | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    on_answer: OnAnswer | None = None,
    seat: TerminalSeat | None = None,
) -> Transcript:
    """Follow a debate to its end, and return its transcript.

    Args:
        events: the debate's events; recorded ones come first and are not animated.
        console: where to draw; by default stdout when live, else stderr.
        live: whether to draw panes; otherwise each thing that happens is one plain line.
        verbose: without panes, also every answer in full as it arrives.
        quiet: whether to print no progress.
        calls: estimates the maximum number of calls of a brief.
        now: the clock that separates recorded events from new ones.
        on_answer: called once, when the answer is written; later events are printed as lines.
        seat: where the user is asked, if it sits on the panel.
    """
    so_far, since = None, now()
    events = _veiled(events)
    if live:
        from mutual_dissent.surfaces.cli.live.board import Board

        board = Board(calls_of=calls)
        if await _paint(events, board, since, console, on_answer, seat):
            on_answer = None
        so_far = board.transcript
    lines = PlainLines(_for_lines(console, live=live), since, verbose=verbose and not live)
    async for item in events:
        if isinstance(item, Token):
            continue
        so_far = advance(so_far, item)
        if not quiet:
            lines.take(item, so_far)
        if on_answer and _is_answer(item, so_far, since):
            on_answer(so_far)
            on_answer = None
    return _begun(so_far)


async def _paint(
    events: AsyncIterator[Event | Token],
    board: Board,
    since: datetime,
    console: Console | None,
    on_answer: OnAnswer | None,
    seat: TerminalSeat | None,
) -> bool:
    """Draw panes, and return whether `on_answer` was told; what follows the answer is left."""
    from mutual_dissent.surfaces.cli.live.panes import Painter

    await _unseen(events, board, since)
    async with Painter(board, console or screen.console()) as painter:
        if seat:
            seat.before = painter.rest
        async for item in events:
            painter.take(item)
            if on_answer and _is_answer(item, board.transcript, since):
                await painter.rest()
                on_answer(_begun(board.transcript))
                # What follows, the analyst's reading, comes in lines below the answer.
                return True
    return False


async def _veiled(events: AsyncIterator[Event | Token]) -> AsyncIterator[Event | Token]:
    """Hold others' answers back from a user who sits on the panel."""
    veil = Veil()
    async for item in events:
        for shown in veil.take(item):
            yield shown
    for left in veil.rest():
        yield left


async def _unseen(events: AsyncIterator[Event | Token], board: Board, since: datetime) -> None:
    """Take in what happens while the user is asked: nothing is drawn until the panel is done."""
    async for item in events:
        board.take(item, 0.0)
        if _begun(board.transcript).brief.me is None or _is_ending(item, since):
            return


def _is_ending(item: Event | Token, since: datetime) -> bool:
    """Return whether the answer is to be written from now on."""
    return isinstance(item, RoundStarted) and item.at >= since and item.role in ENDING_ROLES


def _for_lines(console: Console | None, *, live: bool) -> Console:
    """Return the console for lines: stderr while the answer is on stdout."""
    return screen.console(stderr=True) if live or console is None else console


def _is_answer(item: Event | Token, so_far: Transcript | None, since: datetime) -> bool:
    """Return whether the answer has just been written."""
    if not isinstance(item, RoundEnded) or item.role != "synthesis" or item.at < since:
        return False
    return _begun(so_far).synthesis is not None


def _begun(so_far: Transcript | None) -> Transcript:
    assert so_far is not None, "every debate begins with Opened"
    return so_far


def show(
    transcript: Transcript,
    *,
    verbose: bool = False,
    saved: bool = True,
    noted: bool = True,
    console: Console | None = None,
) -> None:
    """Print a debate in its current state, with notes or without."""
    from mutual_dissent.views.terminal import full_report

    _print(full_report(transcript, verbose=verbose, saved=saved, noted=noted), console)


def show_answer(transcript: Transcript, *, verbose: bool = False) -> None:
    """Print the answer as soon as it is written."""
    from mutual_dissent.views.terminal import first_report

    _print(first_report(transcript, verbose=verbose), None)


def show_rest(
    transcript: Transcript,
    *,
    verbose: bool = False,
    saved: bool = True,
    noted: bool = True,
    said: HeadingShape | None = None,
) -> None:
    """Print the rest below an answer that was already printed with the heading `said`."""
    from mutual_dissent.views.terminal import rest

    _print(rest(transcript, verbose=verbose, saved=saved, noted=noted, said=said), None)


def _print(drawn: RenderableType, console: Console | None) -> None:
    from mutual_dissent.views.terminal import as_text

    out = console or screen.console()
    if out.is_terminal:
        out.print(drawn)
    else:
        # In a pipe, code and addresses must not be broken at a width that nobody sees.
        out.print(Text(as_text(drawn, out.width)), end="", soft_wrap=True)


class PlainLines:
    """Prints new events as plain lines; recorded ones are only counted."""

    def __init__(self, console: Console, since: datetime, *, verbose: bool) -> None:
        """Print to `console` the events since a moment."""
        self._console, self._since, self._verbose = console, since, verbose
        self._recorded: set[str] = set()
        self._asking = StepAsks()

    def take(self, item: Event, t: Transcript) -> None:
        """Print an event that the transcript already contains."""
        if item.at < self._since:
            if isinstance(item, Answered) and _is_turn(item.response):
                self._recorded.add(item.key)
            return
        if self._recorded:
            verb = "is" if len(self._recorded) == 1 else "are"
            self._say(f"{plural(len(self._recorded), 'answer')} {verb} on record")
            self._recorded.clear()
        if asking := self._asking.line(item, t):
            self._say(asking)
        for line in progress_lines(item, t, verbose=self._verbose):
            self._say(line)

    def _say(self, line: str) -> None:
        with suppress(*screen.GONE):
            self._console.print(Text(line), soft_wrap=True)


def _is_turn(response: Response) -> bool:
    return response.usable and response.role in PANEL_ROLES
