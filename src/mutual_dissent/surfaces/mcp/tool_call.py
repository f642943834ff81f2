"""One call of a tool: the app, the caller, and progress reports to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import UnknownName
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.hosting import Sessions
from mutual_dissent.surfaces.http.backend import Caller, HostedBackend
from mutual_dissent.surfaces.mcp.answers.reports import Documents

Report = Callable[[float, str], Awaitable[None]]
"""Reports the progress of a call to the client."""


Announce = Callable[[], Awaitable[None]]
"""Notifies clients of new sessions."""


async def _nobody(_progress: float, _message: str) -> None:
    """Report to no client."""


async def _nobody_listens() -> None:
    """Notify no client."""


@dataclass(slots=True)
class Call:
    """A call of a tool."""

    hosted: HostedBackend
    caller: Caller = field(default_factory=Caller)
    report: Report = _nobody
    documents: Documents = field(default_factory=Documents)
    listed_anew: Announce = _nobody_listens
    _told: int = 0
    _turn: anyio.Lock = field(default_factory=anyio.Lock)

    @property
    def md(self) -> MutualDissent:
        """The app."""
        return self.hosted.md

    @property
    def sessions(self) -> Sessions:
        """The running debates."""
        return self.hosted.sessions

    def limit_of(self, past: Transcript) -> float | None:
        """Return the dollars a stored debate may cost in all: its own limit, or what is left.

        Raises:
            OverBudget: if the caller has nothing left.
        """
        left = self.caller.limit(None)
        if left is None:
            return past.brief.max_cost
        known = left + (stats(past).total.cost_usd or 0.0)
        return known if past.brief.max_cost is None else min(known, past.brief.max_cost)

    async def tell(self, message: str) -> None:
        """Report progress, which only ever increases."""
        async with self._turn:
            self._told += 1
            await self.report(self._told, message)


def seat_of(t: Transcript, name: str) -> str:
    """The seat of that name in a debate.

    Raises:
        UnknownName: if no agent of that name took part.
    """
    seats = dict.fromkeys([p.seat for p in t.panelists] + [r.model_alias for r in t.turns()])
    if name not in seats:
        raise UnknownName("agent of this session", name, seats)
    return name
