"""Routes that list models, modes, presets, reachable agents, costs and forecasts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from mutual_dissent.analysis.ballots.rules import RULES
from mutual_dissent.config.agents import remote_routes
from mutual_dissent.core.codec.camel import Shape, about
from mutual_dissent.experiments.recordings.advice import PanelAdvice, advise_on_own
from mutual_dissent.own_record import own_seat
from mutual_dissent.store.debates.filters import ListFilters
from mutual_dissent.store.debates.search import Spending
from mutual_dissent.surfaces.facts.agents import Agents
from mutual_dissent.surfaces.facts.agents import agents as known_agents
from mutual_dissent.surfaces.facts.days import moment
from mutual_dissent.surfaces.facts.forecasts import Forecasts, read_forecasts
from mutual_dissent.surfaces.facts.models import KnownAlias, KnownModel, aliases, known_models
from mutual_dissent.surfaces.facts.modes import (
    ExplainedMode,
    KnownPersona,
    KnownPreset,
    ReadingOrder,
    explain_modes,
    known_preset,
    personas,
    reading_orders,
)
from mutual_dissent.surfaces.facts.options import DebateOptions, debate_options
from mutual_dissent.surfaces.facts.track_record import TrackRecord, look_back
from mutual_dissent.surfaces.http.backend import HostedBackend, caller_of
from mutual_dissent.surfaces.rest.brief import usual_mode
from mutual_dissent.surfaces.rest.input.json_body import body_of, takes
from mutual_dissent.surfaces.rest.input.parameters import Day, Limit, Words
from mutual_dissent.surfaces.rest.input.requests import Probe
from mutual_dissent.surfaces.rest.session_state import as_json
from mutual_dissent.surfaces.terms import REST

Unit = Literal["model", "vendor", "day", "all"]
By = Annotated[Unit, Query(description="What is added up.")]
Sought = Annotated[str | None, Query(max_length=200, description="Words in the name of a model.")]
OnlyDue = Annotated[bool, Query(description="Only those whose day has come.")]
Newest = Annotated[
    int, Query(ge=0, le=10_000, description="How many of the newest debates are looked at.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes(Shape):
    """The procedures, and what they can be told."""

    default: str = field(metadata=about("The mode of /api/chat where none is said."))
    modes: tuple[ExplainedMode, ...]
    topologies: tuple[ReadingOrder, ...]
    personas: tuple[KnownPersona, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Presets(Shape):
    """The presets, with fields of /api/chat."""

    presets: tuple[KnownPreset, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Models(Shape):
    """Models that can sit on a panel."""

    aliases: tuple[KnownAlias, ...]
    models: tuple[KnownModel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics(Shape):
    """Spending, and what deliberation was worth."""

    by: Unit
    spending: tuple[Spending, ...]
    record: TrackRecord


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the routes."""
    desk = Catalogue(hosted)
    get = partial(router.get, tags=["catalogue"])
    get("/modes", response_model=Modes, summary="List the modes")(desk.modes)
    get("/presets", response_model=Presets, summary="List the presets")(desk.presets)
    get("/options", response_model=DebateOptions, summary="List the options of a debate")(
        desk.options
    )
    get("/stats", response_model=Statistics, summary="Read the statistics")(desk.stats)
    get("/panel", response_model=PanelAdvice, summary="Read what your panel is worth")(desk.panel)
    get("/forecasts", response_model=Forecasts, summary="List the forecasts")(desk.forecasts)
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
    """Routes of the catalogue."""

    def __init__(self, hosted: HostedBackend) -> None:
        self._hosted, self._md = hosted, hosted.md
        self._procedures = cache(partial(explain_modes, hosted.md, REST.spell))

    async def modes(self, request: Request) -> Response:
        """The procedures, and what they can be told."""
        found = Modes(
            default=usual_mode(caller_of(request), self._md.settings),
            modes=tuple(self._procedures()),
            topologies=reading_orders(self._md),
            personas=personas(self._md),
            rules=tuple(RULES),
        )
        return as_json(found)

    async def presets(self) -> Response:
        """Panels with their mode and options, each under one name."""
        found = map(known_preset, self._md.settings.presets.values())
        spelled = (
            replace(p, values={REST.spell(name): v for name, v in p.values.items()}) for p in found
        )
        return as_json(Presets(presets=tuple(spelled)))

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
        """Cost of debates, and the worth of deliberation in the newest ones."""
        first, last = moment("since", since), moment("until", until, whole_day=True)

        def read() -> Statistics:
            wanted: ListFilters = {"model": model, "since": first, "until": last}
            seen = look_back(self._md.store, mode, newest, wanted)
            spent = self._md.store.totals(by, since=first, until=last)
            return Statistics(by=by, spending=tuple(spent), record=seen.record(model))

        return as_json(await asyncio.to_thread(read))

    async def panel(self) -> Response:
        """From graded debates: is a panel better than its best member, which three, who adds."""

        def read() -> PanelAdvice:
            return advise_on_own(self._md.own_answers(), own_seat(self._md.store))

        return as_json(await asyncio.to_thread(read))

    async def forecasts(self, due: OnlyDue = False) -> Response:
        """Forecasts that wait for their outcome, due ones first; Brier scores and calibration."""
        return as_json(await asyncio.to_thread(read_forecasts, self._md.store, only_due=due))

    async def models(self, text: Sought = None, limit: Limit = 40) -> Response:
        """The aliases and, with `text`, every known model whose name has all its words."""
        words = text.split() if text else []
        rows = await asyncio.to_thread(known_models, self._md, words) if words else []
        known = tuple(aliases(self._md))
        return as_json(Models(aliases=known, models=tuple(rows[:limit])))

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

        agents = await known_agents(self._md, wanted.agents, probe=True, find=find, spent=charge)
        return as_json(agents)
