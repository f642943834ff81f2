"""How the embedded model is run."""

from __future__ import annotations

import os
from dataclasses import dataclass

WINDOW = 4096
"""Tokens that one request and its answer may have together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalOptions:
    """Settings of the embedded model.

    Attributes:
        threads: None for the number of cores less one.
        busy_machine: wait without spinning, which cures its collapse where others use the cores.
        max_tokens: where the ask sets none; small models ramble.
        temperature: where the ask sets none.
        parallel: how many answers are written at once.
    """

    threads: int | None = None
    busy_machine: bool = False
    max_tokens: int = 80
    temperature: float = 0.4
    parallel: int = 3

    @property
    def thread_count(self) -> int:
        """The threads to run with: one core stays free for everything else."""
        return self.threads or max(1, _cores() - 1)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
