"""Waits for a debate: the client gets every event, and a heartbeat in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress

import anyio

from mutual_dissent.core.errors import DissentError
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
    with anyio.move_on_after(seconds):
        async with anyio.create_task_group() as beside:
            beside.start_soon(_heartbeats, call, name)
            await _report(call, name, t.last_seq, until)
            beside.cancel_scope.cancel()
    return call.sessions.transcript(name)


async def _report(call: Call, name: str, after: int, until: Until) -> None:
    async with aclosing(call.sessions.follow(name, after)) as batches:
        async for batch in batches:
            for event in batch.events:
                await call.tell(sentence(event))
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


def sentence(event: Event) -> str:
    """Describe an event for a client that waits."""
    match event:
        case Opened() | Reopened():
            return "the debate is on record"
        case RoundStarted(round_number=n, role=role, seats=seats):
            return one_line(f"beginning of {round_name(n, role)}: {', '.join(seats)}")
        case Asked(seat=seat):
            return one_line(f"{seat} is asked")
        case Answered(seat=seat, response=r) if r.chosen:
            return one_line(f"the answer of {seat} is chosen: {r.chosen.reason}")
        case Answered(seat=seat, response=r):
            return one_line(f"{seat} has answered" if r.usable else f"{seat} failed: {r.error}")
        case RoundEnded(round_number=n, role=role):
            return one_line(f"end of {round_name(n, role)}")
        case Noted(text=text):
            return one_line(text)
        case Remarked():
            return "the panel was told something"
        case Closed(status=status):
            return f"the debate is {status.value}"
        case _:
            return event.kind
