"""The user's own seat at a terminal: requests are shown, and answers typed or edited."""

from __future__ import annotations

import asyncio
import codecs
import os
import shlex
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.values.sheet import (
    ANSWER,
    BOTTOM,
    SHORT_ANSWER,
    AnswerSheet,
    SheetField,
    field_problem,
)
from mutual_dissent.hosting.desk import OpenRequest, UserDesk, in_minutes, time_given
from mutual_dissent.surfaces.cli.live import screen
from mutual_dissent.surfaces.cli.live.bottom_line import BottomLine
from mutual_dissent.text.sanitize import plain
from mutual_dissent.views.phrases import round_name

SKIP, EDIT = "/skip", "/edit"
TICK = 0.5
"""Seconds between two looks at the clock."""
LAST_CALL = 60.0
"""Seconds before the end at which the user is reminded of it, where no clock can be shown."""


class Skipped(Exception):
    """The user sits this one out."""


@asynccontextmanager
async def take_seat(md: MutualDissent) -> AsyncIterator[TerminalSeat]:
    """Ask the user at this terminal while a debate runs."""
    desk = md.human if isinstance(md.human, UserDesk) else UserDesk()
    md.human = desk
    seat = TerminalSeat(desk, screen.console(stderr=True))
    task = asyncio.create_task(seat.serve())
    try:
        yield seat
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


