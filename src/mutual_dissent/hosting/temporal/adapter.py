"""Temporal as the engine of experiments: begun, watched, paused and ended from any machine."""

from __future__ import annotations

import asyncio
import os
import socket
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from uuid import uuid4

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import (
    Client,
    WorkflowContinuedAsNewError,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowQueryRejectedError,
)
from temporalio.common import Priority, WorkflowIDConflictPolicy
from temporalio.exceptions import ApplicationError, CancelledError, TerminatedError
from temporalio.service import RPCError, RPCStatusCode

from mutual_dissent.config.addresses import Address
from mutual_dissent.config.sections import ClusterOptions
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.values.deal import Progress
from mutual_dissent.core.values.terms import command
from mutual_dissent.hosting.engine import EngineError, Roster, WorkerInfo
from mutual_dissent.hosting.temporal.connection import (
    how_to_index,
    is_indexed,
    open_client,
    translate_errors,
)
from mutual_dissent.hosting.temporal.experiment import STOPPED, TASK, ExperimentFlow, fair
from mutual_dissent.hosting.temporal.payloads import (
    DEBATE,
    EXPERIMENT,
    HIGHEST,
    LOWEST,
    RUNNING,
    USUAL,
    ExperimentProgress,
    attributes,
)

ANSWER = timedelta(seconds=3)
"""The longest that a worker may take to say how far an experiment has come."""


