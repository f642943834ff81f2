"""The REST API under /api: start a debate, watch it, control it, read the stored ones.

Requests and session states are in camel case; stored data keeps the names of a transcript's JSON.
"""

from __future__ import annotations

from fastapi import APIRouter

from mutual_dissent.surfaces.http.app import AppPart
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest import (
    catalogue,
    chat,
    conversations,
    events,
    openapi,
    session_actions,
    session_parts,
    sessions,
)
from mutual_dissent.surfaces.rest.idempotency import Repeats
from mutual_dissent.surfaces.rest.routes import ServedRoutes
from mutual_dissent.surfaces.rest.shapes import ERRORS
from mutual_dissent.surfaces.terms import REST

PREFIX = "/api"


def api(hosted: HostedBackend) -> AppPart:
    """The API as a part of the server's app, with errors in its own words."""
    return AppPart(router=router(hosted), prefix=PREFIX, shape=lambda problem: problem.plain(REST))


def router(hosted: HostedBackend) -> APIRouter:
    """All routes of the API, to be served; the document is made when it is first asked for."""
    routes = ServedRoutes(prefix=PREFIX)
    _add(routes, hosted)
    openapi.add(routes, lambda: described_router(hosted))
    return routes


def described_router(hosted: HostedBackend) -> APIRouter:
    """The same routes with the shapes of their answers, for the document."""
    routes = APIRouter(
        prefix=PREFIX, responses=ERRORS, generate_unique_id_function=lambda route: route.name
    )
    _add(routes, hosted)
    return routes


def _add(routes: APIRouter, hosted: HostedBackend) -> None:
    once = Repeats(hosted.md)
    chat.add(routes, hosted, once)
    sessions.add(routes, hosted)
    session_parts.add(routes, hosted)
    events.add(routes, hosted)
    session_actions.add(routes, hosted, once)
    conversations.add(routes, hosted)
    catalogue.add(routes, hosted)
