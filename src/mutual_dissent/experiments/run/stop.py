"""Halting: orders to debates that have begun when their experiment is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import NotRunning
from mutual_dissent.core.values.directive import Action, Directive

AGAIN = 5.0
"""Seconds after which an order is repeated to a debate: it may have begun meanwhile."""

Order = Callable[[], Action | None]
"""Returns the order for debates under way: to pause, to stop at once, or none."""


@dataclass(slots=True)
class Halting:
    """Tells debates under way, on this machine or another, to end where nothing is lost."""

    md: MutualDissent
    order: Order
    clock: Callable[[], float] = time.monotonic
    _told: dict[str, tuple[Action, float]] = field(default_factory=dict)

    def tell(self, names: Iterable[str]) -> None:
        """Give the order to those that have not had it."""
        action = self.order()
        if action is None:
            return
        for name in names:
            last, at = self._told.get(name, (None, 0.0))
            # Another order, such as to stop at once after a pause, is given without waiting.
            if last is not action or self.clock() - at >= AGAIN:
                with suppress(NotRunning):  # it has ended, or no process has taken it up yet
                    self.md.store.direct(name, Directive(action=action))
                    self._told[name] = (action, self.clock())