class TerminalSeat:
    """Shows each request, and hands in what is typed."""

    def __init__(self, desk: UserDesk, console: Console) -> None:
        """Take requests from `desk` and show them on `console`."""
        self._desk, self._console = desk, console
        self._lines = TypedLines()
        self._until = 0.0
        self._hurried = self._in_editor = False
        self._asked = ""
        self._clock = BottomLine(console)
        self.before: Callable[[], Awaitable[None]] | None = None
        """Called before something is asked: whoever draws on the terminal makes room."""

    async def serve(self) -> None:
        """Answer requests until cancelled."""
        while True:
            request = await self._desk.next()
            if self.before:
                await self.before()
            asking = asyncio.create_task(self._answer(request))
            closed = asyncio.create_task(self._desk.wait_closed(request))
            try:
                await asyncio.wait({asking, closed}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                in_time = asking.done()
                asking.cancel()
                closed.cancel()
                await asyncio.wait({asking, closed})
                self._clock.close()
            if not in_time:
                self._say(f"\n{self._why_over()} You sit this one out.")
            if not asking.cancelled() and (error := asking.exception()):
                raise error

    async def _answer(self, request: OpenRequest) -> None:
        self._until, self._hurried = time.monotonic() + request.seconds, False
        self._show(request)
        self._show_clock()
        watching = asyncio.create_task(self._watch(request))
        try:
            reply = await self._filled(request.sheet)
        except Skipped:
            reply = None
        finally:
            watching.cancel()
            self._clock.close()
        with suppress(DissentError):  # its time was up in this very moment
            self._desk.answer(request.session_id, request.key, reply)
            said = "You sit this one out." if reply is None else "Your answer is in."
            self._say(f"{said} The others' answers come next.")

    async def _watch(self, request: OpenRequest) -> None:
        """Show the seconds run down, and say so when they have become fewer."""
        reminded = request.seconds <= LAST_CALL
        while now := self._desk.request(request.session_id):
            await asyncio.sleep(TICK)
            if self._in_editor:
                continue
            if now.hurried and not self._hurried:
                self._until, self._hurried = time.monotonic() + now.seconds, True
                left = in_minutes(now.seconds)
                self._interject(f"Enough others have answered: you have {left} left.")
            self._show_clock()
            if not reminded and not self._clock.is_open and now.seconds <= LAST_CALL:
                reminded = True
                self._interject(f"You have {in_minutes(now.seconds)} left.")

    def _interject(self, sentence: str) -> None:
        """Say something while the user types, and what it was being asked."""
        self._say(f"\n\n{sentence}\n\n{self._asked}")
        self._console.print("> ", end="")

    def _show_clock(self) -> None:
        whole = max(0, round(self._until - time.monotonic()))
        others = "; enough others have answered" if self._hurried else ""
        self._clock.show(f"{whole // 60}:{whole % 60:02} left for your answer{others}")

    def _why_over(self) -> str:
        if self._hurried:
            return "Enough others have answered, and you are not waited for any longer."
        if time.monotonic() >= self._until - TICK:
            return "The time is up."
        return "The panel goes on without you."

    async def _filled(self, sheet: AnswerSheet) -> dict[str, str]:
        reply: dict[str, str] = {}
        for field in sheet.fields:
            if said := await self._field(field, reply):
                reply[field.name] = said
        return reply

    async def _field(self, field: SheetField, reply: dict[str, str]) -> str:
        answer = reply.get(ANSWER, "")
        if field.name == BOTTOM and (_is_short(answer) or (not answer and field.value)):
            return ""  # it is its own bottom line, or the one before stands
        while True:
            self._console.print()
            left, self._asked = in_minutes(self._until - time.monotonic()), _prompt(field)
            self._console.print(Text(self._asked, style="bold"), Text(f"[{left}]", style="dim"))
            said = await (self._text() if field.kind == "text" else self._line())
            problem = field_problem(field, said or field.value)
            if not problem:
                return said
            self._say(f"{problem}, or {SKIP}")

    async def _line(self) -> str:
        self._console.print("> ", end="")
        typed = await self._lines.next()
        if typed is None or typed.strip() == SKIP:
            raise Skipped
        return typed.strip()

    async def _text(self) -> str:
        """Lines up to an empty one, or what an editor is left with."""
        lines: list[str] = []
        while True:
            self._console.print("> ", end="")
            typed = await self._lines.next()
            if typed is None and not any(lines):
                raise Skipped
            if typed is None or not typed.strip():
                return "\n".join(lines).strip()
            if typed.strip() == SKIP:
                raise Skipped
            if typed.strip() == EDIT:
                self._clock.close()
                self._in_editor = True
                try:
                    return await edit("\n".join(lines))
                finally:
                    self._in_editor = False
            lines.append(typed)

    def _show(self, request: OpenRequest) -> None:
        sheet = request.sheet
        where = round_name(request.round_number, request.role)
        self._console.print()
        self._console.print(Rule(f"your turn: {where}, as {sheet.label}", style="bold"))
        self._say(f"{time_given(request)} The others do not know who you are.")
        editor = Path(_editor()[0]).name
        self._say(f"An empty line ends an answer, {SKIP} sits this one out, {EDIT} opens {editor}.")
        for text in (sheet.query, _attached(sheet), sheet.part, sheet.task):
            if text:
                self._console.print()
                self._say(text)
        for shown in sheet.shown:
            title = "your last answer" if shown.label == "you" else plain(shown.label)
            self._console.print()
            self._console.print(Text(title, style="bold"))
            self._console.print(Padding(Text(plain(shown.text)), (0, 2)))

    def _say(self, text: str) -> None:
        self._console.print(Text(plain(text)))


class TypedLines:
    """Lines as they are typed; waiting for one can be given up."""

    def __init__(self) -> None:
        self._typed = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    async def next(self) -> str | None:
        """Return the next line, None at the end of the input."""
        while "\n" not in self._typed:
            data = await _read(sys.stdin.fileno())
            if not data:
                # Ctrl-D, twice behind some text, ends that line; at its beginning, the input.
                rest, self._typed = self._typed, ""
                return rest or None
            self._typed += self._decoder.decode(data).replace("\r\n", "\n")
        line, _, self._typed = self._typed.partition("\n")
        return line


async def _read(handle: int) -> bytes:
    """Read what was typed, without holding a thread where the loop can listen itself."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    try:
        loop.add_reader(handle, ready.set)
    except NotImplementedError:  # on Windows
        return await asyncio.to_thread(os.read, handle, 65_536)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(handle)
    return os.read(handle, 65_536)


async def edit(text: str) -> str:
    """The text as it is left in the user's editor."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answer.md")
        await asyncio.to_thread(path.write_text, text, "utf-8")
        process = await asyncio.create_subprocess_exec(*_editor(), str(path))
        try:
            await process.wait()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
        return (await asyncio.to_thread(path.read_text, "utf-8", "replace")).strip()


def _editor() -> list[str]:
    usual = "notepad" if os.name == "nt" else "vi"
    named = os.environ.get("VISUAL") or os.environ.get("EDITOR") or usual
    return shlex.split(named) or [usual]


def _prompt(field: SheetField) -> str:
    words = field.words
    if field.kind == "choice":
        words += (
            f": {', '.join(field.choices[:-1])} or {field.choices[-1]}; a colon and why may follow"
        )
    if field.value:
        kept = field.value if len(field.value) <= 40 else "your last answer"
        return f"{words} (Enter keeps {kept})"
    return words if field.needed else f"{words} (or Enter)"


def _attached(sheet: AnswerSheet) -> str:
    return f"Attached: {', '.join(sheet.attached)}" if sheet.attached else ""


def _is_short(answer: str) -> bool:
    return bool(answer) and "\n" not in answer and len(answer) <= SHORT_ANSWER
