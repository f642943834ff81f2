"""Stopping an experiment at a known moment: while its first calls are in flight."""

from __future__ import annotations

import asyncio
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.ports import OnText
from mutual_dissent.core.response import Ask, Response
from mutual_dissent.core.values.deal import Progress
from mutual_dissent.core.values.directive import Action
from mutual_dissent.experiments.run.registry import rows
from mutual_dissent.experiments.run.run import Run
from mutual_dissent.providers.scripted import Scripted


class Gated:
    """Holds every answer of a scripted panel back until the gate is open."""

    def __init__(self, cast: Scripted) -> None:
        self.asks = cast.asks
        self.gate = asyncio.Event()
        self.waiting = 0
        self._answer = cast.ask
        cast.ask = self._ask  # type: ignore[method-assign] - the app has it already

    async def _ask(self, ask: Ask, on_text: OnText) -> Response:
        self.waiting += 1
        await self.gate.wait()
        return await self._answer(ask, on_text)


class Stopping:
    """Stops a run as soon as so many calls are in flight, and lets them end when all know."""

    def __init__(
        self,
        cast: Gated,
        md: MutualDissent,
        *,
        action: Action | None = Action.PAUSE,
        calls: int = 8,
    ) -> None:
        self.cast, self.md, self.action, self.calls = cast, md, action, calls
        self.told = 0

    @property
    def ways(self) -> dict[str, Any]:
        """What a run takes."""
        return {"is_stopped": lambda: self.cast.waiting >= self.calls, "order": self._order}

    def _order(self) -> Action | None:
        self.told += 1
        return self.action

    async def ended(self, run: Run) -> Progress:
        """Hold the run; the calls in flight are answered once every debate has its order."""
        task = asyncio.create_task(run.to_the_end())
        while (
            self.told < 2 or self.md.store.debates_with_directives()
        ):  # the first telling is over by the second
            await asyncio.sleep(0.01)
        if self.action is not Action.STOP:
            self.cast.gate.set()
        return await task


def answers(md: MutualDissent, name: str) -> int:
    """How many answers of an experiment are on record."""
    found = (md.store.transcript(r.transcript_id) for r in rows(md, name))
    return sum(len(list(t.responses())) for t in found)
