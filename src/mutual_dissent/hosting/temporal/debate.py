"""The workflow of one debate: one worker after the other holds it until it has ended."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from datetime import timedelta

from temporalio import workflow
from temporalio.common import Priority, RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception

from mutual_dissent.core.events import Status
from mutual_dissent.hosting.temporal.payloads import (
    DEBATE,
    HIGHEST,
    HOLD,
    OF_COST,
    OF_STATUS,
    USUAL,
    DebateOutcome,
    Given,
)

LONGEST = timedelta(days=365)
"""Nothing is cut off by Temporal: a debate knows its own limits."""

SOON = timedelta(milliseconds=300)
"""Delay of the next attempt, after a worker fell silent or failed."""

SILENCE = timedelta(seconds=45)
"""The longest that Temporal waits for a heartbeat. A debate that it handed to a worker in the
moment that worker left waits that long, however long leases are; the record says who may go on."""

PER_LEASE = 3
"""The longest pause between two attempts is this part of a lease."""


@workflow.defn(name=DEBATE)
class DebateFlow:
    """One debate. Its id is the workflow's id, so that no two workflows hold it."""

    @workflow.run
    async def run(self, given: Given) -> DebateOutcome:
        """Have it held to its end. A debate without an answer fails, and may be begun again."""
        try:
            # One attempt: a retry would keep its priority, where a new activity can have another.
            outcome = await _hold(given, workflow.info().priority, attempts=1)
        except ActivityError as e:
            if is_cancelled_exception(e):
                raise
            if workflow.cancellation_reason() is not None:  # a retry would hold it to its end
                raise asyncio.CancelledError from e
            # Its worker died or left. What was begun goes before what waits.
            outcome = await _hold(given, sooner(workflow.info().priority), attempts=0)
        if given.indexed:
            workflow.upsert_search_attributes(
                [OF_STATUS.value_set(outcome.status), OF_COST.value_set(outcome.cost)]
            )
        if outcome.status == Status.COMPLETED.value:
            return outcome
        if workflow.cancellation_reason() is not None:
            raise asyncio.CancelledError
        raise ApplicationError(
            outcome.reason, asdict(outcome), type=outcome.status, non_retryable=True
        )


async def _hold(given: Given, priority: Priority, attempts: int) -> DebateOutcome:
    lease = timedelta(seconds=given.lease)
    outcome: DebateOutcome = await workflow.execute_activity(
        HOLD,
        given,
        result_type=DebateOutcome,
        start_to_close_timeout=LONGEST,
        heartbeat_timeout=min(lease, SILENCE),
        retry_policy=RetryPolicy(
            initial_interval=SOON,
            maximum_interval=max(SOON, lease / PER_LEASE),
            maximum_attempts=attempts,  # 0: without end
        ),
        # Until the worker has let go: only then is the id, and with it the debate, free.
        cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        priority=priority,
    )
    return outcome


def sooner(priority: Priority) -> Priority:
    """The next higher of Temporal's priorities."""
    return replace(priority, priority_key=max(HIGHEST, (priority.priority_key or USUAL) - 1))