class TemporalEngine:
    """A Temporal server, through one connection.

    Attributes:
        note: what it lacks and how to mend it, in a sentence; empty if nothing.
    """

    def __init__(self, client: Client, options: ClusterOptions, *, indexed: bool) -> None:
        assert options.engine is not None
        self.client, self.options, self.indexed = client, options, indexed
        self.address: Address = options.engine
        self.note = "" if indexed else how_to_index(self.address)

    @classmethod
    async def connect(cls, options: ClusterOptions) -> Self:
        """Connect to the engine of that configuration.

        Raises:
            EngineError: if it cannot be reached, or will not do.
        """
        client = await open_client(options, own_name())
        return cls(client, options, indexed=await is_indexed(client))

    async def begin(self, name: str, priority: int = 0) -> None:
        """Have an experiment that is on record held; one that is under way is left as it is."""
        course = ExperimentProgress(
            name=name,
            lease=self.options.lease,
            priority_key=priority_key(priority),
            indexed=self.indexed,
        )
        with translate_errors(self.address):
            await self.client.start_workflow(
                ExperimentFlow.run,
                course,
                id=self._id(name),
                task_queue=self.options.queue,
                id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                task_timeout=TASK,
                search_attributes=attributes(course, RUNNING),
                priority=Priority(priority_key=course.priority_key, fairness_key=fair(name)),
            )

    async def tally(self, name: str) -> Progress | None:
        """Return how far an experiment has come; None if no worker can say at the moment."""
        try:
            return await self._handle(name).query(ExperimentFlow.tally, rpc_timeout=ANSWER)
        except (RPCError, WorkflowQueryFailedError, WorkflowQueryRejectedError):
            return None

    async def wait_for_end(self, name: str, seconds: float) -> Progress | None:
        """Wait up to `seconds` for an experiment's end; None if it is still under way.

        Raises:
            EngineError: if it could not be held at all; the sentence says why.
        """
        try:
            async with asyncio.timeout(seconds):
                progress: Progress = await self._handle(name).result()
                return progress
        # It goes on in a new history, which the next look finds under the same id.
        except (TimeoutError, WorkflowContinuedAsNewError):
            return None
        except WorkflowFailureError as e:
            return await self._failed(name, e)
        except RPCError as e:
            if e.status is RPCStatusCode.NOT_FOUND:
                raise self._unknown(name) from None
            return None  # the server may be restarting

    async def is_under_way(self, name: str) -> bool:
        """Return whether an experiment is under way."""
        try:
            workflow = await self._handle(name).describe()
        except RPCError as e:
            if e.status is RPCStatusCode.NOT_FOUND:
                return False
            with translate_errors(self.address):
                raise
        return workflow.status is WorkflowExecutionStatus.RUNNING

    async def pause(self, name: str) -> None:
        """Let an experiment come to rest after its running calls."""
        await self._signal(name, "pause")

    async def resume(self, name: str) -> None:
        """Let a paused experiment go on."""
        await self._signal(name, "resume")

    async def stop(self, name: str) -> None:
        """Begin no more debates of an experiment that was stopped through the record."""
        await self._signal(name, "stop")

    async def cancel(self, name: str) -> None:
        """End an experiment; its debates come to rest after their running calls."""
        with translate_errors(self.address):
            try:
                await self._handle(name).cancel()
            except RPCError as e:
                if e.status is RPCStatusCode.NOT_FOUND:
                    raise self._unknown(name) from None
                raise

    async def roster(self) -> Roster:
        """Return the workers, and the work that is under way."""
        with translate_errors(self.address):
            heard: dict[str, datetime] = {}
            waiting = 0
            for kind in (TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW, ACTIVITIES):
                queue = await self._queue(kind)
                for poller in queue.pollers:
                    at = poller.last_access_time.ToDatetime(tzinfo=UTC)
                    heard[poller.identity] = max(at, heard.get(poller.identity, at))
                if kind == ACTIVITIES:
                    waiting = int(queue.stats.approximate_backlog_count)
            return Roster(
                workers=[WorkerInfo(name=n, heard=at) for n, at in sorted(heard.items())],
                waiting=waiting,
                running=await self._count(DEBATE),
                experiments=await self._experiments(),
            )

    async def _queue(self, kind: TaskQueueType.ValueType) -> Any:
        return await self.client.workflow_service.describe_task_queue(
            DescribeTaskQueueRequest(
                namespace=self.address.namespace,
                task_queue=TaskQueue(name=self.options.queue),
                task_queue_type=kind,
                report_stats=True,
            )
        )

    async def _count(self, kind: str) -> int:
        return (await self.client.count_workflows(self._under_way(kind))).count

    async def _experiments(self) -> list[str]:
        before = self._id("")
        workflows = self.client.list_workflows(self._under_way(EXPERIMENT), limit=10_000)
        return [w.id.removeprefix(before) async for w in workflows]

    def _under_way(self, kind: str) -> str:
        # It stands in a query, where a quote would end the string.
        queue = self.options.queue.replace('"', "")
        return f'WorkflowType="{kind}" AND ExecutionStatus="Running" AND TaskQueue="{queue}"'

    async def _signal(self, name: str, word: str) -> None:
        with translate_errors(self.address):
            try:
                await self._handle(name).signal(word)
            except RPCError as e:
                if e.status is RPCStatusCode.NOT_FOUND:
                    raise self._unknown(name) from None
                raise

    async def _failed(self, name: str, error: WorkflowFailureError) -> Progress:
        """Return the progress of an experiment that was cancelled; raise why another one failed."""
        if isinstance(error.cause, CancelledError | TerminatedError):
            progress = await self.tally(name) or Progress()
            progress.stopped = progress.stopped or STOPPED
            return progress
        cause = error.cause.__cause__ or error.cause
        text = cause.message if isinstance(cause, ApplicationError) else str(cause)
        raise EngineError(f"experiment {name} could not be held: {text[:300]}")

    def _unknown(self, name: str) -> BadInput:
        return BadInput(
            f"experiment {name} is not under way on {self.address}; go on with: "
            f"{command('experiment resume', repr(name), cluster=True)}"
        )

    def _handle(self, name: str) -> WorkflowHandle[ExperimentFlow, Progress]:
        return self.client.get_workflow_handle_for(ExperimentFlow.run, self._id(name))

    def _id(self, name: str) -> str:
        return f"{self.options.queue}/{EXPERIMENT}/{name}"


ACTIVITIES = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY


def priority_key(priority: int) -> int:
    """Return Temporal's priority for one of ours: higher goes first here, lower there.

    The very highest is left to debates that were begun and lost their worker.
    """
    return min(LOWEST, max(HIGHEST + 1, USUAL - priority))


def own_name() -> str:
    """Return the name under which other processes know this one."""
    # In containers, host names and process numbers recur.
    return f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:4]}"
