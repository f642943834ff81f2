"""Obeying: directives are looked for now and then, and carried out when they can be."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from mutual_dissent.core.values.directive import Action, Directive

EVERY = 0.5
"""Seconds between two looks."""

Directives = Callable[[], Awaitable[Sequence[Directive]]]
"""What was ordered since the last look."""


@dataclass(slots=True)
class DirectiveInbox:
    """The directives of one debate. `stopped` and `paused` are looked at by the loop."""

    directives: Directives | None
    stopped: bool = False
    paused: bool = False
    hurried: bool = False
    remarks: list[str] = field(default_factory=list)
    watch: asyncio.Task[None] | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def begin(self, work: asyncio.Task[None]) -> None:
        """Look for directives while this work goes on; a stop cancels it."""
        if self.directives is not None:
            self.watch = asyncio.create_task(self._look(self.directives, work))

    async def end(self) -> None:
        """Look for the last time: what was ordered up to now was accepted."""
        self.over.set()
        if self.watch is not None:
            await asyncio.wait([self.watch])

    async def _look(self, directives: Directives, work: asyncio.Task[None]) -> None:
        last = False
        while not last:
            with suppress(TimeoutError):
                async with asyncio.timeout(EVERY):
                    await self.over.wait()
            last = self.over.is_set()
            with suppress(Exception):  # a look that fails is made again
                for directive in await directives():
                    self._take(directive, work)

    def _take(self, directive: Directive, work: asyncio.Task[None]) -> None:
        match directive.action:
            # A stop that comes with the last look has nothing to end, and must not cut the closing
            # off.
            case Action.STOP if not self.over.is_set():
                self.stopped = True
                work.cancel()
            case Action.PAUSE:
                self.paused = True
            case Action.HURRY:
                self.hurried = True
            case Action.REMARK:
                self.remarks.append(directive.text)
            case _:
                pass
