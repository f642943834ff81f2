"""`POST /api/chat`: a question for the panel; and `POST /api/quote`: what it would cost."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from mutual_dissent.surfaces.facts.quotes import QuotedDebate, quoted_debate
from mutual_dissent.surfaces.http.backend import Caller, HostedBackend, caller_of
from mutual_dissent.surfaces.rest.brief import brief_of
from mutual_dissent.surfaces.rest.idempotency import Repeats, SessionPlan
from mutual_dissent.surfaces.rest.input.json_body import body_of, takes
from mutual_dissent.surfaces.rest.input.parameters import IdempotencyKey, Prefer
from mutual_dissent.surfaces.rest.input.requests import Debate
from mutual_dissent.surfaces.rest.session_state import STATES, as_json, state

EXAMPLE = {
    "message": "Should a small team start with a monolith?",
    "mode": "consensus",
    "panel": ["claude", "gpt", "gemini"],
    "maxCostUsd": 0.5,
}

LINKED = (
    "get_session events account four_layers rounds responses citations export pause stop tell "
    "resume go_on synthesize ask_again outcome decide conversation delete_session"
).split()
LINKS = {
    name: {"operationId": name, "parameters": {"session_id": "$response.body#/sessionId"}}
    for name in LINKED
}
"""OpenAPI links: next calls for the session that was started."""


def add(router: APIRouter, hosted: HostedBackend, once: Repeats) -> None:
    """Add the routes."""
    desk = Chat(hosted, once)
    router.post(
        "/chat",
        status_code=202,
        responses={code: {**said, "links": LINKS} for code, said in STATES.items()},
        tags=["chat"],
        summary="Ask the panel",
        openapi_extra=takes(Debate, EXAMPLE),
    )(desk.chat)
    router.post(
        "/quote",
        response_model=QuotedDebate,
        tags=["chat"],
        summary="Say what a debate would cost",
        openapi_extra=takes(Debate, EXAMPLE),
    )(desk.quote)


class Chat:
    """Routes that take questions."""

    def __init__(self, hosted: HostedBackend, once: Repeats) -> None:
        self._hosted, self._once = hosted, once

    async def chat(
        self, request: Request, prefer: Prefer = None, idempotency_key: IdempotencyKey = None
    ) -> Response:
        """Start a debate; it goes on whoever listens.

        The answer comes at once with the session's address or, with `Prefer: wait=N`, when the
        debate is over.
        """
        wanted = await body_of(request, Debate)

        async def planned() -> SessionPlan:
            return await self._plan(wanted, caller_of(request))

        done = await self._once.once(request, idempotency_key, wanted, planned)
        return await state(self._hosted, done.name, prefer, replayed=done.before)

    async def quote(self, request: Request) -> Response:
        """Return who would be asked, and calls, tokens and dollars at most; nobody is asked.

        Except with the preset `auto`: one model is asked then, and paid, for the procedure that
        it proposes.
        """
        wanted = await body_of(request, Debate)
        brief = await brief_of(self._hosted, wanted, caller_of(request))
        return as_json(quoted_debate(self._hosted.md.quote(brief), brief))

    async def _plan(self, wanted: Debate, caller: Caller) -> SessionPlan:
        sessions = self._hosted.sessions
        sessions.check_room()
        brief = await brief_of(self._hosted, wanted, caller)
        return SessionPlan(brief.transcript_id, lambda: sessions.begin(brief, owner=caller.name))
