"""The list of debates, a page at a time, and its filters."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from mutual_dissent.store.debates.search import ListedDebate
from mutual_dissent.store.store import Store
from mutual_dissent.surfaces.facts.debates import headings, known_cost, row_for_programs
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.requests import Body, SessionName
from mutual_dissent.surfaces.web.research.messages import json_response
from mutual_dissent.surfaces.web.research.selection import Browse, read_body

PATIENCE, AT_ONCE = 0.3, 10
"""Seconds that a request spends on unread outcomes, and debates read at a time."""


class Shown(Body):
    """Debates that the page shows now."""

    ids: Annotated[list[SessionName], Field(min_length=1, max_length=200)]


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the routes."""
    store = hosted.md.store

    @router.get("/debates")
    async def debates(find: Annotated[Browse, Query()]) -> Response:
        """Return a page of the debates that match."""
        return json_response(await asyncio.to_thread(_page, store, find))

    @router.post("/outcomes")
    async def outcomes(request: Request) -> Response:
        """Return id -> outcome in words, for as many debates as can be read in a moment."""
        wanted = await read_body(request, Shown)
        return json_response(await asyncio.to_thread(_outcomes, store, wanted.ids))

    @router.get("/choices")
    async def choices() -> Response:
        """Return filter -> values that occur."""
        return json_response(await asyncio.to_thread(store.choices))


def row_to_plain(row: ListedDebate) -> dict[str, Any]:
    """A row of the page, from the index alone, without reading the debate."""
    return row_for_programs(replace(row, cost_usd=known_cost(row)))


def _outcomes(store: Store, ids: list[str]) -> dict[str, Any]:
    rows = store.some(ids)
    titles: dict[str, str] = {}
    until, at = time.monotonic() + PATIENCE, 0
    # One part in any case: on a slow disk the page would otherwise never get further.
    while at < len(rows) and (not at or time.monotonic() < until):
        titles |= headings(store, rows[at : at + AT_ONCE])
        at += AT_ONCE
    return {"outcomes": titles, "unread": [r.transcript_id for r in rows[at:]]}


def _page(store: Store, find: Browse) -> dict[str, Any]:
    wanted = find.wanted
    page: dict[str, Any] = {"limit": find.limit, "offset": find.offset}
    rows = store.list(**wanted, **page, order=find.order, reverse=find.reverse)
    # A page that is not full is the last one, so that no count is needed.
    is_last = 0 < len(rows) < find.limit
    total = find.offset + len(rows) if is_last else store.count(**wanted)
    return {"items": [row_to_plain(row) for row in rows], "total": total, **page}
