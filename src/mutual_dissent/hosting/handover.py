"""Long debates of a server are handed to workers, where an engine is configured and it says so.

A debate is on record before it is handed over, and is watched and ordered about through the record:
no watcher needs to know where it is held.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from mutual_dissent.app import MutualDissent
from mutual_dissent.config.sections import ClusterOptions
from mutual_dissent.core.ports import Funds
from mutual_dissent.hosting.engine import EngineError
from mutual_dissent.hosting.engines import check_shared, connect_engine, options

if TYPE_CHECKING:
    from mutual_dissent.hosting.temporal.adapter import TemporalEngine

FundsOf = Callable[[str, str], Funds | None]
"""Returns the money that an owner's debate may spend; None without a limit or a book."""

Charge = Callable[[str, float], None]
"""Charges dollars to an owner that were spent before a debate is opened."""


class Elsewhere(Protocol):
    """A place for debates that are too long for this process."""

    def wants(self, calls: int) -> bool:
        """Return whether a debate with that many calls is to be held there."""
        ...

    async def hand(self, transcript_id: str, mode: str) -> None:
        """Have a debate held that is on record.

        Raises:
            DissentError: if it is not taken.
        """
        ...

    async def over(self, transcript_id: str) -> None:
        """Wait until no worker there holds a debate, or will."""
        ...

    async def take_back(self, transcript_id: str) -> None:
        """Let a debate come to rest; one that waits is not begun."""
        ...


def elsewhere(md: MutualDissent) -> Elsewhere | None:
    """Return the place where long debates are held; None if they stay here.

    Raises:
        UserError: if the engine that is configured cannot be used with this record.
    """
    chosen = options(md)
    if chosen.engine is None or chosen.hand_over is None:
        return None
    check_shared(md, chosen)
    return Workers(chosen, chosen.hand_over)


def funds_of_owners(md: MutualDissent, funds: FundsOf) -> Callable[[str], Funds | None]:
    """Return a function from a debate to its owner's money, for workers that were handed it."""

    def funds_of(transcript_id: str) -> Funds | None:
        owner = md.store.owner(transcript_id)
        return funds(owner, transcript_id) if owner else None

    return funds_of


class Workers:
    """The workers of an engine, reached when the first debate is handed to them."""

    def __init__(self, options: ClusterOptions, calls: int) -> None:
        self._options, self._calls = options, calls
        self._engine: asyncio.Task[TemporalEngine] | None = None

    def wants(self, calls: int) -> bool:
        """Return whether a debate with that many calls is to be held there."""
        return calls >= self._calls

    async def hand(self, transcript_id: str, mode: str) -> None:
        """Have a debate held that is on record.

        Raises:
            DissentError: if the engine cannot be reached, or does not take it.
        """
        engine = await self._reached()
        from mutual_dissent.hosting.temporal.handover import hand_over

        try:
            await hand_over(engine, transcript_id, mode)
        except EngineError:
            self._engine = None  # the next debate connects again
            raise

    async def over(self, transcript_id: str) -> None:
        """Wait until no worker there holds a debate, or will; also while the engine is away."""
        from mutual_dissent.hosting.temporal.handover import AGAIN, over

        while True:
            try:
                await over(await self._reached(), transcript_id)
            except EngineError:
                await asyncio.sleep(AGAIN)
            else:
                return

    async def take_back(self, transcript_id: str) -> None:
        """Let a debate come to rest; one that waits is not begun.

        Raises:
            EngineError: if the engine does not answer, or knows nothing of it.
        """
        engine = await self._reached()
        from mutual_dissent.hosting.temporal.handover import taken_back

        await taken_back(engine, transcript_id)

    async def _reached(self) -> TemporalEngine:
        """Return the engine. Concurrent callers share one attempt; none of them can cancel it."""
        attempt = self._engine
        if attempt is None or (attempt.done() and (attempt.cancelled() or attempt.exception())):
            attempt = self._engine = asyncio.create_task(connect_engine(self._options))
        return await asyncio.shield(attempt)
