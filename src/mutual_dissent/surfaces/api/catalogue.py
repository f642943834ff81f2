"""What there is: models, modes, presets, who can be reached, and what was spent so far."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from functools import cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from mutual_dissent.analysis.decisions import RULES
from mutual_dissent.config.programs import remote_routes
from mutual_dissent.store.selection import Wanted
from mutual_dissent.surfaces.api.answering import as_json
from mutual_dissent.surfaces.api.asking import usual_mode
from mutual_dissent.surfaces.api.bodies import body_of, takes
from mutual_dissent.surfaces.api.parameters import Day, Limit, Words
from mutual_dissent.surfaces.api.shapes import Agents, Models, Modes, Presets, Stats
from mutual_dissent.surfaces.api.wanted import Probe
from mutual_dissent.surfaces.facts.agents import agents as known_agents
from mutual_dissent.surfaces.facts.days import moment
from mutual_dissent.surfaces.facts.debates import priced
from mutual_dissent.surfaces.facts.models import aliases, known_models
from mutual_dissent.surfaces.facts.modes import (
    explained,
    personas,
    preset_to_json,
    reading_orders,
)
from mutual_dissent.surfaces.facts.track_record import look_back
from mutual_dissent.surfaces.server.hosted import Hosted, caller_of

By = Annotated[Literal["model", "vendor", "day", "all"], Query(description="What is added up.")]
Newest = Annotated[
    int, Query(ge=0, le=10_000, description="How many of the newest debates are looked at.")
]


def add(router: APIRouter, hosted: Hosted) -> None:
    """Add the routes."""
    md = hosted.md
    procedures = cache(lambda: explained(md))
    _people(router, hosted)

    @router.get("/modes", response_model=Modes, tags=["catalogue"], summary="List the modes")
    async def modes(request: Request) -> Response:
        """The procedures, and what they can be told."""
        return as_json(
            {
                "default": usual_mode(caller_of(request), md.settings),
                "modes": procedures(),
                "topologies": reading_orders(md),
                "personas": personas(md),
                "rules": list(RULES),
            }
        )

    @router.get("/presets", response_model=Presets, tags=["catalogue"], summary="List the presets")
    async def presets() -> Response:
        """Panels with their mode and options, each under one name."""
        found = md.settings.presets.values()
        return as_json({"presets": [preset_to_json(p) for p in found]})

    @router.get("/stats", response_model=Stats, tags=["catalogue"], summary="Read the statistics")
    async def stats(
        by: By = "model",
        since: Day = None,
        until: Day = None,
        mode: Words = None,
        model: Words = None,
        newest: Newest = 200,
    ) -> Response:
        """What debates cost, and what deliberation was worth in the newest ones."""
        days = {
            "since": moment("since", since),
            "until": moment("until", until, whole_day=True),
        }

        def read() -> dict[str, Any]:
            wanted: Wanted = {"model": model, "since": days["since"], "until": days["until"]}
            seen = look_back(md.store, mode, newest, wanted)
            spent = md.store.totals(by, **days)
            lines = [priced(asdict(s), s.cost_usd) for s in spent]
            return {"by": by, "spending": lines, "record": seen.plain(model)}

        return as_json(await asyncio.to_thread(read))


def _people(router: APIRouter, hosted: Hosted) -> None:
    """Who can sit on a panel."""
    md = hosted.md

    @router.get("/models", response_model=Models, tags=["catalogue"], summary="List the models")
    async def models(
        text: Annotated[
            str | None, Query(max_length=200, description="Words in the name of a model.")
        ] = None,
        limit: Limit = 40,
    ) -> Response:
        """The aliases and, with `text`, every known model whose name has all its words."""
        words = text.split() if text else []
        found = await asyncio.to_thread(known_models, md, words) if words else []
        return as_json({"aliases": aliases(md), "models": found[:limit]})

    @router.get(
        "/agents",
        response_model=Agents,
        response_model_exclude_none=True,
        tags=["catalogue"],
        summary="List who can be reached",
    )
    async def agents() -> Response:
        """Every alias, and whether there is a route to it; nobody is asked."""
        return as_json(await known_agents(md))

    @router.post(
        "/agents/probe",
        response_model=Agents,
        tags=["catalogue"],
        summary="Ask whether models answer",
        openapi_extra=takes(Probe, {"agents": ["claude", "gpt"]}, optional=True),
    )
    async def probe(request: Request) -> Response:
        """Ask models one tiny question each, which costs a fraction of a cent."""
        wanted = await body_of(request, Probe, optional=True)
        caller = caller_of(request)
        caller.limit(None)
        find = remote_routes(md.find_route, md.settings.programs)

        def charge(cost: float) -> None:
            if hosted.purse:
                hosted.purse.charge(caller.name, cost)

        return as_json(await known_agents(md, wanted.agents, probe=True, find=find, spent=charge))
