"""The REST API under /api: start a debate, watch it, order it about, read what is stored.

What is sent, and what says where a session stands, is in camel case; what is stored has the names
that a transcript's JSON has.
"""

from __future__ import annotations

from fastapi import APIRouter

from mutual_dissent.surfaces.api import (
    catalogue,
    chat,
    conversations,
    details,
    document,
    events,
    orders,
    sessions,
)
from mutual_dissent.surfaces.api.repeats import Repeats
from mutual_dissent.surfaces.api.shapes import ERRORS
from mutual_dissent.surfaces.server.app import Part
from mutual_dissent.surfaces.server.hosted import Hosted
from mutual_dissent.surfaces.terms import REST

PREFIX = "/api"


def api(hosted: Hosted) -> Part:
    """The API as a part of the server's app, with errors in its own words."""
    return Part(router=router(hosted), prefix=PREFIX, shape=lambda problem: problem.plain(REST))


def router(hosted: Hosted) -> APIRouter:
    """All routes of the API."""
    found = APIRouter(
        prefix=PREFIX, responses=ERRORS, generate_unique_id_function=lambda route: route.name
    )
    once = Repeats(hosted.md)
    chat.add(found, hosted, once)
    sessions.add(found, hosted)
    details.add(found, hosted)
    events.add(found, hosted)
    orders.add(found, hosted, once)
    conversations.add(found, hosted)
    catalogue.add(found, hosted)
    document.add(found)
    return found
