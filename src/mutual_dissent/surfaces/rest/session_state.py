"""State of a session as the API answers it, after waiting as long as the client allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from mutual_dissent.core.codec.camel import Shape, camel
from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.facts.accounts import answer_text, shown_answer
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.parameters import wait_of
from mutual_dissent.surfaces.rest.shapes import Links, Session
from mutual_dissent.views.account import account
from mutual_dissent.views.panel.ledger_names import named_ledger
from mutual_dissent.views.readiness import UNDER_WAY, analysis_of, only_read, up_to_answer

Until = Callable[[Transcript], bool]

WAITED = {
    "Preference-Applied": {
        "description": "The wait that was granted.",
        "schema": {"type": "string"},
    },
    "Location": {"description": "Where the session is.", "schema": {"type": "string"}},
    "Idempotency-Replayed": {
        "description": "`true` if this request was obeyed before.",
        "schema": {"type": "string"},
    },
}
STATES: dict[int | str, dict[str, Any]] = {
    200: {
        "model": Session,
        "description": "The answer is there, or it is over.",
        "headers": WAITED,
    },
    202: {"model": Session, "description": "It is under way.", "headers": WAITED},
}
"""OpenAPI responses of routes that answer with a session's state."""


def as_json(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a JSON response; field names become camel case."""
    plain = camel(value) if isinstance(value, Shape) else value
    return Response(to_bytes(plain), status, headers, "application/json")


async def state(
    hosted: HostedBackend,
    name: str,
    prefer: str | None = None,
    *,
    replayed: bool = False,
    until: Until = only_read,
) -> Response:
    """Answer with a session's state: 200 if no process works on it any more, else 202.

    Args:
        until: ends the wait before the debate does: by default the answer, for which no client
            should wait longer only because an analyst still reads it.
    """
    headers = {"Location": f"/api/sessions/{name}"}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    wait = wait_of(prefer)
    if wait is None:
        t = hosted.sessions.transcript(name)
        over = not hosted.sessions.is_live(name) and t.status not in UNDER_WAY
    else:
        t = await hosted.sessions.wait(name, wait, until)
        headers["Preference-Applied"] = f"wait={wait}"
        over = t.status not in UNDER_WAY or until(t)
    return as_json(session_state(t), 200 if over else 202, headers)


def never(_: Transcript) -> bool:
    """Wait until no process works on a session any more."""
    return False


def session_state(t: Transcript) -> Session:
    """State of a session, for programs."""
    shown, words, total = shown_answer(t), account(up_to_answer(t)), stats(t).total
    conversation, here = t.brief.conversation or t.transcript_id, f"/api/sessions/{t.transcript_id}"
    return Session(
        session_id=t.transcript_id,
        conversation_id=conversation,
        status=t.status,
        mode=t.brief.mode,
        query=t.query,
        heading=words.headline,
        answer=answer_text(t),
        answer_by=shown.model_alias if shown else None,
        is_fallback=shown is not None and t.synthesis is None,
        not_saved=t.unsaved or None,
        account=words,
        ledger=named_ledger(t),
        analysis=analysis_of(t),
        agreement=t.agreement,
        outcome=t.outcome.outcome if t.outcome else None,
        rounds=len(t.rounds),
        tokens=total.tokens,
        cost_usd=total.cost_usd,
        created_at=t.created_at,
        updated_at=t.updated_at or t.created_at,
        links=Links(
            self=here,
            events=f"{here}/events",
            account=f"{here}/account",
            four_layers=f"{here}/four-layers",
            export=f"{here}/export",
            conversation=f"/api/conversations/{conversation}",
        ),
    )
