"""Viewers: on whose behalf the record is read, and what they may see and change of it.

A viewer goes with the request, not with the store: all work for a client's token, in whatever
thread or task, sees no more than that token may. Without a viewer everything is seen.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

SCOPES = ("own", "read", "all")
"""See and change its own debates; see all and change its own; see and change all."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A token's name, and its scope."""

    name: str
    scope: str = "all"

    def sees(self, owner: str) -> bool:
        """Return whether a debate of that owner exists for the viewer."""
        return self.scope != "own" or owner == self.name

    def may_change(self, owner: str) -> bool:
        """Return whether it may give orders to a debate of that owner, mark or delete it."""
        return self.scope == "all" or owner == self.name


VIEWER: ContextVar[Viewer | None] = ContextVar("viewer", default=None)


def only_of() -> str | None:
    """Return the only owner whose debates the present viewer sees; None if it sees all."""
    viewer = VIEWER.get()
    return viewer.name if viewer is not None and viewer.scope == "own" else None
