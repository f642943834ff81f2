"""Patience: how long calls that are in flight together are waited for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

LOOK = 0.25
"""Seconds between two looks at whether somebody has lost patience."""

Check = Callable[[], bool]


async def stragglers(
    calls: Sequence[asyncio.Task[None]],
    *,
    enough: Check,
    grace: float | None,
    hurried: Check = lambda: False,
) -> list[asyncio.Task[None]]:
    """Wait for calls; those that are not waited for any longer are returned, still in flight.

    Args:
        enough: whether what has come would do.
        grace: seconds that the others get once it would; None for as long as they take.
        hurried: whether the user does not want to wait for them.
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
            until = min(until, time.monotonic() + grace)
        if hurried() or time.monotonic() >= until:
            break
    return [call for call in calls if call in pending]
