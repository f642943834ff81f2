"""`GET /api/conversations/{id}`: the questions that were asked one after the other."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Response

from mutual_dissent.core.errors import NotFound
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.api.answering import as_json, session_to_json
from mutual_dissent.surfaces.api.parameters import SessionId
from mutual_dissent.surfaces.api.shapes import Conversation
from mutual_dissent.surfaces.server.hosted import Hosted

SHOWN = ("sessionId", "query", "answer", "status", "mode", "createdAt", "costUsd")


def add(router: APIRouter, hosted: Hosted) -> None:
    """Add the route."""
    sessions, store = hosted.sessions, hosted.md.store

    @router.get(
        "/conversations/{session_id}",
        response_model=Conversation,
        tags=["chat"],
        summary="Read a conversation",
    )
    async def conversation(session_id: SessionId) -> Response:
        """The conversation that a session is part of, from its beginning."""
        ids = store.conversation(store.find(session_id))
        turns = []
        for name in ids:
            with suppress(NotFound):  # deleted meanwhile
                turns.append(_turn(sessions.transcript(name)))
        shown = {"conversationId": ids[0], "mode": turns[-1]["mode"], "turns": turns}
        return as_json(shown)


def _turn(t: Transcript) -> dict[str, Any]:
    said = session_to_json(t)
    return {name: said[name] for name in SHOWN}
