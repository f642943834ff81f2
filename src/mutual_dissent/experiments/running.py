"""Running an experiment: many debates at once, within one budget, each held exactly once.

Every debate has an id that follows from what it is. One that is complete is left alone, one that
was cut off is resumed, so that a run can be ended at any moment and begun again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import DissentError, Held
from mutual_dissent.core.events import Answered, Closed, Opened, Reopened, Status
from mutual_dissent.engine.quote import Quote
from mutual_dissent.experiments.design import Experiment, Trial
from mutual_dissent.experiments.extraction import instructed
from mutual_dissent.experiments.matching import quoted
from mutual_dissent.store.search import Row
from mutual_dissent.watching import Happenings

ROOM = 1.5
"""A debate may cost so many times its quote: answers differ in length."""

PAGE = 500


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far a run has come.

    Attributes:
        total: the debates of the experiment.
        before: how many of them were complete when the run began.
        done: how many this run completed.
        failed: how many ended without an answer; `problems` says why, the first of each kind.
        spent: dollars, of this run.
    """

    total: int
    before: int = 0
    done: int = 0
    failed: int = 0
    running: int = 0
    spent: float = 0.0
    began: float = field(default_factory=time.monotonic)
    problems: dict[str, int] = field(default_factory=dict)
    stopped: str = ""

    @property
    def left(self) -> int:
        """How many are still to be held."""
        return self.total - self.before - self.done - self.failed

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take, at the pace so far."""
        held = self.done + self.failed
        return (time.monotonic() - self.began) / held * self.left if held else None

    def problem(self, why: str) -> None:
        """Count a failure."""
        self.failed += 1
        self.problems[why] = self.problems.get(why, 0) + 1


OnProgress = Callable[[Progress], None]


@dataclass(slots=True)
class Run:
    """One run of an experiment on this machine.

    Attributes:
        is_stopped: asked before every debate whether somebody wants the run to end.
    """

    md: MutualDissent
    experiment: Experiment
    on_progress: OnProgress = lambda _: None
    is_stopped: Callable[[], bool] = lambda: False
    progress: Progress = field(init=False)
    _reserved: float = 0.0
    _known: dict[str, Row] = field(default_factory=dict)
    _quotes: dict[str, Quote] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.progress = Progress(total=self.experiment.size)

    async def to_the_end(self) -> Progress:
        """Hold all debates that are missing. Cancelled, it leaves all of them resumable."""
        self._known = {row.transcript_id: row for row in rows(self.md, self.experiment.name)}
        trials = self._missing()
        self.on_progress(self.progress)
        workers = min(self.experiment.concurrency, max(1, self.progress.left))
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._work(trials))
        return self.progress

    async def brief_of(self, trial: Trial, limit: float | None = None) -> Brief:
        """The brief of a trial, which may cost so much."""
        options = dict(trial.options)
        if limit is not None:
            options["max_cost"] = min(limit, options.get("max_cost") or limit)
        query = trial.query
        if query.kind == "free" and query.answer:
            options |= {"ground_truth": query.answer, "judge": self.experiment.judge}
        brief = await self.md.brief(instructed(query.text, query.kind), **options)
        return replace(brief, transcript_id=trial.transcript_id)

    def _missing(self) -> Iterator[Trial]:
        """The trials that are not complete yet, counted once, then one by one."""
        complete = {i for i, row in self._known.items() if row.status is Status.COMPLETED}
        ids = (t.transcript_id for t in self.experiment.trials())
        self.progress.before = sum(i in complete for i in ids)
        return (t for t in self.experiment.trials() if t.transcript_id not in complete)

    async def _work(self, trials: Iterator[Trial]) -> None:
        for trial in trials:
            if self.is_stopped():
                self.progress.stopped = "stopped"
            if self.progress.stopped:
                return
            await self._hold(trial)
            self.on_progress(self.progress)

    async def _hold(self, trial: Trial) -> None:
        self.progress.running += 1
        limit: float | None = None
        try:
            limit = await self._allowance(trial)
            if not self.progress.stopped:
                await self._watch(await self._begun(trial, limit))
        except Held:
            self.progress.problem("another process is at work on it")
        except DissentError as e:
            self.progress.problem(str(e))
        finally:
            self.progress.running -= 1
            self._reserved -= limit or 0.0

    async def _begun(self, trial: Trial, limit: float | None) -> Happenings:
        if row := self._known.get(trial.transcript_id):
            if limit is None:
                return self.md.resume(row.transcript_id)
            return self.md.resume(row.transcript_id, max_cost=limit + (row.cost_usd or 0.0))
        return self.md.run(await self.brief_of(trial, limit))

    async def _allowance(self, trial: Trial) -> float | None:
        """Dollars that a debate may spend; those of all together never exceed the budget."""
        if self.experiment.budget is None:
            return None
        likely = (await self._quote(trial)).cost_usd or 0.0
        earlier = sum(row.cost_usd or 0.0 for row in self._known.values())
        left = self.experiment.budget - earlier - self.progress.spent - self._reserved
        if left <= 0 or left < likely:
            self.progress.stopped = "budget"
            return None
        allowed = min(left, likely * ROOM) or left
        self._reserved += allowed
        return allowed

    async def _quote(self, trial: Trial) -> Quote:
        name = trial.condition.name
        if name not in self._quotes:
            self._quotes[name] = await quoted(self.md, trial.condition, trial.query)
        return self._quotes[name]

    async def _watch(self, events: Happenings) -> None:
        """Watch a debate to its end. What an earlier run paid for is not counted again."""
        status, why, now = Status.ERROR, "it ended without a word", False
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Opened | Reopened):
                    now = (
                        isinstance(event, Reopened) or event.brief.transcript_id not in self._known
                    )
                elif isinstance(event, Answered) and now and not event.reused:
                    self.progress.spent += event.response.cost_usd or 0.0
                elif isinstance(event, Closed):
                    status, why = event.status, event.text or event.reason
        if status is Status.COMPLETED:
            self.progress.done += 1
        else:
            self.progress.problem(why)


def rows(md: MutualDissent, experiment: str) -> Iterator[Row]:
    """The stored debates of an experiment."""
    offset = 0
    while page := md.store.list(experiment=experiment, order="newest", limit=PAGE, offset=offset):
        yield from page
        offset += len(page)
