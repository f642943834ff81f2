"""The stored sessions: listed, read, deleted."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, HTTPException, Query, Response

from mutual_dissent.core.errors import Held
from mutual_dissent.surfaces.api.answering import as_json
from mutual_dissent.surfaces.api.parameters import Day, Limit, Offset, SessionId, Words
from mutual_dissent.surfaces.api.shapes import Page, Transcript
from mutual_dissent.surfaces.facts.days import moment
from mutual_dissent.surfaces.facts.debates import row_to_json
from mutual_dissent.surfaces.mcp.results import SessionStatus
from mutual_dissent.surfaces.server.hosted import Hosted
from mutual_dissent.views import formats

HERE = "/api/sessions"
OTHERS = ["POST", "PUT", "PATCH", "OPTIONS", "HEAD", "TRACE"]


def add(router: APIRouter, hosted: Hosted) -> None:
    """Add the routes."""
    sessions, md = hosted.sessions, hosted.md

    @router.get("/sessions", response_model=Page, tags=["sessions"], summary="List sessions")
    async def list_sessions(
        text: Words = None,
        model: Words = None,
        status: SessionStatus | None = None,
        since: Day = None,
        until: Day = None,
        order: Annotated[
            Literal["newest", "oldest", "cost"], Query(description="What comes first.")
        ] = "newest",
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Response:
        """The stored debates: `text` is looked for in questions and answers."""
        wanted: dict[str, Any] = {
            "text": text,
            "model": model,
            "status": status,
            "since": moment("since", since),
            "until": moment("until", until, whole_day=True),
        }
        said = {"text": text, "model": model, "status": status, "since": since, "until": until}
        page = await asyncio.to_thread(_page, hosted, wanted, order, limit, offset)
        more = offset + limit < page["total"]
        place = {**said, "order": order, "limit": limit, "offset": offset + limit}
        query = urlencode({k: v for k, v in place.items() if v is not None})
        return as_json({**page, "next": f"{HERE}?{query}" if more else None})

    @router.get(
        "/sessions/{session_id}",
        response_model=Transcript,
        tags=["sessions"],
        summary="Read a session",
    )
    async def get_session(session_id: SessionId) -> Response:
        """A debate whole, as it stands now."""
        text = formats.json(sessions.transcript(session_id))
        return Response(text.encode("utf-8", "replace"), media_type="application/json")

    @router.delete(
        "/sessions/{session_id}",
        status_code=204,
        response_class=Response,
        tags=["sessions"],
        summary="Delete a session",
    )
    async def delete_session(session_id: SessionId) -> Response:
        """Forget a debate: its record, its file, and what it cost."""
        name = md.store.find(session_id)
        if name in sessions.live:
            raise Held(name, "this very process")
        md.delete(name)
        return Response(status_code=204)

    @router.api_route("/sessions/{session_id}", methods=OTHERS, include_in_schema=False)
    async def refused(session_id: str) -> Response:
        """Two methods are two routes, of which each knows itself alone."""
        raise HTTPException(405, headers={"Allow": "DELETE, GET"})


def _page(
    hosted: Hosted, wanted: dict[str, Any], order: Any, limit: int, offset: int
) -> dict[str, Any]:
    store = hosted.md.store
    rows = store.list(**wanted, order=order, limit=limit, offset=offset)
    return {
        "items": [row_to_json(store, row) for row in rows],
        "total": store.count(**wanted),
        "limit": limit,
        "offset": offset,
    }
