"""The tokens of programs: listed, made, revoked."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from mutual_dissent.core.errors import UnknownName
from mutual_dissent.store.tokens import AccessToken
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.requests import Body
from mutual_dissent.surfaces.rest.session_state import as_json
from mutual_dissent.surfaces.web.research.selection import read_body

Json = dict[str, Any]


class NewToken(Body):
    """A request for a token."""

    name: Annotated[str, Field(max_length=200)]
    budget: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    per_minute: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    mode: Annotated[str, Field(max_length=64)] | None = None
    scope: Literal["own", "read", "all"] = "own"


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the routes."""
    tokens, clock = hosted.md.tokens, hosted.md.clock

    @router.get("/tokens")
    async def every() -> Response:
        """Return the active tokens."""
        return as_json([_plain(t) for t in await asyncio.to_thread(tokens.active)])

    @router.post("/tokens")
    async def make(request: Request) -> Response:
        """Make a token; its secret is shown only now."""
        wanted = await read_body(request, NewToken)
        if wanted.mode and wanted.mode not in hosted.md.modes:
            raise UnknownName("mode", wanted.mode, hosted.md.modes)
        word = await asyncio.to_thread(
            lambda: tokens.new(
                wanted.name,
                clock(),
                budget_usd=wanted.budget,
                per_minute=wanted.per_minute,
                mode=wanted.mode or None,
                scope=wanted.scope,
            )
        )
        return as_json({"name": wanted.name, "token": word})

    @router.delete("/tokens/{name}")
    async def revoke(name: str) -> Response:
        """Revoke a token."""
        await asyncio.to_thread(tokens.revoke, name, clock())
        return as_json({"name": name})


def _plain(token: AccessToken) -> Json:
    return {
        "name": token.name,
        "createdAt": token.created_at.isoformat(),
        "budgetUsd": token.budget_usd,
        "spentUsd": token.spent_usd,
        "perMinute": token.per_minute,
        "mode": token.mode,
        "scope": token.scope,
    }
