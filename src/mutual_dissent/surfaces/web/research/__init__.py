"""The research pages' own routes: browse, mark, study, compare and export stored debates."""

from __future__ import annotations

from fastapi import APIRouter

from mutual_dissent.surfaces.http.backend import Hosted
from mutual_dissent.surfaces.web.research import export, marks, study
from mutual_dissent.surfaces.web.research import list as browsing

PREFIX = "/ui/research"


def router(hosted: Hosted) -> APIRouter:
    """Return all of these routes; they serve our own pages and are not part of the API."""
    found = APIRouter(prefix=PREFIX, include_in_schema=False)
    browsing.add(found, hosted)
    marks.add(found, hosted)
    study.add(found, hosted)
    export.add(found, hosted)
    return found
