"""The research pages' own routes: browse, mark, study, compare and export stored debates."""

from __future__ import annotations

from fastapi import APIRouter

from mutual_dissent.surfaces.server.hosted import Hosted
from mutual_dissent.surfaces.web.research import browsing, exporting, marking, studying

PREFIX = "/ui/research"


def router(hosted: Hosted) -> APIRouter:
    """All of these routes; they serve our own pages and are no part of the API."""
    found = APIRouter(prefix=PREFIX, include_in_schema=False)
    browsing.add(found, hosted)
    marking.add(found, hosted)
    studying.add(found, hosted)
    exporting.add(found, hosted)
    return found
