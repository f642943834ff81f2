"""Waits for a debate: the client gets every event, and a heartbeat in between."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any

import anyio

from mutual_dissent.core.errors import BadInput, DissentError, NotAsked
from mutual_dissent.core.events import (
    Answered,
    Asked,
    Closed,
    Event,
    Noted,
    Opened,
    Remarked,
    Reopened,
    RoundEnded,
    RoundStarted,
)
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.sheet import Reply
from mutual_dissent.hosting.desk import OpenRequest, UserDesk
from mutual_dissent.surfaces.mcp.elicitation import InputNeeded
from mutual_dissent.surfaces.mcp.tool_call import Call
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import round_name

HEARTBEAT = 10.0
"""Seconds between two heartbeats."""

TRIES = 4
"""Attempts to stop a debate; a stop sent while it starts can be lost."""

Until = Callable[[Transcript], bool]


async def watch_debate(
    call: Call, name: str, seconds: float, until: Until = lambda _: False
) -> Transcript:
    """Return a debate when it is over, `until` holds, or the time is up."""
    is_live, t = call.sessions.is_live(name), call.sessions.transcript(name)
    if not seconds or not is_live or until(t):
        return t
    asked: list[OpenRequest] = []
    with anyio.move_on_after(seconds) as patience:
        async with anyio.create_task_group() as beside:
            beside.start_soon(_heartbeats, call, name)
            if call.user and t.brief.me and call.owns(name):
                beside.start_soon(_ask_user, call, name, patience, seconds, asked)
            await _report(call, name, t.last_seq, until)
            beside.cancel_scope.cancel()
    if asked:
        raise InputNeeded(asked[0])
    return call.sessions.transcript(name)


async def _ask_user(
    call: Call, name: str, patience: anyio.CancelScope, seconds: float, asked: list[OpenRequest]
) -> None:
    """Ask the user on the panel whenever it is its turn; meanwhile the call waits for it.

    Args:
        patience: what ends the wait of the call; where the question is its result, at once.
        asked: gets the question that is to be the result.
    """
    desk, user = call.sessions.desk, call.user
    assert user is not None
    problem = ""
    while True:
        request = await desk.next(name)
        # A person may think for longer than the call would wait for models.
        patience.deadline = math.inf
        try:
            reply = await _unless_closed(desk, request, user.ask(request, problem))
            desk.answer(name, request.key, reply)
        except InputNeeded as e:
            asked.append(e.request)
            patience.cancel()
            return
        except NotAsked:
            problem = ""
        except BadInput as e:
            problem = f"This cannot be used yet: {e.sentence}."
            continue
        problem = ""
        await desk.wait_closed(request)
        patience.deadline = anyio.current_time() + seconds


async def _unless_closed(
    desk: UserDesk, request: OpenRequest, asking: Coroutine[Any, Any, Reply | None]
) -> Reply | None:
    """The reply of the user, while it is waited for; None from then on."""
    answer, closed = asyncio.ensure_future(asking), asyncio.ensure_future(desk.wait_closed(request))
    try:
        await asyncio.wait({answer, closed}, return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else None
    finally:
        answer.cancel()
        closed.cancel()


async def _report(call: Call, name: str, after: int, until: Until) -> None:
    async with aclosing(call.sessions.follow(name, after)) as batches:
        async for batch in batches:
            for event in batch.events:
                await call.tell(sentence(event, call.sessions.transcript(name).brief.mode))
            if batch.events and until(call.sessions.transcript(name)):
                return


async def _heartbeats(call: Call, name: str) -> None:
    while True:
        await anyio.sleep(HEARTBEAT)
        t = call.sessions.transcript(name)
        await call.tell(f"{t.status.value}; {len(t.answered)} answers, {len(t.pending)} under way")


@asynccontextmanager
async def begin_debate(call: Call, start: Awaitable[str]) -> AsyncGenerator[str, None]:
    """Start a debate and yield its id; a cancelled call stops it.

    Its answers are kept, and the debate can be resumed.
    """
    starting = asyncio.ensure_future(start)
    try:
        # Not cancelled with the call: to stop a debate that is just being opened takes its id.
        yield await asyncio.shield(starting)
    except asyncio.CancelledError:
        with anyio.CancelScope(shield=True), suppress(DissentError):
            await _stop(call, await starting)
        raise


async def _stop(call: Call, name: str) -> None:
    for _ in range(TRIES):
        with suppress(DissentError):  # it has ended by itself, or has not begun yet
            await call.sessions.stop(name)
        await call.sessions.wait(name, 1.0)
        if not call.sessions.is_live(name):
            return


def sentence(event: Event, mode: str) -> str:
    """Describe an event for a client that waits."""
    match event:
        case Opened() | Reopened():
            return "the debate is on record"
        case RoundStarted(round_number=n, role=role, seats=seats):
            return one_line(f"beginning of {round_name(n, role, mode)}: {', '.join(seats)}")
        case Asked(seat=seat):
            return one_line(f"{seat} is asked")
        case Answered(seat=seat, response=r) if r.chosen:
            return one_line(f"the answer of {seat} is chosen: {r.chosen.reason}")
        case Answered(seat=seat, response=r):
            return one_line(f"{seat} has answered" if r.usable else f"{seat} failed: {r.error}")
        case RoundEnded(round_number=n, role=role):
            return one_line(f"end of {round_name(n, role, mode)}")
        case Noted(text=text):
            return one_line(text)
        case Remarked():
            return "the panel was told something"
        case Closed(status=status):
            return f"the debate is {status.value}"
        case _:
            return event.kind
