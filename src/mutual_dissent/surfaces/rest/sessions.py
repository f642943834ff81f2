"""The stored sessions: listed, read, deleted."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Response

from mutual_dissent.core.errors import Held
from mutual_dissent.surfaces.facts.debates import with_headings
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.parameters import SessionId
from mutual_dissent.surfaces.rest.input.session_query import Find
from mutual_dissent.surfaces.rest.session_state import as_json
from mutual_dissent.surfaces.rest.shapes import SessionList, StoredTranscript
from mutual_dissent.views.documents import formats

HERE = "/api/sessions"
OTHERS = ["POST", "PUT", "PATCH", "OPTIONS", "HEAD", "TRACE"]


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the routes."""
    shelf = Shelf(hosted)
    one = "/sessions/{session_id}"
    get = partial(router.get, tags=["sessions"])
    get("/sessions", response_model=SessionList, summary="List sessions")(shelf.list_sessions)
    get(one, response_model=StoredTranscript, summary="Read a session")(shelf.get_session)
    router.delete(
        one,
        status_code=204,
        response_class=Response,
        tags=["sessions"],
        summary="Delete a session",
    )(shelf.delete_session)
    # GET and DELETE are two routes, so neither could name both in `Allow`.
    router.api_route(one, methods=OTHERS, include_in_schema=False)(refuse_method)


class Shelf:
    """Routes of stored sessions."""

    def __init__(self, hosted: HostedBackend) -> None:
        self._hosted = hosted

    async def list_sessions(self, find: Annotated[Find, Query()]) -> Response:
        """The stored debates; without a word of it, the newest ones."""
        return as_json(await asyncio.to_thread(_page, self._hosted, find))

    async def get_session(self, session_id: SessionId) -> Response:
        """A debate whole, as it stands now."""
        text = formats.json(self._hosted.sessions.transcript(session_id))
        return Response(text.encode("utf-8", "replace"), media_type="application/json")

    async def delete_session(self, session_id: SessionId) -> Response:
        """Forget a debate: its record, its file, and what it cost."""
        name = await self._hosted.sessions.wait_for_readers(session_id)
        if self._hosted.sessions.is_here(name):
            raise Held(name, self._hosted.sessions.whose(name))
        self._hosted.md.delete(name)
        return Response(status_code=204)


async def refuse_method() -> Response:
    """Refuse other methods, and name the allowed ones."""
    raise HTTPException(405, headers={"Allow": "DELETE, GET"})


def _page(hosted: HostedBackend, find: Find) -> SessionList:
    store, wanted = hosted.md.store, find.wanted
    rows = store.list(**wanted, order=find.order, limit=find.limit, offset=find.offset)
    total = store.count(**wanted)
    return SessionList(
        items=tuple(with_headings(store, rows)),
        total=total,
        limit=find.limit,
        offset=find.offset,
        next=f"{HERE}?{find.next}" if find.offset + find.limit < total else None,
    )
