"""The workflow of an experiment: deal its debates out within the budget, and keep count.

It is under way as long as Temporal is, whatever becomes of the process that began it. Signals
pause and resume it; cancelled, or stopped through the record, it lets its debates come to rest.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any, NoReturn, TypeVar

from temporalio import workflow
from temporalio.common import Priority, RetryPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import (
    ApplicationError,
    ChildWorkflowError,
    WorkflowAlreadyStartedError,
)

from mutual_dissent.core.events import Status
from mutual_dissent.core.values.deal import STAGES, DealtPage, Due, Progress, Scope
from mutual_dissent.hosting.temporal.debate import DebateFlow
from mutual_dissent.hosting.temporal.payloads import (
    ENDED,
    EXPERIMENT,
    HALT,
    OF_STATUS,
    PAGE,
    RUNNING,
    SCOPE,
    SEEN,
    WAITING,
    DebateOutcome,
    ExperimentProgress,
    Given,
    PageRequest,
    WorkflowState,
    attributes,
)

T = TypeVar("T")

WINDOW = 400
"""Debates that wait or run at once: more than workers have room for, so that no worker idles."""

STARTS = 4
"""Debates that are started at once. Each start changes the experiment's own workflow, and Temporal
puts off for seconds those that get in each other's way."""

AT_ONCE = 200
"""Debates that are looked up at once."""

RENEWAL = 2000
"""Debates after which the workflow goes on in a new history: no history may grow for ever."""

ROOM = 1.5
"""The limit of a debate's cost, as a multiple of its quote: answers differ in length."""

TASK = timedelta(seconds=5)
"""Time for one workflow task, before Temporal gives it to another worker."""

STOPPED, BUDGET = "stopped", "budget"
ELSEWHERE = "another process is at work on it"


