"""Running an experiment: many debates at once, within one budget, each held exactly once.

Every debate has an id that follows from its content. A complete one is left alone, an interrupted
one is resumed, so that a run can be ended at any moment and begun again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Protocol

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import DissentError, Held, StoreError
from mutual_dissent.core.events import Answered, Closed, Opened, Reopened, Status
from mutual_dissent.core.figures.stats import is_unpriced
from mutual_dissent.core.values.deal import Progress
from mutual_dissent.core.values.directive import Action
from mutual_dissent.engine.ending import RESTING
from mutual_dissent.experiments.design.experiment import Experiment
from mutual_dissent.experiments.jury.judgement import Judgement
from mutual_dissent.experiments.jury.schedule import count_judgements, judgements
from mutual_dissent.experiments.run.registry import rows
from mutual_dissent.experiments.run.stop import Halting, Order
from mutual_dissent.stream import UpdateStream

ROOM = 1.5
"""The limit of a debate's cost, as a multiple of its quote: answers differ in length."""

LOOK = 0.2
"""Seconds between two looks at whether the run was stopped."""

ORDERED = ("paused", "stopped", RESTING)
"""The reasons of debates that closed on an order, to them or to their worker."""


class RunItem(Protocol):
    """A debate that is to be held: a trial, or a judge's reading."""

    @property
    def transcript_id(self) -> str:
        """Return its id, which follows from its content."""
        ...

    @property
    def label(self) -> str:
        """Return what debates that cost about the same have in common."""
        ...

    @property
    def text(self) -> str:
        """Return the question."""
        ...

    @property
    def options(self) -> dict[str, Any]:
        """Return the fields of `Options`."""
        ...


OnProgress = Callable[[Progress], None]


def missing(md: MutualDissent, experiment: Experiment) -> int:
    """Return the number of debates that are not complete, the judges' among them."""
    ids = {row.transcript_id for row in rows(md, experiment.name) if row.status is Status.COMPLETED}
    held = sum(t.transcript_id in ids for t in experiment.trials())
    judged = (
        sum(j.transcript_id in ids for j in judgements(md, experiment)) if len(ids) > held else 0
    )
    return experiment.size + count_judgements(experiment) - held - judged


async def brief_of(md: MutualDissent, piece: RunItem, limit: float | None = None) -> Brief:
    """Return the brief of a debate, which may cost up to `limit`."""
    options = dict(piece.options)
    if limit is not None:
        options["max_cost"] = min(limit, options.get("max_cost") or limit)
    brief = await md.brief(piece.text, **options)
    return replace(brief, transcript_id=piece.transcript_id)


