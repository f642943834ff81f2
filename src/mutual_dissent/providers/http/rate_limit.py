"""Limits of a vendor's calls, at once and per minute; first come, first served."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType

from mutual_dissent.providers.http.concurrency import CallWindow

MINUTE = 60.0

Turn = Callable[[str, int], Awaitable[float]]
"""Takes the next turn of a per-minute limit with a vendor: 0, or seconds to wait for one."""


class Gate:
    """Lets calls through in order of arrival, as many at once as the window has places."""

    def __init__(
        self,
        most: int,
        per_minute: int | None = None,
        minute: float = MINUTE,
        turn: Callable[[int], Awaitable[float]] | None = None,
    ) -> None:
        self.window = CallWindow(most)
        self.in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._per_minute = per_minute
        self._minute = minute
        self._shared = turn
        self._starts: deque[float] = deque()
        self._turn = asyncio.Lock()

    def until(self, deadline: float) -> _Passage:
        """Wait in the queue; give up with TimeoutError at the deadline of the loop's clock."""
        return _Passage(self, deadline)

    async def enter(self, deadline: float) -> None:
        """Wait for a turn; every `enter` needs its `leave`."""
        # The usual case takes no lock and no turn of the loop: there is room.
        if self.is_full or self._per_minute:
            async with asyncio.timeout_at(deadline if deadline < math.inf else None):
                await self._queue()
        else:
            self.in_flight += 1

    def leave(self) -> None:
        """Make room for the next one."""
        self.in_flight -= 1
        self._let_in()

    def note_answer(self, model: str, started: float, now: float, wait: float, lag: float) -> None:
        """Take in that an answer begins, as `CallWindow.note_answer`: there may be more room."""
        self.window.note_answer(model, started, now, wait, lag=lag, full=self.is_full)
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self.in_flight < self.window.places:
            place = self._waiting.popleft()
            if not place.done():  # a cancelled one is done
                place.set_result(None)
                self.in_flight += 1

    @property
    def is_full(self) -> bool:
        """Return whether another call would have to wait."""
        return bool(self._waiting) or self.in_flight >= self.window.places

    async def _queue(self) -> None:
        await self._place()
        try:
            await self._pace()
        except BaseException:
            self.leave()
            raise

    async def _place(self) -> None:
        if not self.is_full:
            self.in_flight += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # this task got the place as it left
                self.leave()
            raise

    async def _pace(self) -> None:
        if not self._per_minute:
            return
        async with self._turn:  # a lock is fair: the first to come starts first
            if self._shared:
                await self._among_all(self._shared, self._per_minute)
                return
            loop = asyncio.get_running_loop()
            # Sliding window: the oldest start of the last minute frees the next turn.
            while len(self._starts) >= self._per_minute:
                wait = self._starts[0] + self._minute - loop.time()
                if wait <= 0:
                    self._starts.popleft()
                else:
                    await asyncio.sleep(wait)
            self._starts.append(loop.time())

    @staticmethod
    async def _among_all(turn: Callable[[int], Awaitable[float]], per_minute: int) -> None:
        """Wait for a turn that the database gives to one machine at a time."""
        wait = await turn(per_minute)
        while wait:
            await asyncio.sleep(wait)
            wait = await turn(per_minute)  # another machine may have been faster


class _Passage:
    __slots__ = ("_deadline", "_gate")

    def __init__(self, gate: Gate, deadline: float) -> None:
        self._gate = gate
        self._deadline = deadline

    async def __aenter__(self) -> None:
        await self._gate.enter(self._deadline)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._gate.leave()
