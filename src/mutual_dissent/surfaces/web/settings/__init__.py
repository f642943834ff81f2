"""The settings page's own routes. Only whoever started the server may call them."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request

from mutual_dissent.surfaces.http.backend import Hosted, caller_of
from mutual_dissent.surfaces.http.errors import Refused
from mutual_dissent.surfaces.web.settings import prompts, tokens, values

PREFIX = "/ui/settings"


def router(hosted: Hosted) -> APIRouter:
    """All of these routes."""
    found = APIRouter(prefix=PREFIX, include_in_schema=False, dependencies=[Depends(owner)])
    values.add(found, hosted)
    prompts.add(found, hosted)
    tokens.add(found, hosted)
    return found


def owner(request: Request) -> None:
    """Make sure that it is the person at the page: a client's token does not open the settings.

    Raises:
        Refused: if it is somebody else.
    """
    if caller_of(request).name:
        raise Refused(403, "not_yours", "tokens do not open the settings; use the start address")
