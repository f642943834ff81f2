"""Halting: what debates that have begun are told when their experiment is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import NotRunning
from mutual_dissent.core.user.directive import Action, Directive

AGAIN = 5.0
"""Seconds after which a debate that goes on is told once more: it may have begun meanwhile."""

Order = Callable[[], Action | None]
"""What debates under way are told: to pause, to stop at once, or nothing."""


@dataclass(slots=True)
class Halting:
    """Tells debates under way, on this machine or another, to end where nothing is lost."""

    md: MutualDissent
    order: Order
    clock: Callable[[], float] = time.monotonic
    _told: dict[str, tuple[Action, float]] = field(default_factory=dict)

    def tell(self, names: Iterable[str]) -> None:
        """Give the order to those who have not heard it."""
        action = self.order()
        if action is None:
            return
        for name in names:
            last, at = self._told.get(name, (None, 0.0))
            if last is not action or self.clock() - at >= AGAIN:
                with suppress(NotRunning):  # it has ended, or nobody has taken it up yet
                    self.md.store.direct(name, Directive(action=action))
                    self._told[name] = (action, self.clock())
