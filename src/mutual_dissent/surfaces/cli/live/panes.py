"""The live view: panes side by side as room allows, a status line, drawn as events come."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from mutual_dissent.analysis.rounds.recorded import exit_of
from mutual_dissent.core.events import Event, Token
from mutual_dissent.core.response import Finish, Response
from mutual_dissent.core.stopping import Reason
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.cli.live import screen
from mutual_dissent.surfaces.cli.live.board import BLOCK, Board, Pane
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.findings import round_in_words
from mutual_dissent.views.phrases import (
    cost,
    effort,
    explanation,
    money,
    plural,
    reason,
    round_name,
    seconds,
)

log = logging.getLogger("mutual_dissent")

FRAME = 1 / 12
"""Minimum seconds between two frames; the first text of an answer does not wait for it."""

IDLE = 1.0
"""Seconds after which a frame is drawn without news, so that clocks move on."""

BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
"""Marks around a frame: terminals that know them draw it at once, others ignore them."""

STACKED_BELOW = 80
NARROWEST = 38
TALLEST = 14
LEAST = 3
STYLES = {"waiting": "dim", "asked": "dim", "writing": "cyan", "done": "green", "failed": "red"}


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
        await self.rest()

    async def rest(self) -> None:
        """Draw nothing more, and leave the screen as it was before."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._safely(self._live.stop)
        self._blind = True

    def take(self, item: Event | Token) -> None:
        """Apply an event, and draw it."""
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
        """Stop drawing on an error: paid answers must not be lost to it."""
        try:
            act()
        except screen.GONE:
            self._blind = True
        except Exception:
            self._blind = True
            log.exception("the live view stopped drawing")


