"""Routes of the settings page, only for the user who started the server."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request

from mutual_dissent.surfaces.http.backend import HostedBackend, caller_of
from mutual_dissent.surfaces.http.errors import ApiError
from mutual_dissent.surfaces.web.settings import prompts, tokens, values

PREFIX = "/ui/settings"


def router(hosted: HostedBackend) -> APIRouter:
    """Return all of these routes."""
    routes = APIRouter(prefix=PREFIX, include_in_schema=False, dependencies=[Depends(owner)])
    values.add(routes, hosted)
    prompts.add(routes, hosted)
    tokens.add(routes, hosted)
    return routes


def owner(request: Request) -> None:
    """Allow only the person at the page: a token does not open the settings.

    Raises:
        Refused: if the caller used a token.
    """
    if caller_of(request).name:
        raise ApiError(403, "not_yours", "tokens do not open the settings; use the start address")
