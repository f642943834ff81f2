"""One timer for an attempt: its longest silence, and its deadline."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class Silence:
    """Ends its block with TimeoutError when nothing is heard for too long, or at the deadline.

    The reader only stores the loop's time in `last` when something comes: the timer looks at it
    when it fires, so a token costs no timer.
    """

    __slots__ = ("_handle", "_loop", "_timeout", "clock", "deadline", "last", "limit")

    def __init__(self, limit: float, deadline: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout = asyncio.timeout(None)
        self._handle: asyncio.TimerHandle | None = None
        self.limit = limit
        self.deadline = deadline
        self.clock = self._loop.time
        self.last = self.clock()

    @property
    def at_deadline(self) -> bool:
        """Return whether the call's own time is over, and not just the vendor silent."""
        return self._loop.time() >= self.deadline - 0.001

    def allow(self, limit: float) -> None:
        """Allow this much silence from now on."""
        self.limit = limit
        self._arm()

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        self._arm()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handle:
            self._handle.cancel()
        await self._timeout.__aexit__(kind, error, trace)

    def _arm(self) -> None:
        if self._handle:
            self._handle.cancel()
        self._handle = self._loop.call_at(min(self.last + self.limit, self.deadline), self._check)

    def _check(self) -> None:
        now = self._loop.time()
        if min(self.last + self.limit, self.deadline) <= now + 0.001:
            self._handle = None
            self._timeout.reschedule(now)
        else:
            self._arm()
