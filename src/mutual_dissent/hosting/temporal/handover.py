"""A single debate as a workflow of its own: begun, waited for and cancelled."""

from __future__ import annotations

import asyncio
import logging

from temporalio.client import WorkflowFailureError
from temporalio.common import Priority, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from mutual_dissent.hosting.temporal.adapter import TemporalEngine
from mutual_dissent.hosting.temporal.connection import translate_errors
from mutual_dissent.hosting.temporal.debate import DebateFlow
from mutual_dissent.hosting.temporal.experiment import TASK
from mutual_dissent.hosting.temporal.payloads import HIGHEST, RUNNING, Given, attributes

log = logging.getLogger("mutual_dissent.server")

AGAIN = 2.0
"""Seconds until a server that was away is asked again."""

SOON = Priority(priority_key=HIGHEST + 1)
"""A client waits for it: it goes before the debates of usual experiments."""


async def hand_over(engine: TemporalEngine, transcript_id: str, mode: str) -> None:
    """Have a worker hold a debate that is on record; one that is under way is left as it is.

    Raises:
        EngineError: if the server does not take it.
    """
    given = Given(
        transcript_id=transcript_id,
        lease=engine.options.lease,
        mode=mode,
        indexed=engine.indexed,
    )
    with translate_errors(engine.address):
        try:
            await engine.client.start_workflow(
                DebateFlow.run,
                given,
                id=transcript_id,
                task_queue=engine.options.queue,
                id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                task_timeout=TASK,
                search_attributes=attributes(given, RUNNING),
                priority=SOON,
            )
        except WorkflowAlreadyStartedError:
            return


async def over(engine: TemporalEngine, transcript_id: str) -> None:
    """Wait until a debate's workflow has ended, with an answer or without."""
    handle = engine.client.get_workflow_handle(transcript_id)
    while True:
        try:
            await handle.result()
        except WorkflowFailureError as e:
            log.warning("debate %s ended without an answer: %s", transcript_id[:8], e.cause or e)
            return
        except RPCError as e:
            if e.status is RPCStatusCode.NOT_FOUND:
                return
            await asyncio.sleep(AGAIN)
        else:
            return


async def taken_back(engine: TemporalEngine, transcript_id: str) -> None:
    """Let a debate come to rest after its running calls, or not begin.

    Raises:
        EngineError: if the server does not answer, or knows nothing of it.
    """
    with translate_errors(engine.address):
        await engine.client.get_workflow_handle(transcript_id).cancel()
