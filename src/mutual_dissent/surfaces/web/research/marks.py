"""Marks of a person on debates: tags, ratings and deletion."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from mutual_dissent.core.errors import BadInput, DissentError, Held
from mutual_dissent.store.debates.tags import BEST, LONGEST
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.parameters import SessionId
from mutual_dissent.surfaces.rest.input.requests import Body
from mutual_dissent.surfaces.terms import PAGE
from mutual_dissent.surfaces.web.research.messages import json_response
from mutual_dissent.surfaces.web.research.selection import Chosen, Ids, read_body

MOST_MARKED = 5_000
Tags = Annotated[list[Annotated[str, Field(max_length=LONGEST * 4)]], Field(max_length=20)]


class Tagging(Chosen):
    """Tags to add to debates, and to remove."""

    add: Tags = Field(default_factory=list)
    remove: Tags = Field(default_factory=list)


class Rating(Body):
    """Rating of a debate; null removes it."""

    rating: Annotated[int, Field(ge=1, le=BEST)] | None


class Forgetting(Body):
    """Debates to delete, each by its id: a search deletes nothing."""

    ids: Ids


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the routes."""
    store = hosted.md.store

    @router.put("/debates/{session_id}/rating")
    async def rate(session_id: SessionId, request: Request) -> Response:
        """Set the rating of a debate."""
        wanted = await read_body(request, Rating)
        await asyncio.to_thread(store.rate, store.find(session_id, to_change=True), wanted.rating)
        return json_response({"rating": wanted.rating})

    @router.post("/tags")
    async def tag(request: Request) -> Response:
        """Add tags to debates, and remove others."""
        wanted = await read_body(request, Tagging)
        return json_response(await asyncio.to_thread(_tag, hosted, wanted))

    @router.post("/forget")
    async def forget(request: Request) -> Response:
        """Delete debates; report those that cannot be deleted, with the reason."""
        wanted = await read_body(request, Forgetting)
        return json_response(await asyncio.to_thread(_forgotten, hosted, wanted.ids))


def _tag(hosted: HostedBackend, wanted: Tagging) -> dict[str, Any]:
    store = hosted.md.store
    if wanted.count(store) > MOST_MARKED:
        raise BadInput(f"{MOST_MARKED:,} debates are tagged at once at most; narrow the search")
    tags: dict[str, Any] = {}
    for row in wanted.rows(store, MOST_MARKED):
        name = row.transcript_id
        tags[name] = store.tag(name, *wanted.add)
        if wanted.remove:
            tags[name] = store.untag(name, *wanted.remove)
    return {"tags": tags}


def _forgotten(hosted: HostedBackend, ids: list[str]) -> dict[str, Any]:
    gone: list[str] = []
    kept: list[dict[str, str]] = []
    for name in ids:
        try:
            gone.append(_forget(hosted, name))
        except DissentError as e:
            kept.append({"id": name, "why": e.in_terms(PAGE)})
    return {"forgotten": gone, "kept": kept}


def _forget(hosted: HostedBackend, name: str) -> str:
    full = hosted.md.store.find(name, to_change=True)
    if full in hosted.sessions.live:
        raise Held(full, "this very process")
    return hosted.md.delete(full)
