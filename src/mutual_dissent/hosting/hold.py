"""Holding one debate for its clients: to its end, to its rest, or to the moment it is lost."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import DissentError, Held
from mutual_dissent.core.events import Answered, Closed, Status
from mutual_dissent.core.figures.stats import is_unpriced
from mutual_dissent.engine.ending import RESTING
from mutual_dissent.stream import UpdateStream

LOOK = 0.25
"""Seconds between two looks at whether the record has what it is owed."""


class AtRest(DissentError):
    """A debate that came to rest because its worker left: the next worker goes on with it."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Status and reason of a debate's end, and the cost of all of it."""

    status: Status
    reason: str
    text: str
    cost: float
    unpriced: int

    @property
    def trouble(self) -> str:
        """The reason why it has no answer; empty if it has one."""
        if self.status is Status.COMPLETED:
            return ""
        return self.text or self.reason or self.status.value


async def follow_to_end(events: UpdateStream) -> Ending:
    """Follow a debate's events, from the first on, and return how it ended.

    Raises:
        AtRest: if it came to rest because its worker left.
    """
    last, cost, unpriced = None, 0.0, 0
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Closed):
                last = event
            elif isinstance(event, Answered) and not event.reused:
                cost += event.response.cost_usd or 0.0
                unpriced += is_unpriced(event.response)
    if last is None:
        return Ending(Status.ERROR, "silent", "it ended without a word", cost, unpriced)
    if last.reason == RESTING:
        raise AtRest
    return Ending(last.status, last.reason, last.text, cost, unpriced)


async def on_record(md: MutualDissent, name: str) -> None:
    """Wait until all of a debate is on record: only then it has ended for other processes.

    Raises:
        Held: if another process took it over before.
    """
    last = md.store.last_seq(name)
    while md.store.owes(name):  # noqa: ASYNC110 - a thread writes it
        await asyncio.sleep(LOOK)
    if await asyncio.to_thread(md.store.last_seq, name) < last:
        raise Held(name, "another process")
