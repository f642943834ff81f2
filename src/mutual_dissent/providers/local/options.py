"""Settings of the embedded model."""

from __future__ import annotations

import os
from dataclasses import dataclass

from mutual_dissent.core.panel import DEMO

WINDOW = 4096
"""Tokens that one request and its answer may have together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalOptions:
    """Settings of the embedded model.

    Attributes:
        threads: None for the number of cores less one.
        busy_machine: wait without spinning, which cures its collapse where others use the cores.
        max_tokens: where the ask sets none. Without it, by the model: the demo model rambles.
        temperature: where the ask sets none.
        parallel: the most answers at once. Without it, by the model: a larger one
            writes them in turn, so that the first word comes soon and shared text is read once.
    """

    threads: int | None = None
    busy_machine: bool = False
    max_tokens: int | None = None
    temperature: float = 0.4
    parallel: int | None = None

    def most_tokens(self, model: str) -> int:
        """Return the most tokens of an answer where the ask says nothing."""
        return self.max_tokens or (80 if model == DEMO else 400)

    def at_once(self, model: str) -> int:
        """Return the number of answers that a model writes at once."""
        return self.parallel or (3 if model == DEMO else 1)

    @property
    def thread_count(self) -> int:
        """Return the threads to run with: one core stays free for everything else."""
        return self.threads or max(1, _cores() - 1)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
