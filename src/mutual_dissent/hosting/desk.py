"""The user's desk: requests that wait for a person on the panel, and the answers to them."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from mutual_dissent.core.codec.camel import Shape, about
from mutual_dissent.core.errors import BadInput, NotAsked
from mutual_dissent.core.response import Ask
from mutual_dissent.core.values.sheet import AnswerSheet, Reply, complete, sheet_problem


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRequest(Shape):
    """A request that waits for the user."""

    session_id: str
    key: str = field(metadata=about("Names the turn; it is sent back with the answer."))
    round_number: int
    role: str
    seconds: float = field(metadata=about("Seconds that are left to answer."))
    hurried: bool = field(
        metadata=about("Whether that is all, because enough others have answered.")
    )
    sheet: AnswerSheet
    grace: float | None = field(
        default=None,
        metadata=about("Seconds that will be left once enough others have answered, if limited."),
    )


def time_given(request: OpenRequest) -> str:
    """Sentence on how long a person has, as it is told beforehand."""
    sentence = f"You have {in_minutes(request.seconds)}"
    if request.hurried:
        return f"{sentence}, for enough others have answered."
    if request.grace is None or request.grace >= request.seconds:
        return f"{sentence}."
    return f"{sentence}, but only {in_minutes(request.grace)} once enough others have answered."


def in_minutes(seconds: float) -> str:
    """A time to answer as one says it: `45 s`, `10 min`."""
    whole = max(0, round(seconds))
    return f"{whole} s" if whole < 90 else f"{round(whole / 60)} min"


@dataclass(slots=True)
class _LaidOut:
    ask: Ask
    until: float
    reply: asyncio.Future[Reply | None]
    hurried: bool = False


class UserDesk:
    """Open requests by debate; any surface may show one and hand the answer in."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], _LaidOut] = {}
        self._news = asyncio.Event()

    async def ask_user(self, debate: str, ask: Ask) -> Reply | None:
        """Lay a request out, and wait for what the user fills in; None if it passes."""
        until = time.monotonic() + min(ask.timeout, ask.within)
        reply: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
        self._open[debate, ask.key] = _LaidOut(ask, until, reply)
        self._tell()
        try:
            return await reply
        finally:
            self._open.pop((debate, ask.key), None)
            self._tell()

    def last_call(self, debate: str, seconds: float) -> None:
        """Shorten the time for what waits in a debate: enough others have answered."""
        for (name, _), waiting in self._open.items():
            if name == debate:
                waiting.until = min(waiting.until, time.monotonic() + seconds)
                waiting.hurried = True

    def request(self, debate: str = "") -> OpenRequest | None:
        """The request that waits in a debate, or in any."""
        found = ((d, w) for (d, _), w in self._open.items() if not debate or d == debate)
        name, waiting = next(found, ("", None))
        if waiting is None or waiting.ask.sheet is None or waiting.reply.done():
            return None
        ask = waiting.ask
        return OpenRequest(
            session_id=name,
            key=ask.key,
            round_number=ask.round_number,
            role=ask.role,
            seconds=max(0.0, round(waiting.until - time.monotonic(), 1)),
            hurried=waiting.hurried,
            sheet=waiting.ask.sheet,
            grace=ask.grace,
        )

    async def next(self, debate: str = "") -> OpenRequest:
        """The next request, as soon as there is one."""
        while (found := self.request(debate)) is None:
            await self._news.wait()
        return found

    async def wait_closed(self, request: OpenRequest) -> None:
        """Wait until a request is answered, or nobody waits for the answer any more."""
        while (request.session_id, request.key) in self._open:
            await self._news.wait()

    def answer(self, debate: str, key: str, reply: Reply | None) -> None:
        """Hand an answer in, or None to pass.

        Raises:
            NotAsked: if nothing is asked there now.
            BadInput: if the answer is not complete.
        """
        waiting = self._open.get((debate, key))
        if waiting is None or waiting.reply.done() or waiting.ask.sheet is None:
            raise NotAsked(debate)
        whole = None if reply is None else complete(waiting.ask.sheet, reply)
        if whole is not None and (problem := sheet_problem(waiting.ask.sheet, whole)):
            raise BadInput(problem)
        waiting.reply.set_result(whole)

    def _tell(self) -> None:
        # Those who wait hold the old event; one that were cleared might be missed by them.
        news, self._news = self._news, asyncio.Event()
        news.set()
