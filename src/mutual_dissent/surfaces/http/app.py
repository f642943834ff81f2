"""The server's app: one part a surface, behind one guard."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute

from mutual_dissent import __version__
from mutual_dissent.config.sections import ServerOptions
from mutual_dissent.hosting.config_watch import watch_config
from mutual_dissent.surfaces.http.auth import Admission, CookieEntry
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.http.errors import Shape, install
from mutual_dissent.surfaces.http.guard import Guard
from mutual_dissent.surfaces.http.rate_limit import Rates
from mutual_dissent.surfaces.http.telemetry.health import probes
from mutual_dissent.surfaces.http.telemetry.metrics import Metrics
from mutual_dissent.surfaces.http.token_budget import TokenBudget


@dataclass(frozen=True, slots=True, kw_only=True)
class AppPart:
    """A surface's contribution to the app.

    Attributes:
        router: its FastAPI routes.
        routes: further Starlette routes; they match before the router's.
        lifespan: makes the context that spans the server's life.
        attach: called last with the finished app, for pages that mount themselves.
        prefix: the start of the paths whose errors have their own shape.
        shape: formats those errors.
    """

    router: APIRouter | None = None
    routes: Sequence[BaseRoute] = ()
    lifespan: Callable[[], AbstractAsyncContextManager[Any]] | None = None
    attach: Callable[[FastAPI], None] | None = None
    prefix: str = ""
    shape: Shape | None = None


Surface = Callable[[HostedBackend], APIRouter | AppPart]
"""Makes the part of one surface; a router alone is enough."""


def create_app(
    hosted: HostedBackend,
    surfaces: Sequence[Surface],
    *,
    entry: CookieEntry | None = None,
    options: ServerOptions | None = None,
) -> FastAPI:
    """Return an app of the given surfaces behind the guard; its end stops the running debates.

    Args:
        entry: the secrets of the page's start address and cookie; by default new ones.
        options: limits and names; by default the configured ones.
    """
    parts = [_part(surface(hosted)) for surface in surfaces]
    app = FastAPI(
        title="Mutual Dissent",
        version=__version__,
        # FastAPI's own pages fetch scripts from elsewhere, and REST has a document of its own.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=_lifespan(hosted, parts),
    )
    shapes, metrics = {p.prefix: p.shape for p in parts if p.shape}, Metrics()
    install(app, shapes)
    app.include_router(probes(hosted, metrics))
    for part in parts:
        app.router.routes.extend(part.routes)
        if part.router:
            app.include_router(part.router)
    for part in parts:
        if part.attach:
            part.attach(app)
    # Last, so that it runs before any middleware that a surface has added.
    entry = entry or CookieEntry()
    purse = hosted.purse or TokenBudget(hosted.md.tokens, hosted.md.clock)
    app.add_middleware(
        Guard,
        options=options or hosted.md.settings.server,
        admission=Admission(hosted.md.tokens, purse, entry, Rates()),
        entry=entry,
        metrics=metrics,
        shapes=shapes,
    )
    return app


def _part(part: APIRouter | AppPart) -> AppPart:
    return part if isinstance(part, AppPart) else AppPart(router=part)


def _lifespan(
    hosted: HostedBackend, parts: Sequence[AppPart]
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(watch_config(hosted.md))
            for part in parts:
                if part.lifespan:
                    await stack.enter_async_context(part.lifespan())
            if hosted.purse:
                stack.push_async_callback(hosted.purse.aclose)
            stack.push_async_callback(
                hosted.sessions.aclose
            )  # runs first: debates end before the surfaces that show them
            yield

    return lifespan
