"""Orders: what was asked of the debates under way, looked up once for all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from mutual_dissent.core.user.directive import Directive
from mutual_dissent.store.store import Store

FRESH = 0.25
"""Seconds for which nobody looks again: with hundreds of debates every look counts."""


class DirectiveCache:
    """The directives of one store, for any number of debates of this process."""

    def __init__(
        self, store: Callable[[], Store], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store, self._clock = store, clock
        self._waiting: frozenset[str] = frozenset()
        self._looked = float("-inf")

    async def pop(self, transcript_id: str) -> Sequence[Directive]:
        """Pop the directives for a debate since the last look."""
        now = self._clock()
        if now - self._looked >= FRESH:
            self._looked = now  # at once, so that the others do not look beside this
            self._waiting = await asyncio.to_thread(self._store().debates_with_directives)
        if transcript_id not in self._waiting:
            return ()
        return await asyncio.to_thread(self._store().directives, transcript_id)
