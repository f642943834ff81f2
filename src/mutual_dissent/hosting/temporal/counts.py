"""Metrics of a worker's own debates, beside those that Temporal's library keeps."""

from __future__ import annotations

from typing import Any

from temporalio import activity
from temporalio.common import MetricMeter
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from mutual_dissent.hosting.temporal.payloads import HOLD, DebateOutcome

FIRST = "1"
"""Temporal's id of the first activity of a workflow."""

NOT_NOW = "left"
"""The status of a debate that another worker goes on with."""


class Counts(Interceptor):
    """Counts the debates that a worker holds."""

    def __init__(self, meter: MetricMeter, capacity: int) -> None:
        self.held = 0
        self.holds = meter.create_gauge("dissent_worker_debates", "Debates that it holds now.")
        self.ended = meter.create_counter(
            "dissent_worker_debates_ended",
            "Debates that it has held, by how they ended; left: others go on with them.",
        )
        self.again = meter.create_counter(
            "dissent_worker_debates_taken_over",
            "Debates that it took up after another worker, or an earlier attempt of its own.",
        )
        room = meter.create_gauge("dissent_worker_capacity", "Debates that it holds at once.")
        room.set(capacity)
        self.holds.set(0)

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 - Temporal's name
        """Count every activity before it runs."""
        return _Counted(next, self)

    def count_start(self, *, again: bool) -> None:
        """Count a debate that was taken."""
        self.held += 1
        self.holds.set(self.held)
        if again:
            self.again.add(1)

    def over(self, status: str) -> None:
        """Count a debate that is not held here any more."""
        self.held -= 1
        self.holds.set(self.held)
        self.ended.add(1, {"status": status})


class _Counted(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, counts: Counts) -> None:  # noqa: A002
        super().__init__(next)
        self.counts = counts

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002
        """Run an activity; debates are counted."""
        info = activity.info()
        if info.activity_type != HOLD:
            return await super().execute_activity(input)
        # Once a worker is lost, the workflow holds the debate in a second activity.
        self.counts.count_start(again=info.attempt > 1 or info.activity_id != FIRST)
        status = NOT_NOW
        try:
            outcome = await super().execute_activity(input)
            status = outcome.status if isinstance(outcome, DebateOutcome) else NOT_NOW
            return outcome
        finally:
            self.counts.over(status)
