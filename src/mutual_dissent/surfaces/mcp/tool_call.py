"""One call of a tool: the app, the caller, and progress reports to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

import anyio

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import NotAsked, UnknownName
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.surfaces.http.backend import Caller, HostedBackend
from mutual_dissent.surfaces.mcp.answers.reports import Documents
from mutual_dissent.surfaces.mcp.elicitation import UserChannel

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
    """A call of a tool.

    Attributes:
        user: the way to the client's user, if the client asks it.
        back_in: the session whose question to the user this call comes back with, if it does.
    """

    hosted: HostedBackend
    caller: Caller = field(default_factory=Caller)
    report: Report = _nobody
    documents: Documents = field(default_factory=Documents)
    listed_anew: Announce = _nobody_listens
    user: UserChannel | None = None
    back_in: str = ""
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

    def hand_in(self) -> None:
        """Take what the user filled in since the last call, if this call comes back with it.

        Raises:
            BadInput: if it is not complete.
        """
        found = self.user.answer() if self.user else None
        if found is None:
            return
        self.back_in, key, reply = found
        if self.owns(self.back_in):
            with suppress(NotAsked):  # its time was up: the debate has gone on
                self.sessions.desk.answer(self.back_in, key, reply)

    def owns(self, name: str) -> bool:
        """Return whether the caller is the one who sits on a debate's panel."""
        return self.sessions.transcript(name).brief.owner == self.caller.name

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
