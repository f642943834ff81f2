"""Experiments: the progress of each, and its outcome in a few sentences."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import UserError
from mutual_dissent.experiments.report.build import build_report
from mutual_dissent.experiments.run.registry import load_experiment, standings
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.terms import PAGE
from mutual_dissent.surfaces.web.research.messages import json_response
from mutual_dissent.surfaces.web.settings import owner

PREFIX = "/ui/experiments"
MOST = 100
"""Experiments listed at most, and outcomes kept in memory."""

MOST_SENTENCES, LONGEST = 8, 600
Name = Annotated[str, Query(min_length=1, max_length=200)]
Mark = tuple[str, int]


def router(hosted: HostedBackend) -> APIRouter:
    """Return all of these routes, for the user who started the server."""
    md = hosted.md
    routes = APIRouter(prefix=PREFIX, include_in_schema=False, dependencies=[Depends(owner)])
    known: dict[str, tuple[Mark, list[str]]] = {}
    turn = asyncio.Lock()  # statistics take a core: one experiment at a time

    @routes.get("")
    async def experiments() -> Response:
        """Return the stored experiments, newest first."""
        kept = await asyncio.to_thread(standings, md)
        return json_response({"items": [asdict(s) for s in kept[:MOST]], "total": len(kept)})

    @routes.get("/outcome")
    async def outcome(name: Name) -> Response:
        """Return an experiment's outcome in words, computed again only after a change."""
        async with turn:
            at = (await asyncio.to_thread(standings, md, name))[0]
            mark = (at.updated_at.isoformat(), at.completed)
            if name not in known or known[name][0] != mark:
                known.pop(next(iter(known)) if len(known) >= MOST else name, None)
                known[name] = (mark, await _outcome(md, name))
            words = known[name][1]
        return json_response({"name": name, "outcome": words})

    return routes


async def _outcome(md: MutualDissent, name: str) -> list[str]:
    """Return the first sentences of an experiment's report."""
    try:
        experiment = await load_experiment(md, name)
        found = await asyncio.to_thread(build_report, md, experiment)
    except UserError as e:
        return [e.in_terms(PAGE)[:LONGEST]]
    return [sentence[:LONGEST] for sentence in found.report.lead[:MOST_SENTENCES]]
