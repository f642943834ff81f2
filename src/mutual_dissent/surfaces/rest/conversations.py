"""`GET /api/conversations/{id}`: the questions that were asked one after the other."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields

from fastapi import APIRouter, Response

from mutual_dissent.core.errors import NotFound
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.parameters import SessionId
from mutual_dissent.surfaces.rest.session_state import as_json, session_state
from mutual_dissent.surfaces.rest.shapes import Conversation, ConversationTurn


def add(router: APIRouter, hosted: HostedBackend) -> None:
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
        mode = turns[-1].mode
        return as_json(Conversation(conversation_id=ids[0], mode=mode, turns=tuple(turns)))


def _turn(t: Transcript) -> ConversationTurn:
    state = session_state(t)
    return ConversationTurn(**{f.name: getattr(state, f.name) for f in fields(ConversationTurn)})
