"""A Temporal worker: holds debates until it is told to leave, and then lets them rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta

from temporalio.common import MetricMeter
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Status
from mutual_dissent.engine.ending import RESTING, DebateEnding
from mutual_dissent.hosting.engine import Dealer, EngineError
from mutual_dissent.hosting.temporal.activities import Work
from mutual_dissent.hosting.temporal.adapter import TemporalEngine
from mutual_dissent.hosting.temporal.counts import Counts
from mutual_dissent.hosting.temporal.debate import SILENCE, DebateFlow
from mutual_dissent.hosting.temporal.experiment import ExperimentFlow
from mutual_dissent.hosting.temporal.versions import adopt_version, deployment
from mutual_dissent.store.postgres.leases import BEATS

STICKY = 3.0
"""Seconds that Temporal waits for the worker that knows a workflow, before it asks others."""


class TemporalWorker:
    """Holds up to `capacity` debates at once.

    Attributes:
        grace: seconds that calls in flight may take when it leaves.
        name: its name to other processes.
        build: the name of its build; empty if it is not versioned.
        note: why it gets no debates for now, and what to do; empty if it gets them.
    """

    def __init__(
        self,
        md: MutualDissent,
        engine: TemporalEngine,
        dealer: Dealer,
        capacity: int,
        grace: float = 0.0,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.md, self.engine, self.capacity, self.grace = md, engine, capacity, grace
        self.name, self.note = engine.client.identity, ""
        self._deployment = deployment(engine.options)
        self.build = self._deployment.version.build_id if self._deployment else ""
        self._leaving = asyncio.Event()
        self._work = Work(md, dealer, self._rest, warn)

    @property
    def held(self) -> int:
        """Number of debates that have ended with it."""
        return self._work.held

    def leave(self) -> None:
        """Take no more debates, let the calls in flight end, and leave the debates to others."""
        self._leaving.set()

    async def work(self, ready: Callable[[], None] = lambda: None) -> None:
        """Hold debates until `leave` is called. Cancelled, it gives up the calls in flight.

        Raises:
            EngineError: if the engine ends the work.
        """
        if self._deployment:
            version = self._deployment.version
            self.note = await adopt_version(self.engine.client, self.engine.address, version)
        worker = self._made()
        self.md.rest = self._rest
        run = asyncio.create_task(worker.run())
        leaving = asyncio.create_task(self._leaving.wait())
        try:
            ready()
            await asyncio.wait([run, leaving], return_when=asyncio.FIRST_COMPLETED)
            if run.done():
                await run
        except RuntimeError as e:
            why = str(e.__cause__ or e)[:200]
            raise EngineError(f"{self.engine.address} ended the work: {why}") from None
        finally:
            leaving.cancel()
            if not run.done():
                await worker.shutdown()
                await asyncio.wait([run])
            self.md.rest = lambda: None

    def _made(self) -> Worker:
        beat = min(timedelta(seconds=self.engine.options.lease), SILENCE) / BEATS
        return Worker(
            self.engine.client,
            task_queue=self.engine.options.queue,
            workflows=[DebateFlow, ExperimentFlow],
            activities=self._work.every,
            workflow_runner=UnsandboxedWorkflowRunner(),  # ours are known to be sound
            max_concurrent_activities=self.capacity,
            graceful_shutdown_timeout=timedelta(seconds=self.grace),
            sticky_queue_schedule_to_start_timeout=min(timedelta(seconds=STICKY), beat),
            # Orders come back with heartbeats: the library may not save them up for longer.
            max_heartbeat_throttle_interval=beat,
            default_heartbeat_throttle_interval=beat,
            deployment_config=self._deployment,
            interceptors=[Counts(self._meter(), self.capacity)],
        )

    def _meter(self) -> MetricMeter:
        """Return the meter that Temporal's library serves its own metrics with."""
        runtime = self.engine.client.service_client.config.runtime
        return runtime.metric_meter if runtime else MetricMeter.noop

    def _rest(self) -> DebateEnding | None:
        """Return how debates close that would ask something now; None if they may ask."""
        if self._leaving.is_set():
            return DebateEnding(Status.INTERRUPTED, RESTING, "its worker was stopped")
        if self.md.store.in_debt:  # what is bought now would be lost with this process
            return DebateEnding(
                Status.INTERRUPTED, RESTING, "its answers could not be put on record"
            )
        return None
