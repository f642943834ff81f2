"""What a worker counts of its own debates, beside what Temporal's own library counts of it."""

from __future__ import annotations

from typing import Any

from temporalio import activity
from temporalio.common import MetricMeter
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from mutual_dissent.hosting.temporal.payloads import HOLD, Outcome

FIRST = "1"
"""What Temporal calls the first activity of a workflow."""

NOT_NOW = "left"
"""How a debate ends here that another worker goes on with."""


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
        """Stand before every activity."""
        return _Counted(next, self)

    def begun(self, *, again: bool) -> None:
        """A debate was taken."""
        self.held += 1
        self.holds.set(self.held)
        if again:
            self.again.add(1)

    def over(self, status: str) -> None:
        """A debate is not held here any more."""
        self.held -= 1
        self.holds.set(self.held)
        self.ended.add(1, {"status": status})


class _Counted(ActivityInboundInterceptor):
    def __init__(self, next: ActivityInboundInterceptor, counts: Counts) -> None:  # noqa: A002
        super().__init__(next)
        self.counts = counts

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002
        """Have an activity done; debates are counted."""
        info = activity.info()
        if info.activity_type != HOLD:
            return await super().execute_activity(input)
        self.counts.begun(again=info.attempt > 1 or info.activity_id != FIRST)
        status = NOT_NOW
        try:
            found = await super().execute_activity(input)
            status = found.status if isinstance(found, Outcome) else NOT_NOW
            return found
        finally:
            self.counts.over(status)
