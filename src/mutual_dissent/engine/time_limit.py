"""The time limit of a debate, counted from when this run of it began."""

from __future__ import annotations

import time

from mutual_dissent.core.events import Status
from mutual_dissent.engine.ending import Over

GRAIN = 0.01
"""Seconds by which a timer may be early."""


class TimeLimit:
    """How long a debate may still take."""

    def __init__(self, seconds: float | None) -> None:
        """From now on, that many seconds; None for no limit."""
        self._end = time.monotonic() + seconds if seconds else float("inf")

    @property
    def left(self) -> float:
        """Seconds that are left, below zero if it has passed."""
        return self._end - time.monotonic()

    @property
    def patience(self) -> float | None:
        """Seconds that may be waited for something; None for as long as it takes."""
        return None if self._end == float("inf") else max(0.0, self.left)

    def passed(self, grain: float = 0.0) -> bool:
        """Whether it has been reached, or will be within a grain."""
        return self.left <= grain

    @property
    def over(self) -> Over:
        """How a debate is closed that has reached it."""
        return Over(Status.STOPPED, "timeout", "the debate's time limit was reached")
