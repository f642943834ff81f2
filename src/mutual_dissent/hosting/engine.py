"""Ports between an engine, the process that deals debates out, and the workers that hold them.

An engine carries ids, figures and words of ours, never a question or an answer: those are in the
record, which every worker reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.values.deal import DealtPage, Progress, Scope
from mutual_dissent.core.values.directive import Action


class EngineError(DissentError):
    """The engine cannot be reached, or does not do what it is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerInfo:
    """A worker as the engine sees it."""

    name: str
    heard: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The state of an engine: its workers, its backlog, and the experiments under way."""

    workers: Sequence[WorkerInfo] = ()
    waiting: int | None = None
    running: int | None = None
    experiments: Sequence[str] = ()


class Dealer(Protocol):
    """Source of an experiment's debates, and of what each is about."""

    async def scope(self, name: str) -> Scope:
        """Return the size and the budget of an experiment."""
        ...

    async def page(self, name: str, stage: str, start: int, most: int) -> DealtPage:
        """Return up to `most` debates of a stage, from a place on."""
        ...

    async def brief(self, name: str, transcript_id: str, limit: float | None) -> Brief:
        """Return the brief of a debate that no worker has begun yet."""
        ...

    def order(self, name: str) -> tuple[bool, Action | None]:
        """Return whether the experiment was stopped, and the order for its debates under way."""
        ...

    async def halt(self, name: str) -> None:
        """Put on record that no more debates of it are to be begun."""
        ...

    async def save_end(self, name: str, stopped: str, left: int) -> None:
        """Put on record why it stopped, and how many debates are left."""
        ...


class Engine(Protocol):
    """Deals debates out to workers, and knows how far they are; reached from any machine."""

    async def begin(self, name: str, priority: int = 0) -> None:
        """Have an experiment that is on record held; one that is under way is left as it is."""
        ...

    async def tally(self, name: str) -> Progress | None:
        """Return how far an experiment has come; None if no worker can say at the moment."""
        ...

    async def wait_for_end(self, name: str, seconds: float) -> Progress | None:
        """Wait up to `seconds` for an experiment's end; None if it is still under way."""
        ...

    async def is_under_way(self, name: str) -> bool:
        """Return whether an experiment is under way."""
        ...

    async def pause(self, name: str) -> None:
        """Let an experiment come to rest after its running calls."""
        ...

    async def resume(self, name: str) -> None:
        """Let a paused experiment go on."""
        ...

    async def stop(self, name: str) -> None:
        """Begin no more debates of an experiment; the record says what its debates do."""
        ...

    async def cancel(self, name: str) -> None:
        """End an experiment; its debates come to rest after their running calls."""
        ...

    async def roster(self) -> Roster:
        """Return the workers, and the work that is under way."""
        ...