@workflow.defn(name=EXPERIMENT)
class ExperimentFlow:
    """One run of an experiment."""

    @workflow.init
    def __init__(self, given: ExperimentProgress) -> None:
        self._given = given
        self._tally = given.tally or Progress()
        self._budget = given.budget
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._again: list[Due] = []
        self._reserved = 0.0
        self._ends = 0
        self._turns = asyncio.Semaphore(STARTS)

    @workflow.run
    async def run(self, given: ExperimentProgress) -> Progress:
        """Deal out all debates that are missing, and wait for the last of them."""
        try:
            if given.tally is None:
                scope = await self._look_up(SCOPE, given.name, Scope)
                self._budget = scope.budget
                self._tally.total, self._tally.earlier = scope.total, scope.earlier
            await self._deal_all()
        except asyncio.CancelledError:
            self._tally.stopped = self._tally.stopped or STOPPED
            # Waiting debates are reached one by one; workers look at the record before each.
            await self._look_up(HALT, given.name, bool)
            self._let_rest()
            await self._settled()
            await self._say_ended()
            raise
        await self._say_ended()
        return self._tally

    @workflow.query
    def tally(self) -> Progress:
        """Return how far it has come."""
        return self._tally

    @workflow.signal
    def pause(self) -> None:
        """Let all debates come to rest after their running calls, and begin none."""
        self._tally.resting = True
        self._let_rest()

    @workflow.signal
    def resume(self) -> None:
        """Go on where they came to rest."""
        self._tally.resting = False

    @workflow.signal
    def stop(self) -> None:
        """Begin no more debates; those under way are told by the record what to do."""
        self._tally.stopped = self._tally.stopped or STOPPED

    async def _deal_all(self) -> None:
        for stage in STAGES[STAGES.index(self._given.stage) :]:
            place: int | None = self._given.start if stage == self._given.stage else 0
            while place is not None and not self._tally.stopped:
                # Temporal does not carry children over: those under way end first.
                if self._ends >= RENEWAL or workflow.info().is_continue_as_new_suggested():
                    await self._settled()
                    self._renew(stage, place)
                request = PageRequest(name=self._given.name, stage=stage, start=place, most=AT_ONCE)
                page = await self._look_up(PAGE, request, DealtPage)
                self._tally.before += page.complete
                for due in page.due:
                    await self._begin(due)
                place = page.then
            await self._settled()  # what is judged has to be there first

    def _renew(self, stage: str, place: int) -> NoReturn:
        if self._tally.stopped:
            place = 0
        given = replace(
            self._given, stage=stage, start=place, tally=self._tally, budget=self._budget
        )
        workflow.continue_as_new(given)

    async def _begin(self, due: Due) -> None:
        """Have a debate held as soon as there is room and money for it, unless all is stopped."""
        while True:
            await workflow.wait_condition(self._has_room)
            if self._tally.stopped:
                return
            limit, reserved = self._allowance(due)
            if limit is None or limit > 0:
                break
            if not self._under_way:
                self._tally.stopped = BUDGET
                return
            ends = self._ends  # one that ends may have cost less than was set aside for it
            await workflow.wait_condition(lambda ends=ends: self._ends != ends)  # type: ignore[misc]
        self._reserved += reserved
        self._tally.running += 1
        task = asyncio.create_task(self._hold(due, limit, reserved))
        self._under_way[due.transcript_id] = task

    def _has_room(self) -> bool:
        free = not self._tally.resting and len(self._under_way) < WINDOW
        return bool(self._tally.stopped) or free

    def _allowance(self, due: Due) -> tuple[float | None, float]:
        """Return the dollars a debate may spend now, and those set aside for it; 0 for none."""
        if self._budget is None:
            return None, 0.0
        left = self._budget - self._tally.earlier - self._tally.spent - self._reserved
        if left <= 0 or left < due.likely:
            return 0.0, 0.0
        allowed = min(left, due.likely * ROOM)
        return (allowed or left), allowed

    async def _hold(self, due: Due, limit: float | None, reserved: float) -> None:
        try:
            outcome = await self._outcome(due, limit)
            self._count(due, outcome)
        finally:
            self._reserved -= reserved
            self._tally.running -= 1
            self._ends += 1
            del self._under_way[due.transcript_id]

    async def _outcome(self, due: Due, limit: float | None) -> DebateOutcome:
        """Return how a debate ended: as its workflow says, else as the record does."""
        given = Given(
            transcript_id=due.transcript_id,
            lease=self._given.lease,
            experiment=self._given.name,
            mode=due.mode,
            # `resume` takes the limit of the whole debate, what was spent before included.
            max_cost=None if limit is None else limit + due.spent,
            new_cost=limit,
            indexed=self._given.indexed,
        )
        try:
            # Not one that ended well: its answer is paid for.
            return await self._child(given, WorkflowIDReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY)
        except WorkflowAlreadyStartedError:
            seen = await self._look_up(SEEN, due.transcript_id, DebateOutcome)
            if seen.status == Status.COMPLETED.value:
                return seen
        try:  # it was held once and is not on record any more: the record decides
            return await self._child(given, WorkflowIDReusePolicy.ALLOW_DUPLICATE)
        except WorkflowAlreadyStartedError:
            return DebateOutcome(status=Status.ERROR.value, reason=ELSEWHERE)

    async def _child(self, given: Given, reuse: WorkflowIDReusePolicy) -> DebateOutcome:
        try:
            async with self._turns:
                begun = await workflow.start_child_workflow(
                    DebateFlow.run,
                    given,
                    id=given.transcript_id,
                    id_reuse_policy=reuse,
                    # When the experiment ends, they come to rest; the default cuts them off.
                    parent_close_policy=workflow.ParentClosePolicy.REQUEST_CANCEL,
                    task_timeout=TASK,
                    search_attributes=attributes(given, RUNNING),
                    priority=Priority(
                        priority_key=self._given.priority_key, fairness_key=fair(self._given.name)
                    ),
                )
            return await begun
        except ChildWorkflowError as e:
            if isinstance(e.cause, ApplicationError) and e.cause.details:
                return DebateOutcome(**e.cause.details[0])
        except asyncio.CancelledError:  # before it had begun
            pass
        return await self._look_up(SEEN, given.transcript_id, DebateOutcome)

    def _count(self, due: Due, outcome: DebateOutcome) -> None:
        tally = self._tally
        tally.spent += max(0.0, outcome.cost - due.spent)
        tally.unpriced += outcome.unpriced
        if outcome.halted:
            tally.stopped = tally.stopped or STOPPED
        waits = outcome.ordered or outcome.status == WAITING
        if outcome.status == Status.COMPLETED.value:
            tally.done += 1
        elif waits and tally.stopped:
            tally.paused += outcome.status != WAITING
        elif waits and tally.resting:
            self._again.append(replace(due, spent=outcome.cost))
        else:
            tally.problem(outcome.reason or outcome.status, due.transcript_id)

    def _let_rest(self) -> None:
        for task in self._under_way.values():
            task.cancel()

    async def _settled(self) -> None:
        """Wait for all debates that were dealt out, also for those that rest meanwhile."""
        while self._under_way or (self._again and not self._tally.stopped):
            if self._again and not self._tally.resting:
                await self._begin(self._again.pop(0))
            else:
                await workflow.wait_condition(self._may_go_on)
        self._tally.paused += len(self._again)
        self._again.clear()

    def _may_go_on(self) -> bool:
        """Return whether there is something to do, or nothing left."""
        if self._again and not self._tally.resting:
            return True
        return not self._under_way and (bool(self._tally.stopped) or not self._again)

    async def _say_ended(self) -> None:
        tally = self._tally
        if self._given.indexed:
            workflow.upsert_search_attributes([OF_STATUS.value_set(tally.stopped or "ended")])
        standing = WorkflowState(
            name=self._given.name, stopped=tally.stopped, left=tally.left + tally.failed
        )
        await self._look_up(ENDED, standing, bool)

    async def _look_up(self, name: str, given: Any, kind: type[T]) -> T:
        """Read the record: a short local activity of this worker, retried until it succeeds."""
        result: T = await workflow.execute_local_activity(
            name,
            given,
            result_type=kind,
            start_to_close_timeout=timedelta(minutes=5),
            retry_policy=RetryPolicy(
                initial_interval=timedelta(milliseconds=300), maximum_interval=timedelta(seconds=5)
            ),
        )
        return result


def fair(name: str) -> str:
    """Return Temporal's fairness key of an experiment: 64 bytes at most."""
    return name.encode()[:64].decode(errors="ignore")