def frame(board: Board, console: Console, now: float, started: float) -> RenderableType:
    """Draw the whole screen, never taller than the terminal."""
    width, height = max(20, console.width), max(4, console.height)
    room = height - 4
    panes = list(board.panes.values())
    columns = columns_for(len(panes), width)
    rows = -(-len(panes) // columns)
    tall = min(room if len(panes) == 1 else TALLEST, room // max(1, rows))
    if tall < LEAST:
        body = _compact(panes, room, now)
    else:
        body = _grid(panes, console, columns, width, tall, now)
    head = [_head(board.transcript, width)] if board.transcript else []
    return Group(*head, body, _status(board, now - started, width))


def _head(t: Transcript, width: int) -> Text:
    """Draw the title: the short id that commands take, and the query."""
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"{one_line(t.transcript_id[:8], 8)}  ", style="dim")
    return line.append(one_line(t.query, max(8, width)), style="bold")


def columns_for(panes: int, width: int) -> int:
    """Return the number of columns: as few rows as fit, evenly filled."""
    if width < STACKED_BELOW:
        return 1
    rows = -(-panes // (width // NARROWEST))  # rounded up
    return max(1, -(-panes // max(1, rows)))


def _grid(
    panes: Sequence[Pane], console: Console, columns: int, width: int, tall: int, now: float
) -> RenderableType:
    if columns == 1:
        return Group(*(_panel(p, console, width, tall, now) for p in panes))
    each = width // columns
    table = Table.grid(expand=False)
    for _ in range(columns):
        table.add_column(width=each)
    for at in range(0, len(panes), columns):
        row = panes[at : at + columns]
        table.add_row(*(_panel(p, console, each, tall, now) for p in row))
    return table


def _panel(pane: Pane, console: Console, width: int, tall: int, now: float) -> Panel:
    style = STYLES[pane.state]
    return Panel(
        _body(pane, console, max(1, width - 4), tall - 2),
        title=Text(_title(pane, width - 6), style=style),
        title_align="left",
        subtitle=Text(one_line(_doing(pane, now), max(8, width - 6)), style=style),
        subtitle_align="left",
        border_style="dim" if pane.state != "failed" else "red",
        width=width,
        height=tall,
    )


def _body(pane: Pane, console: Console, width: int, lines: int) -> Text:
    """Return the end of the text. Its start moves in steps, so that its lines stay put."""
    if pane.response is not None and not pane.response.usable:
        return Text(one_line(_why(pane.response), width * lines), style="red")
    head = _comes_to(pane, console, width, lines)
    room = lines - len(head)
    # Only the end is wrapped: all of a long text in each frame would be slow.
    start = max(0, len(pane.text) - width * lines) // BLOCK * BLOCK
    text = Text(plain(pane.text[start:]).rstrip(), overflow="fold", no_wrap=False)
    wrapped = text.wrap(console, width, overflow="fold")
    return Text("\n").join([*head, *(wrapped[-room:] if room > 0 else [])])


def _comes_to(pane: Pane, console: Console, width: int, lines: int) -> list[Text]:
    """The bottom line of a finished answer, which stands above the end of its text."""
    line = pane.bottom_line
    if not line:
        return []
    text = Text(one_line(line, width * 3), style="bold", overflow="fold")
    return list(text.wrap(console, width, overflow="fold"))[: max(1, lines - 1)]


def _title(pane: Pane, room: int) -> str:
    who = pane.panelist
    part = f"{pane.role} by " if pane.role not in ("initial", "reflection") else ""
    names = [f"{part}{pane.seat}"]
    if who:
        parts = (who.role, who.perspective, f"team {who.team}" if who.team else "", who.persona)
        names += [p or "" for p in parts]
        names.append(who.model_id if who.model_id not in pane.seat else "")
    return one_line(" · ".join(n for n in names if n), max(8, room))


def _doing(pane: Pane, now: float) -> str:
    r = pane.response
    if r is None:
        if pane.asked_at is None:
            return "waiting"
        spent = f"{max(0, int(now - pane.asked_at))} s"
        # About 3.5 characters a token: the true count comes with the finished answer.
        count = f" · ~{int(pane.length / 3.5):,} tokens" if pane.length else ""
        return f"{'writing' if pane.length else 'asked'} · {spent}{count}"
    if not r.usable:
        return reason(r) if r.finish is Finish.LATE else f"failed: {reason(r)}"
    if pane.reused:
        return "of the earlier debate, reused"
    count = plural(r.output_tokens, "token") if r.output_tokens is not None else ""
    price = money(r.cost_usd) if r.cost_usd is not None else ""
    return " · ".join(x for x in ("done", seconds(r.latency_ms), count, price) if x)


def _why(failed: Response) -> str:
    """Explain a failed call: the time spent on it, and its error."""
    error = explanation(failed) if failed.error else ""
    return ": ".join(x for x in (effort(failed), error) if x)


def _compact(panes: Sequence[Pane], room: int, now: float) -> RenderableType:
    """One line a pane, where there is no room for more."""
    shown = list(panes) if len(panes) <= room else list(panes[: max(1, room - 1)])
    lines = [_compact_line(p, now) for p in shown]
    if more := len(panes) - len(shown):
        lines.append(Text(f"and {more} more", style="dim"))
    return Group(*lines)


def _compact_line(pane: Pane, now: float) -> Text:
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"{one_line(pane.seat, 20)} ", style=STYLES[pane.state])
    line.append(f"{_doing(pane, now)} ", style="dim")
    failed = pane.response is not None and not pane.response.usable
    written = pane.bottom_line or plain(pane.text[-80:])
    text = _why(pane.response) if pane.response and failed else written
    return line.append(one_line(text))


def _status(board: Board, elapsed: float, width: int) -> Text:
    """Draw the status line: round, agreement so far, cost, elapsed time."""
    parts = [p for p in status_parts(board, elapsed) if p]
    while len(parts) > 1 and cell_len(" · ".join(parts)) > width:
        del parts[1]  # cutting a figure in half would make it a wrong one
    return Text(" · ".join(parts), no_wrap=True, overflow="ellipsis", style="dim")


def status_parts(board: Board, elapsed: float) -> list[str]:
    """Return the parts of the status line; where room is short, the second is dropped first."""
    now = f"{int(elapsed)} s"
    t, figures = board.transcript, board.figures
    if t is None or figures is None:
        return ["starting", now]
    ended = [r for r in t.rounds if r.measures.consensus]
    agreement = round_in_words(ended[-1].measures.consensus) if ended else ""
    known = figures.total.cost_usd is not None or not figures.total.unpriced
    spent = (cost(figures.total) if known else "cost unknown") if figures.total.calls else ""
    ending = exit_of(t)
    return [
        _stage(board),
        agreement,
        _ENDINGS.get(ending[1].reason, "") if ending else "",
        spent,
        now,
    ]


_ENDINGS: dict[Reason, str] = {
    "conceded": "one side gave in",
    "consensus": "they agree enough",
    "convergence": "nobody moves any more",
    "confidence": "everyone is sure",
    "budget": "money for no further round",
    "max_rounds": "all rounds held",
}
"""Why no further round is held, in few words."""


def _stage(board: Board) -> str:
    if board.role == "judge":
        return f"judging, {board.judged} of {board.to_judge}"
    if not board.role:
        return "starting"
    t = board.transcript
    name = round_name(board.round_number, board.role, t.brief.mode if t else "")
    if t and board.round_number > 0 and name.startswith("round"):
        up_to = "up to " if t.brief.rounds == "auto" else ""
        name = f"{name} of {up_to}{t.max_rounds}"
    call, calls = board.call
    return f"{name}, call {call} of {calls}" if call else name
