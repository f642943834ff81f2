"""What there is: models, modes, presets, who can be reached, and what was spent so far."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from functools import cache, partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from mutual_dissent.analysis.decisions import RULES
from mutual_dissent.config.programs import remote_routes
from mutual_dissent.store.selection import Wanted
from mutual_dissent.surfaces.api.answering import as_json
from mutual_dissent.surfaces.api.asking import usual_mode
from mutual_dissent.surfaces.api.bodies import body_of, takes
from mutual_dissent.surfaces.api.catalogue_shapes import Agents, Models, Modes, Presets, Stats
from mutual_dissent.surfaces.api.parameters import Day, Limit, Words
from mutual_dissent.surfaces.api.spelling import spelled
from mutual_dissent.surfaces.api.wanted import Probe
from mutual_dissent.surfaces.facts.agents import agents as known_agents
from mutual_dissent.surfaces.facts.days import moment
from mutual_dissent.surfaces.facts.models import aliases, known_models
from mutual_dissent.surfaces.facts.modes import (
    explained,
    personas,
    preset_to_json,
    reading_orders,
)
from mutual_dissent.surfaces.facts.options import DebateOptions, debate_options
from mutual_dissent.surfaces.facts.track_record import look_back
from mutual_dissent.surfaces.server.hosted import Hosted, caller_of
from mutual_dissent.surfaces.terms import REST

By = Annotated[Literal["model", "vendor", "day", "all"], Query(description="What is added up.")]
Sought = Annotated[str | None, Query(max_length=200, description="Words in the name of a model.")]
Newest = Annotated[
    int, Query(ge=0, le=10_000, description="How many of the newest debates are looked at.")
]


def add(router: APIRouter, hosted: Hosted) -> None:
    """Add the routes."""
    desk = Catalogue(hosted)
    get = partial(router.get, tags=["catalogue"])
    get("/modes", response_model=Modes, summary="List the modes")(desk.modes)
    get("/presets", response_model=Presets, summary="List the presets")(desk.presets)
    get("/options", response_model=DebateOptions, summary="List the options of a debate")(
        desk.options
    )
    get("/stats", response_model=Stats, summary="Read the statistics")(desk.stats)
    get("/models", response_model=Models, summary="List the models")(desk.models)
    get("/agents", response_model=Agents, summary="List who can be reached")(desk.agents)
    router.post(
        "/agents/probe",
        response_model=Agents,
        tags=["catalogue"],
        summary="Ask whether models answer",
        openapi_extra=takes(Probe, {"agents": ["claude", "gpt"]}, optional=True),
    )(desk.probe)


class Catalogue:
    """Says what there is."""

    def __init__(self, hosted: Hosted) -> None:
        self._hosted, self._md = hosted, hosted.md
        self._procedures = cache(partial(explained, hosted.md))

    async def modes(self, request: Request) -> Response:
        """The procedures, and what they can be told."""
        found = {
            "default": usual_mode(caller_of(request), self._md.settings),
            "modes": [
                {**m, "options": [REST.spell(name) for name in m["options"]]}
                for m in self._procedures()
            ],
            "topologies": reading_orders(self._md),
            "personas": personas(self._md),
            "rules": list(RULES),
        }
        return as_json(spelled(Modes, found))

    async def presets(self) -> Response:
        """Panels with their mode and options, each under one name."""
        found = [preset_to_json(p) for p in self._md.settings.presets.values()]
        for preset in found:
            preset["values"] = {REST.spell(name): v for name, v in preset["values"].items()}
        return as_json(spelled(Presets, {"presets": found}))

    async def options(self) -> Response:
        """The options of a debate: the fields of POST /api/chat, with what each takes."""
        return as_json(debate_options(self._md))

    async def stats(
        self,
        by: By = "model",
        since: Day = None,
        until: Day = None,
        mode: Words = None,
        model: Words = None,
        newest: Newest = 200,
    ) -> Response:
        """What debates cost, and what deliberation was worth in the newest ones."""
        first, last = moment("since", since), moment("until", until, whole_day=True)

        def read() -> dict[str, Any]:
            wanted: Wanted = {"model": model, "since": first, "until": last}
            seen = look_back(self._md.store, mode, newest, wanted)
            spent = self._md.store.totals(by, since=first, until=last)
            lines = [asdict(s) for s in spent]
            return {"by": by, "spending": lines, "record": seen.plain(model)}

        return as_json(spelled(Stats, await asyncio.to_thread(read)))

    async def models(self, text: Sought = None, limit: Limit = 40) -> Response:
        """The aliases and, with `text`, every known model whose name has all its words."""
        words = text.split() if text else []
        found = await asyncio.to_thread(known_models, self._md, words) if words else []
        return as_json(spelled(Models, {"aliases": aliases(self._md), "models": found[:limit]}))

    async def agents(self) -> Response:
        """Every alias, and whether there is a route to it; nobody is asked."""
        return as_json(await known_agents(self._md))

    async def probe(self, request: Request) -> Response:
        """Ask models one tiny question each, which costs a fraction of a cent."""
        wanted = await body_of(request, Probe, optional=True)
        caller = caller_of(request)
        caller.limit(None)
        find = remote_routes(self._md.find_route, self._md.settings.programs)

        def charge(cost: float) -> None:
            if self._hosted.purse:
                self._hosted.purse.charge(caller.name, cost)

        found = await known_agents(self._md, wanted.agents, probe=True, find=find, spent=charge)
        return as_json(found)
