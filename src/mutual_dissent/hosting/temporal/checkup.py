"""Problems of an engine, and what to do about them; and its figures for monitoring."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from temporalio.api.enums.v1 import WorkerVersioningMode
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import WorkflowExecutionStatus
from temporalio.service import RPCError

from mutual_dissent.core.values.terms import at_terminal
from mutual_dissent.hosting.engine import Roster
from mutual_dissent.hosting.temporal.adapter import ACTIVITIES, TemporalEngine
from mutual_dissent.hosting.temporal.connection import translate_errors
from mutual_dissent.hosting.temporal.payloads import DEBATE
from mutual_dissent.hosting.temporal.versions import (
    current,
    current_version,
    deployment_name,
    how_to_switch,
)
from mutual_dissent.store.diagnosis import Finding

KIND = "engine"
SILENCE = timedelta(minutes=2)
"""Workers ask for work at least once a minute."""

AT_ONCE = 50
"""Debates that are looked up at the same time."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A look at an engine that can be reached."""

    engine: TemporalEngine

    async def findings(self) -> list[Finding]:
        """Return what is wrong with it.

        Raises:
            EngineError: if it does not answer any more.
        """
        findings = [self._of(self.engine.note)] if self.engine.note else []
        roster = await self.engine.roster()
        findings += [self._of(text) for text in self._idle(roster)]
        with translate_errors(self.engine.address):
            findings += [self._of(text) for text in await self._builds(roster)]
        return findings

    async def under_way(self, transcript_ids: Collection[str]) -> set[str]:
        """Return those of these debates that the engine holds: a worker will go on with them."""
        names, running = list(transcript_ids), set()
        for start in range(0, len(names), AT_ONCE):
            some = names[start : start + AT_ONCE]
            held = await asyncio.gather(*map(self._has, some))
            running |= {name for name, is_held in zip(some, held, strict=True) if is_held}
        return running

    async def _has(self, transcript_id: str) -> bool:
        try:
            described = await self.engine.client.get_workflow_handle(transcript_id).describe()
        except RPCError:  # unknown to the engine, or it cannot say
            return False
        return described.status is WorkflowExecutionStatus.RUNNING

    def _idle(self, roster: Roster) -> list[str]:
        """Report work that no worker takes."""
        if _alive(roster) or not (roster.waiting or roster.running or roster.experiments):
            return []
        text = (
            f"{roster.running or 0:,} debates of {len(roster.experiments):,} experiments are under "
            f"way and no worker takes from the queue {self.engine.options.queue!r}; run: "
            f"{at_terminal('worker', engine=str(self.engine.address))}"
        )
        return [text]

    async def _builds(self, roster: Roster) -> list[str]:
        """Report a current build that no worker has."""
        name = deployment_name(self.engine.options)
        chosen = await current(self.engine.client, name)
        there = await self._builds_at_work() if chosen and _alive(roster) else set()
        if not there or chosen in there:
            return []
        named = sorted(there - {""})
        if not named:
            text = (
                f"debates go to the build {chosen}, and no worker says which build it is; start "
                f"them with: {at_terminal('worker', build_id=str(chosen))}, or go back to workers "
                f"without builds with: {current_version(self.engine.address, name)}"
            )
            return [text]
        return [how_to_switch(self.engine.address, name, str(chosen), named[-1])]

    async def _builds_at_work(self) -> set[str]:
        """Return the builds of all workers; an empty name for those that do not say."""
        queue: Any = await self.engine.client.workflow_service.describe_task_queue(
            DescribeTaskQueueRequest(
                namespace=self.engine.address.namespace,
                task_queue=TaskQueue(name=self.engine.options.queue),
                task_queue_type=ACTIVITIES,
            )
        )
        versioned = WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED
        options = [p.deployment_options for p in queue.pollers]
        return {o.build_id if o.worker_versioning_mode == versioned else "" for o in options}

    def _of(self, text: str) -> Finding:
        return Finding(kind=KIND, subject=str(self.engine.address), text=text)


def _alive(roster: Roster) -> bool:
    """Return whether a worker polled lately: Temporal lists workers that are long gone."""
    late = datetime.now(UTC) - SILENCE
    return any(w.heard is not None and w.heard > late for w in roster.workers)


async def figures(engine: TemporalEngine) -> dict[str, float]:
    """Return the engine's figures by name.

    Raises:
        EngineError: if it does not answer.
    """
    roster = await engine.roster()
    queue = engine.options.queue.replace('"', "")
    ours = f'WorkflowType="{DEBATE}" AND TaskQueue="{queue}"'
    with translate_errors(engine.address):
        failed = await engine.client.count_workflows(f'{ours} AND ExecutionStatus="Failed"')
    return {
        "workers": len(roster.workers),
        "debates_waiting": roster.waiting or 0,
        "debates_under_way": roster.running or 0,
        "debates_failed": failed.count,
        "experiments_under_way": len(roster.experiments),
    }
