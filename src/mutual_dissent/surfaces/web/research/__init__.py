"""The research pages' own routes: browse, mark, study, compare and export stored debates."""

from __future__ import annotations

from fastapi import APIRouter

from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.web.research import export, marks, study
from mutual_dissent.surfaces.web.research import list as browsing

PREFIX = "/ui/research"


def router(hosted: HostedBackend) -> APIRouter:
    """Return all of these routes; they serve our own pages and are not part of the API."""
    routes = APIRouter(prefix=PREFIX, include_in_schema=False)
    browsing.add(routes, hosted)
    marks.add(routes, hosted)
    study.add(routes, hosted)
    export.add(routes, hosted)
    return routes
