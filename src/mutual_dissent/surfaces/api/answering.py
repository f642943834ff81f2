"""Where a session stands, as the API says it; waited for where the client is willing to wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from mutual_dissent.core.camel import Shape, camel
from mutual_dissent.core.codec import to_bytes
from mutual_dissent.core.metadata import stats_to_json
from mutual_dissent.core.stats import stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.api.parameters import wait_of
from mutual_dissent.surfaces.api.shapes import Session
from mutual_dissent.surfaces.facts.accounts import account_to_json, answer_text, shown_answer
from mutual_dissent.surfaces.server.hosted import Hosted
from mutual_dissent.views.readiness import UNDER_WAY, only_read

Json = dict[str, Any]
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
"""What the document says of routes that answer with where a session stands."""


def as_json(value: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """An answer in JSON."""
    plain = camel(value) if isinstance(value, Shape) else value
    return Response(to_bytes(plain), status, headers, "application/json")


async def state(
    hosted: Hosted,
    name: str,
    prefer: str | None = None,
    *,
    replayed: bool = False,
    until: Until = only_read,
) -> Response:
    """Where a session stands: 200 if nobody works on it any more, else 202.

    Args:
        until: what is waited for, if it comes before the end: by default the answer, which nobody
            need wait for longer because an analyst reads it.
    """
    headers = {"Location": f"/api/sessions/{name}"}
    if replayed:
        headers["Idempotency-Replayed"] = "true"
    wait = wait_of(prefer)
    if wait is None:
        found = hosted.sessions.transcript(name)
        over = not hosted.sessions.is_live(name) and found.status not in UNDER_WAY
    else:
        found = await hosted.sessions.wait(name, wait, until)
        headers["Preference-Applied"] = f"wait={wait}"
        over = found.status not in UNDER_WAY or until(found)
    return as_json(session_to_json(found), 200 if over else 202, headers)


def never(_: Transcript) -> bool:
    """For who waits until nobody works on a session any more."""
    return False


def session_to_json(t: Transcript) -> Json:
    """Where a session stands, for programs."""
    shown, said = shown_answer(t), account_to_json(t)
    figures = stats_to_json(stats(t))
    conversation = t.brief.conversation or t.transcript_id
    return {
        "sessionId": t.transcript_id,
        "conversationId": conversation,
        "status": t.status.value,
        "mode": t.brief.mode,
        "query": t.query,
        "heading": said["account"]["headline"],
        "answer": answer_text(t),
        "answerBy": shown.model_alias if shown else None,
        "isFallback": shown is not None and t.synthesis is None,
        "notSaved": t.unsaved or None,
        **said,
        "agreement": t.agreement,
        "rounds": len(t.rounds),
        "tokens": figures["total_tokens"],
        "costUsd": figures.get("total_cost_usd"),
        "createdAt": t.created_at,
        "updatedAt": t.updated_at or t.created_at,
        "links": _links(t.transcript_id, conversation),
    }


def _links(name: str, conversation: str) -> Json:
    here = f"/api/sessions/{name}"
    return {
        "self": here,
        "events": f"{here}/events",
        "account": f"{here}/account",
        "fourLayers": f"{here}/four-layers",
        "export": f"{here}/export",
        "conversation": f"/api/conversations/{conversation}",
    }
