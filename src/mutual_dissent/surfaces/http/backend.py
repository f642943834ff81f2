"""Shared objects of all routes: the app, its sessions, and the caller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import OverBudget
from mutual_dissent.hosting.handover import elsewhere
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.store.viewer import Viewer
from mutual_dissent.surfaces.http.token_budget import TokenBudget

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

CALLER = "caller"
"""Key of the caller in a request's state, set by the guard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The authenticated caller of a request.

    Attributes:
        name: the token's name; empty on loopback without a token.
        mode: the default mode of this token's debates.
        max_cost: dollars that the token may still spend; None without a limit.
        scope: the debates that the token may see and change.
    """

    name: str = ""
    mode: str | None = None
    max_cost: float | None = None
    scope: str = "all"

    @property
    def viewer(self) -> Viewer | None:
        """Name by which the store restricts what is visible; None for full access."""
        return Viewer(self.name, self.scope) if self.name else None

    def limit(self, wanted: float | None) -> float | None:
        """Return the dollars a debate may cost: its limit, or what the token has left.

        Raises:
            OverBudget: if the token has nothing left.
        """
        if self.max_cost is not None and self.max_cost <= 0:
            raise OverBudget(
                f"the token {self.name!r} has spent its budget; ask for a new one "
                "(dissent token new)"
            )
        known = [x for x in (wanted, self.max_cost) if x is not None]
        return min(known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedBackend:
    """The app and its sessions, as one process serves them; `purse` is charged what they spend."""

    md: MutualDissent
    sessions: Sessions
    purse: TokenBudget | None = None


def host(md: MutualDissent) -> HostedBackend:
    """Return the app, its sessions and its budgets, as configured.

    Raises:
        UserError: if debates are dealt to workers that cannot read this store.
    """
    purse, options = TokenBudget(md.tokens, md.clock), md.settings.server
    sessions = Sessions(
        md,
        running=options.running,
        waiting=options.waiting,
        funds=purse.of,
        charge=purse.charge,
        elsewhere=elsewhere(md),
    )
    return HostedBackend(md=md, sessions=sessions, purse=purse)


def caller_of(connection: HTTPConnection) -> Caller:
    """Return the caller of a request; the guard has checked it."""
    caller = connection.scope.get("state", {}).get(CALLER)
    return caller if isinstance(caller, Caller) else Caller()
