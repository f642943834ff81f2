"""Routes that control a session: pause, resume, stop, tell, continue, outcome, decide, ..."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response

from mutual_dissent.core.errors import NotAsked
from mutual_dissent.core.events import Status
from mutual_dissent.surfaces.facts.decisions import Counted, count
from mutual_dissent.surfaces.http.backend import HostedBackend, caller_of
from mutual_dissent.surfaces.rest.brief import check_seats, limits_of
from mutual_dissent.surfaces.rest.idempotency import Repeats, SessionPlan
from mutual_dissent.surfaces.rest.input.json_body import body_of, takes
from mutual_dissent.surfaces.rest.input.parameters import IdempotencyKey, Prefer, SessionId
from mutual_dissent.surfaces.rest.input.requests import (
    Analyze,
    AskAgain,
    Decide,
    GoingOn,
    GoOn,
    Limits,
    Outcome,
    OwnAnswer,
    Remark,
    Synthesize,
)
from mutual_dissent.surfaces.rest.session_state import (
    STATES,
    Until,
    as_json,
    never,
    session_state,
    state,
)
from mutual_dissent.surfaces.rest.shapes import OwnTurn, Session
from mutual_dissent.views.readiness import only_read

Work = Callable[..., Awaitable[str]]
HERE = "/sessions/{session_id}"
ORDERS: dict[str, Any] = {"status_code": 202, "responses": STATES, "tags": ["orders"]}


def add(router: APIRouter, hosted: HostedBackend, once: Repeats) -> None:
    """Add the routes."""
    desk = SessionActions(hosted, once)
    post: Callable[..., Any] = partial(router.post, **ORDERS)
    post(f"{HERE}/pause", summary="Pause a session")(desk.pause)
    post(f"{HERE}/stop", summary="Stop a session")(desk.stop)
    post(f"{HERE}/hurry", summary="Wait no longer for late panelists")(desk.hurry)
    post(
        f"{HERE}/resume",
        summary="Resume a session",
        openapi_extra=takes(GoingOn, {"maxCostUsd": 1.0}, optional=True),
    )(desk.resume)
    post(
        f"{HERE}/continue",
        summary="Hold further rounds",
        openapi_extra=takes(GoOn, {"rounds": 1, "remark": "Think of the costs."}, optional=True),
    )(desk.go_on)
    post(
        f"{HERE}/synthesize",
        summary="Write the answer, or write it anew",
        openapi_extra=takes(Synthesize, {"synthesizer": "gpt"}, optional=True),
    )(desk.synthesize)
    post(
        f"{HERE}/analyze",
        summary="Have the debate read by an analyst",
        openapi_extra=takes(Analyze, {"analyst": "gpt"}, optional=True),
    )(desk.analyze)
    post(
        f"{HERE}/again",
        summary="Ask a panelist again",
        openapi_extra=takes(AskAgain, {"key": "0/initial/claude"}),
    )(desk.ask_again)
    post(
        f"{HERE}/tell",
        summary="Tell the panel something",
        openapi_extra=takes(Remark, {"remark": "The budget is 500 dollars."}),
    )(desk.tell)
    post(
        f"{HERE}/answer",
        summary="Answer as a panelist",
        openapi_extra=takes(OwnAnswer, {"key": "0/initial/me", "fields": {"answer": "Tabs."}}),
    )(desk.answer)
    router.get(
        f"{HERE}/turn",
        response_model=OwnTurn,
        tags=["sessions"],
        summary="Read what you are asked as a panelist",
    )(desk.turn)
    router.post(
        f"{HERE}/outcome",
        response_model=Session,
        tags=["orders"],
        summary="Say how it turned out",
        openapi_extra=takes(Outcome, {"outcome": "right"}),
    )(desk.outcome)
    router.post(
        f"{HERE}/decide",
        response_model=Counted,
        tags=["orders"],
        summary="Count the ballots again",
        openapi_extra=takes(Decide, {"rule": "schulze"}, optional=True),
    )(desk.decide)


class SessionActions:
    """Runs actions on sessions. Those that spend money run once per idempotency key."""

    def __init__(self, hosted: HostedBackend, once: Repeats) -> None:
        self._hosted, self._once = hosted, once

    async def pause(self, session_id: SessionId, prefer: Prefer = None) -> Response:
        """Let the calls in flight end, then hold; `resume` goes on."""
        name = await self._hosted.sessions.pause(session_id)
        return await state(self._hosted, name, prefer, until=never)

    async def stop(self, session_id: SessionId, prefer: Prefer = None) -> Response:
        """End the spending at once; what was answered is kept, and `resume` goes on."""
        name = await self._hosted.sessions.stop(session_id)
        return await state(self._hosted, name, prefer, until=never)

    async def hurry(self, session_id: SessionId) -> Response:
        """Go on without those who have not answered, as soon as there are enough answers."""
        return await state(self._hosted, self._hosted.sessions.hurry(session_id))

    async def tell(self, request: Request, session_id: SessionId) -> Response:
        """The panel hears it with the next requests."""
        wanted = await body_of(request, Remark)
        return await state(self._hosted, self._hosted.sessions.tell(session_id, wanted.remark))

    async def outcome(self, request: Request, session_id: SessionId) -> Response:
        """A finished session's answer was right or wrong, or what the true value is.

        What was said before is replaced; no model is asked.
        """
        wanted = await body_of(request, Outcome)
        t = await self._hosted.md.resolve(session_id, wanted.outcome, note=wanted.note)
        return as_json(session_state(t))

    async def turn(self, request: Request, session_id: SessionId) -> Response:
        """Return the request that waits for the caller, who sits on the panel as `me`."""
        t = self._hosted.sessions.transcript(session_id)
        is_own = t.brief.owner == caller_of(request).name
        waits = self._hosted.sessions.desk.request(t.transcript_id) if is_own else None
        seat = t.brief.me.seat if t.brief.me else None
        return as_json(OwnTurn(seat=seat, request=waits))

    async def answer(self, request: Request, session_id: SessionId) -> Response:
        """Hand in the caller's own answer, or pass; the debate goes on by itself."""
        wanted = await body_of(request, OwnAnswer)
        name = self._hosted.md.store.find(session_id, to_change=True)
        if self._hosted.sessions.transcript(name).brief.owner != caller_of(request).name:
            raise NotAsked(name)
        reply = None if wanted.skip else wanted.fields
        self._hosted.sessions.desk.answer(name, wanted.key, reply)
        return await state(self._hosted, name)

    async def decide(self, request: Request, session_id: SessionId) -> Response:
        """The ballots under another rule; no model is asked, and the session stays as it is."""
        wanted = await body_of(request, Decide, optional=True)
        return as_json(count(self._hosted.sessions.transcript(session_id), wanted.rule))

    async def resume(
        self,
        request: Request,
        session_id: SessionId,
        prefer: Prefer = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Response:
        """Go on with what was paused, stopped or interrupted; nothing is bought twice.

        A session that is finished stays as it is: the answer is 200, and nobody is asked.
        """
        wanted = await body_of(request, GoingOn, optional=True)
        order = _Order(wanted, prefer, idempotency_key)
        past = self._hosted.sessions.transcript(session_id)
        ended = past.status is Status.COMPLETED and not self._hosted.sessions.is_live(session_id)
        if ended and not wanted.late:
            return await state(self._hosted, past.transcript_id, prefer)
        work = partial(self._hosted.sessions.resume, late=wanted.late)
        return await self._obey(request, session_id, order, work)

    async def go_on(
        self,
        request: Request,
        session_id: SessionId,
        prefer: Prefer = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Response:
        """Hold further rounds of a finished debate, and have its answer written anew."""
        wanted = await body_of(request, GoOn, optional=True)
        work = partial(self._hosted.sessions.go_on, rounds=wanted.rounds, remark=wanted.remark)
        order = _Order(wanted, prefer, idempotency_key)
        return await self._obey(request, session_id, order, work)

    async def synthesize(
        self,
        request: Request,
        session_id: SessionId,
        prefer: Prefer = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Response:
        """Have the answer of a finished debate written; an older text is kept."""
        wanted = await body_of(request, Synthesize, optional=True)
        work = partial(self._hosted.sessions.synthesize, synthesizer=wanted.synthesizer)
        order = _Order(wanted, prefer, idempotency_key)
        return await self._obey(request, session_id, order, work)

    async def analyze(
        self,
        request: Request,
        session_id: SessionId,
        prefer: Prefer = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Response:
        """Have a finished debate read, again or for the first time; its answer stays as it is."""
        wanted = await body_of(request, Analyze, optional=True)
        work = partial(self._hosted.sessions.analyze, analyst=wanted.analyst)
        order = _Order(wanted, prefer, idempotency_key, until=never)
        return await self._obey(request, session_id, order, work)

    async def ask_again(
        self,
        request: Request,
        session_id: SessionId,
        prefer: Prefer = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Response:
        """Have a turn of a finished debate taken again, and go on from there; the old is kept."""
        wanted = await body_of(request, AskAgain)
        work = partial(self._hosted.sessions.ask_again, key=wanted.key)
        order = _Order(wanted, prefer, idempotency_key)
        return await self._obey(request, session_id, order, work)

    async def _obey(self, request: Request, name: str, order: _Order, work: Work) -> Response:
        caller = caller_of(request)

        async def planned() -> SessionPlan:
            past = self._hosted.sessions.transcript(name)
            names = (getattr(order.wanted, n, None) for n in ("synthesizer", "analyst"))
            check_seats(self._hosted, past, *names)
            limits: dict[str, Any] = limits_of(past, order.wanted, caller)
            full = past.transcript_id
            return SessionPlan(full, lambda: work(full, **limits, owner=caller.name))

        done = await self._once.once(request, order.key, order.wanted, planned)
        return await state(
            self._hosted, done.name, order.prefer, replayed=done.before, until=order.until
        )


@dataclass(frozen=True, slots=True)
class _Order:
    """A requested action: its limits, the wait of its client, and its idempotency key."""

    wanted: Limits
    prefer: str | None
    key: str | None
    until: Until = only_read
