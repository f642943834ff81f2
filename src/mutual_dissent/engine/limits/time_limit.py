"""Time of a debate: how long calls in flight are waited for, and what is left of its limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from mutual_dissent.core.events import Status
from mutual_dissent.engine.ending import DebateEnding

LOOK = 0.25
"""Seconds between two looks at whether somebody has lost patience."""

Check = Callable[[], bool]


async def stragglers(
    calls: Sequence[asyncio.Task[None]],
    *,
    enough: Check,
    grace: float | None,
    hurried: Check = lambda: False,
    last_call: Callable[[float], None] = lambda _: None,
) -> list[asyncio.Task[None]]:
    """Wait for calls; those that are not waited for any longer are returned, still in flight.

    Args:
        enough: whether what has come would do.
        grace: seconds that the others get once it would; None for as long as they take.
        hurried: whether the user does not want to wait for them.
        last_call: told now and then how many seconds of the grace are left, once it has begun.
    """
    pending, until, rest = set(calls), float("inf"), None
    while pending:
        done, pending = await asyncio.wait(
            pending, timeout=rest, return_when=asyncio.FIRST_COMPLETED
        )
        for call in done:
            call.result()
        if not enough():
            continue
        rest = LOOK if grace is None else min(LOOK, grace)
        if grace is not None:
            # From the moment that there was enough: a later answer does not extend it.
            until = min(until, time.monotonic() + grace)
            last_call(until - time.monotonic())
        if hurried() or time.monotonic() >= until:
            break
    return [call for call in calls if call in pending]


GRAIN = 0.01
"""Seconds by which a timer may be early."""


SPARE, MOST_SPARE = 1 / 3, 60.0
"""The part of a limit that is kept for the answer, and the most seconds of it."""

SHARE = 1 / 2
"""The part of what is left that one who stays silent may take from those to be asked next."""


class TimeLimit:
    """Time that is left to a debate; some of it is reserved for the synthesis until that is due."""

    def __init__(self, seconds: float | None, *, concludes: bool = True) -> None:
        """From now on, that many seconds; None for no limit.

        Args:
            concludes: whether an answer is to be written at the end of it.
        """
        self._end = time.monotonic() + seconds if seconds else float("inf")
        self._spare = min(seconds * SPARE, MOST_SPARE) if seconds and concludes else 0.0

    def conclude(self) -> None:
        """The answer is to be written now: it has all that is left."""
        self._spare = 0.0

    @property
    def left(self) -> float:
        """Seconds that are left for what is asked now, below zero if they have passed."""
        return self._end - self._spare - time.monotonic()

    @property
    def patience(self) -> float | None:
        """Seconds that may be waited for something; None for as long as it takes."""
        return None if self._end == float("inf") else max(0.0, self.left)

    @property
    def share(self) -> float | None:
        """Seconds that a first word is waited for where another can be asked; None for any."""
        return None if self.patience is None else self.patience * SHARE

    def passed(self, grain: float = 0.0) -> bool:
        """Return whether it has been reached, or will be within a grain."""
        return self.left <= grain

    @property
    def over(self) -> DebateEnding:
        """Return how a debate is closed that has reached it."""
        return DebateEnding(Status.STOPPED, "timeout", "the debate's time limit was reached")
