"""Figures of debates: one alone, two side by side, or many together."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from mutual_dissent.core.codec.camel import camel
from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.own_record import looks_at
from mutual_dissent.store.debates.search import ListedDebate
from mutual_dissent.store.store import Store
from mutual_dissent.surfaces.facts.forecasts import calibration_figures, read_forecasts
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.parameters import SessionId
from mutual_dissent.surfaces.rest.input.requests import ID
from mutual_dissent.surfaces.web.research.list import row_to_plain
from mutual_dissent.surfaces.web.research.messages import json_response
from mutual_dissent.surfaces.web.research.selection import Chosen, read_body
from mutual_dissent.views.research.headline import headlines
from mutual_dissent.views.research.many import SpendingChart, Studied, figures
from mutual_dissent.views.research.pair import compare_debates
from mutual_dissent.views.research.study import study
from mutual_dissent.views.track_record import VERSION

MOST = 5_000
"""Debates studied together: the newest of the selection."""

PATIENCE = 0.4
"""Seconds that a request spends on unread debates; then it reports how many are left."""

AT_ONCE = 40

Name = Annotated[str, Query(pattern=ID)]


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the routes."""
    store, look = hosted.md.store, hosted.sessions.transcript

    @router.get("/debates/{session_id}")
    async def one(session_id: SessionId) -> Response:
        """Return all figures of a debate."""
        return json_response(await asyncio.to_thread(_one, store, look(session_id)))

    @router.get("/compare")
    async def two(a: Name, b: Name) -> Response:
        """Return two debates side by side."""
        return json_response(await asyncio.to_thread(compare_debates, look(a), look(b)))

    @router.get("/forecasts")
    async def forecasts() -> Response:
        """Return the forecasts that wait, and how resolved ones fared."""
        found = await asyncio.to_thread(read_forecasts, store)
        charts = [asdict(f) for f in calibration_figures(found.record)]
        return json_response({**camel(found), "figures": charts})

    @router.post("/study")
    async def many(request: Request) -> Response:
        """Return the figures of the selected debates together."""
        chosen = await read_body(request, Chosen)
        return json_response(await asyncio.to_thread(_many, store, chosen))


def _one(store: Store, t: Transcript) -> dict[str, Any]:
    rows = store.some([t.transcript_id])
    row = row_to_plain(rows[0]) if rows else None
    return {**study(t, store.events(t.transcript_id)), "row": row}


def _many(store: Store, chosen: Chosen) -> dict[str, Any]:
    rows = chosen.rows(store, MOST)
    studied, unread = _looked_at(store, rows)
    whole = chosen.is_everything and not unread
    shown = figures(studied, _spent(store) if whole else None)
    looks = [seen.look for seen in studied]
    missing = len(rows) - len(studied) - unread
    return {
        "headlines": [asdict(h) for h in headlines(looks)],
        "figures": [asdict(f) for f in shown],
        "studied": len(studied),
        "unread": unread,
        "unreadable": missing,
        "left_out": chosen.count(store) - len(rows) if len(rows) == MOST else 0,
        "one_model": sum(look.one_model for look in looks),
    }


def _looked_at(store: Store, rows: list[ListedDebate]) -> tuple[list[Studied], int]:
    """Return the figures of the debates, and how many are still unread.

    Debates read before come from the cache. Others are read for a while, newest first, so that
    the first figures come soon; each debate is read once.
    """
    ids = [r.transcript_id for r in rows]
    known = store.summaries(ids, VERSION)
    new = [name for name in ids if name not in known]
    looks = looks_at(store, [name for name in ids if name in known])
    until = time.monotonic() + PATIENCE
    at = 0
    # One part in any case: on a slow disk the page would otherwise never get further.
    while at < len(new) and (not at or time.monotonic() < until):
        looks |= looks_at(store, new[at : at + AT_ONCE])
        at += AT_ONCE
    days = {r.transcript_id: r.created_at.date() for r in rows}
    studied = [Studied(day=days[name], look=looks[name]) for name in ids if name in looks]
    return studied, max(0, len(new) - at)


def _spent(store: Store) -> SpendingChart | None:
    """Return the cost of all debates, from the ledger: also of those too many to study."""

    def by(name: Any) -> dict[str, float]:
        return {s.name: s.cost_usd or 0.0 for s in store.totals(name)}

    try:
        return SpendingChart(day=by("day"), model=by("model"), vendor=by("vendor"))
    except DissentError:
        return None
