"""Orders: pause, resume and stop a session, tell its panel something, go on, synthesize, decide."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import APIRouter, Request, Response

from mutual_dissent.surfaces.api.answering import STATES, as_json, state
from mutual_dissent.surfaces.api.asking import check_seats, limits_of
from mutual_dissent.surfaces.api.bodies import body_of, takes
from mutual_dissent.surfaces.api.parameters import IdempotencyKey, Prefer, SessionId
from mutual_dissent.surfaces.api.repeats import Plan, Repeats
from mutual_dissent.surfaces.api.shapes import Counted
from mutual_dissent.surfaces.api.wanted import Decide, GoOn, Limits, Remark, Synthesize
from mutual_dissent.surfaces.facts.decisions import count
from mutual_dissent.surfaces.server.hosted import Hosted, caller_of

HERE = "/sessions/{session_id}"
ORDERS: dict[str, Any] = {"status_code": 202, "responses": STATES, "tags": ["orders"]}


def add(router: APIRouter, hosted: Hosted, once: Repeats) -> None:
    """Add the routes."""
    _brakes(router, hosted)
    _further(router, hosted, once)

    @router.post(
        f"{HERE}/tell",
        **ORDERS,
        summary="Tell the panel something",
        openapi_extra=takes(Remark, {"remark": "The budget is 500 dollars."}),
    )
    async def tell(request: Request, session_id: SessionId) -> Response:
        """The panel hears it with the next requests."""
        wanted = await body_of(request, Remark)
        return await state(hosted, hosted.sessions.tell(session_id, wanted.remark))

    @router.post(
        f"{HERE}/decide",
        response_model=Counted,
        tags=["orders"],
        summary="Count the ballots again",
        openapi_extra=takes(Decide, {"rule": "schulze"}, optional=True),
    )
    async def decide(request: Request, session_id: SessionId) -> Response:
        """The ballots under another rule; no model is asked, and the session stays as it is."""
        wanted = await body_of(request, Decide, optional=True)
        return as_json(count(hosted.sessions.transcript(session_id), wanted.rule).plain)


def _brakes(router: APIRouter, hosted: Hosted) -> None:
    """What ends or holds the spending."""

    @router.post(f"{HERE}/pause", **ORDERS, summary="Pause a session")
    async def pause(session_id: SessionId, prefer: Prefer = None) -> Response:
        """Let the calls in flight end, then hold; `resume` goes on."""
        return await state(hosted, hosted.sessions.pause(session_id), prefer)

    @router.post(f"{HERE}/stop", **ORDERS, summary="Stop a session")
    async def stop(session_id: SessionId, prefer: Prefer = None) -> Response:
        """End the spending at once; what was answered is kept, and `resume` goes on."""
        return await state(hosted, await hosted.sessions.stop(session_id), prefer)


def _further(router: APIRouter, hosted: Hosted, once: Repeats) -> None:
    """What spends more."""
    sessions = hosted.sessions

    async def ordered(
        request: Request,
        name: str,
        wanted: Limits,
        headers: tuple[str | None, str | None],
        work: Callable[..., Awaitable[str]],
    ) -> Response:
        prefer, key = headers
        caller = caller_of(request)

        async def planned() -> Plan:
            past = sessions.transcript(name)
            check_seats(hosted, past, getattr(wanted, "synthesizer", None))
            limits: dict[str, Any] = limits_of(past, wanted, caller)
            full = past.transcript_id
            return Plan(full, lambda: work(full, **limits, owner=caller.name))

        done = await once.once(request, key, wanted, planned)
        return await state(hosted, done.name, prefer, replayed=done.before)

    @router.post(
        f"{HERE}/resume",
        **ORDERS,
        summary="Resume a session",
        openapi_extra=takes(Limits, {"maxCostUsd": 1.0}, optional=True),
    )
    async def resume(
        request: Request,
        session_id: SessionId,
        prefer: Prefer = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Response:
        """Go on with what was paused, stopped or interrupted; nothing is bought twice."""
        wanted = await body_of(request, Limits, optional=True)
        both = (prefer, idempotency_key)
        return await ordered(request, session_id, wanted, both, sessions.resume)

    @router.post(
        f"{HERE}/continue",
        **ORDERS,
        summary="Hold further rounds",
        openapi_extra=takes(GoOn, {"rounds": 1, "remark": "Think of the costs."}, optional=True),
    )
    async def go_on(
        request: Request,
        session_id: SessionId,
        prefer: Prefer = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Response:
        """Hold further rounds of a finished debate, and have its answer written anew."""
        wanted = await body_of(request, GoOn, optional=True)
        both = (prefer, idempotency_key)

        def work(full: str, **limits: Any) -> Awaitable[str]:
            return sessions.go_on(full, rounds=wanted.rounds, remark=wanted.remark, **limits)

        return await ordered(request, session_id, wanted, both, work)

    @router.post(
        f"{HERE}/synthesize",
        **ORDERS,
        summary="Write the answer, or write it anew",
        openapi_extra=takes(Synthesize, {"synthesizer": "gpt"}, optional=True),
    )
    async def synthesize(
        request: Request,
        session_id: SessionId,
        prefer: Prefer = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Response:
        """Have the answer of a finished debate written; an older text is kept."""
        wanted = await body_of(request, Synthesize, optional=True)
        both = (prefer, idempotency_key)

        def work(full: str, **limits: Any) -> Awaitable[str]:
            return sessions.synthesize(full, synthesizer=wanted.synthesizer, **limits)

        return await ordered(request, session_id, wanted, both, work)
