"""The list of debates, a page at a time, and what it can be narrowed to."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from mutual_dissent.store.search import Row
from mutual_dissent.store.sqlite import Store
from mutual_dissent.surfaces.facts.debates import known_cost, priced
from mutual_dissent.surfaces.server.hosted import Hosted
from mutual_dissent.surfaces.web.research.chosen import Browse
from mutual_dissent.surfaces.web.research.telling import told


def add(router: APIRouter, hosted: Hosted) -> None:
    """Add the routes."""
    store = hosted.md.store

    @router.get("/debates")
    async def debates(find: Annotated[Browse, Query()]) -> Response:
        """A page of the debates that are looked for."""
        return told(await asyncio.to_thread(_page, store, find))

    @router.get("/choices")
    async def choices() -> Response:
        """Filter -> the values that some debate has."""
        return told(await asyncio.to_thread(store.choices))


def row_to_plain(row: Row) -> dict[str, Any]:
    """A row as the page shows it: what is in the record alone, without reading the debate."""
    return priced(asdict(row), known_cost(row))


def _page(store: Store, find: Browse) -> dict[str, Any]:
    wanted = find.wanted
    page: dict[str, Any] = {"limit": find.limit, "offset": find.offset}
    rows = store.list(**wanted, **page, order=find.order, reverse=find.reverse)
    # A page that is not full is the last one: what there is need not be counted.
    is_last = 0 < len(rows) < find.limit
    total = find.offset + len(rows) if is_last else store.count(**wanted)
    return {"items": [row_to_plain(row) for row in rows], "total": total, **page}