@dataclass(slots=True)
class Run:
    """One run of an experiment on this machine.

    Attributes:
        is_stopped: asked again and again whether the run is to end.
        order: the order for debates that have begun; None lets them end by themselves.
    """

    md: MutualDissent
    experiment: Experiment
    on_progress: OnProgress = lambda _: None
    is_stopped: Callable[[], bool] = lambda: False
    order: Order = lambda: Action.PAUSE
    progress: Progress = field(init=False)
    _reserved: float = 0.0
    _complete: set[str] = field(default_factory=set)
    _begun: dict[str, float] = field(default_factory=dict)
    _quotes: dict[str, float] = field(default_factory=dict)
    _under_way: set[str] = field(default_factory=set)
    _halting: Halting = field(init=False)

    def __post_init__(self) -> None:
        self._halting = Halting(self.md, self.order)
        self.progress = Progress(total=self.experiment.size + count_judgements(self.experiment))

    async def to_the_end(self) -> Progress:
        """Hold all debates that are missing. Cancelled, it leaves all of them resumable."""
        self._look()
        self.on_progress(self.progress)
        look_out = asyncio.create_task(self._look_out())
        try:
            await self._hold_all(self.experiment.trials())
            if not self.progress.stopped and count_judgements(self.experiment):
                await self._hold_all(judgements(self.md, self.experiment))
        finally:
            look_out.cancel()
            await asyncio.wait([look_out])
        return self.progress

    async def brief_of(self, piece: RunItem, limit: float | None = None) -> Brief:
        """Return the brief of a debate, which may cost up to `limit`."""
        return await brief_of(self.md, piece, limit)

    def _look(self) -> None:
        """Read what is on record: complete debates, and the cost of those that were begun."""
        for row in rows(self.md, self.experiment.name):
            if row.status is Status.COMPLETED:
                self._complete.add(row.transcript_id)
            else:
                self._begun[row.transcript_id] = row.cost_usd or 0.0
            self.progress.earlier += row.cost_usd or 0.0
        self.progress.before = sum(
            t.transcript_id in self._complete for t in self.experiment.trials()
        )

    async def _look_out(self) -> None:
        """Check again and again whether the run was stopped."""
        while True:
            await asyncio.sleep(LOOK)
            with suppress(StoreError):  # the store is away: try again at the next look
                await self.glance()

    async def glance(self) -> None:
        """Look once whether the run was stopped."""
        if await asyncio.to_thread(self.is_stopped):
            self.progress.stopped = self.progress.stopped or "stopped"
            await self.halt()

    async def halt(self) -> None:
        """Have debates that have begun end as ordered."""
        await asyncio.to_thread(self._halting.tell, [*self._under_way])

    async def _hold_all(self, pieces: Iterable[RunItem]) -> None:
        waiting = self._missing(pieces)
        workers = min(self.experiment.concurrency, max(1, self.progress.left))
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._work(waiting))

    def _missing(self, pieces: Iterable[RunItem]) -> Iterator[RunItem]:
        for piece in pieces:
            if piece.transcript_id not in self._complete:
                yield piece
            elif isinstance(piece, Judgement):  # trials were counted at the beginning
                self.progress.before += 1

    async def _work(self, waiting: Iterator[RunItem]) -> None:
        for turn in count():
            with suppress(StoreError):  # the record is away for a moment: the look-out will see it
                if self.is_stopped():
                    self.progress.stopped = self.progress.stopped or "stopped"
            piece = None if self.progress.stopped else next(waiting, None)
            if piece is None:
                return
            await self._hold(piece)
            self.on_progress(self.progress)
            if turn % 16 == 0:
                await asyncio.sleep(0)  # debates that fail at once must not starve the others

    async def _hold(self, piece: RunItem) -> None:
        self.progress.running += 1
        reserved = 0.0
        try:
            limit, reserved = await self._allowance(piece)
            self._reserved += reserved
            if not self.progress.stopped:
                self._under_way.add(piece.transcript_id)
                await self._watch(await self._begin(piece, limit))
        except Held:
            self.progress.problem("another process is at work on it")
        except DissentError as e:
            self.progress.problem(str(e))
        finally:
            self._under_way.discard(piece.transcript_id)
            self.progress.running -= 1
            self._reserved -= reserved

    async def _begin(self, piece: RunItem, limit: float | None) -> UpdateStream:
        name = piece.transcript_id
        if name not in self._begun:
            return self.md.run(await self.brief_of(piece, limit), tokens=False)
        if limit is None:
            return self.md.resume(name)
        return self.md.resume(name, max_cost=limit + self._begun[name])

    async def _allowance(self, piece: RunItem) -> tuple[float | None, float]:
        """Return the dollars that a debate may spend, and those reserved for it.

        Reservations and spending together never exceed the budget. Nothing is reserved for a debate
        without a known price: the user has allowed that.
        """
        if self.experiment.budget is None:
            return None, 0.0
        likely = await self._quote(piece)
        spent = self.progress.earlier + self.progress.spent + self._reserved
        left = self.experiment.budget - spent
        if left <= 0 or left < likely:
            self.progress.stopped = self.progress.stopped or "budget"
            return None, 0.0
        allowed = min(left, likely * ROOM)
        # Without a price nothing is set aside; what is left is its limit.
        return (allowed or left), allowed

    async def _quote(self, piece: RunItem) -> float:
        if piece.label not in self._quotes:
            quote = self.md.quote(await self.md.brief(piece.text, **piece.options))
            self._quotes[piece.label] = quote.cost_usd or 0.0
        return self._quotes[piece.label]

    async def _watch(self, events: UpdateStream) -> None:
        """Watch a debate to its end. Costs of an earlier run are not counted again."""
        status, why, now, ordered = Status.ERROR, "it ended without a word", False, False
        async with aclosing(events):
            async for event in events:
                # What is on record is told first: it was counted as `earlier`.
                if isinstance(event, Reopened):
                    now = True
                elif isinstance(event, Opened):
                    now = event.brief.transcript_id not in self._begun
                elif isinstance(event, Answered) and now and not event.reused:
                    self.progress.spent += event.response.cost_usd or 0.0
                    self.progress.unpriced += is_unpriced(event.response)
                elif isinstance(event, Closed):
                    status, why = event.status, event.text or event.reason
                    ordered = event.reason in ORDERED
        if status is Status.COMPLETED:
            self.progress.done += 1
        elif ordered and self.progress.stopped:
            self.progress.paused += 1
        else:
            self.progress.problem(why)
