"""The server's app: one part a surface, behind one guard."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute

from mutual_dissent import __version__
from mutual_dissent.surfaces.server.errors import Shape, install
from mutual_dissent.surfaces.server.hosted import Hosted


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a surface adds to the app.

    Attributes:
        router: its routes, as FastAPI has them.
        routes: further routes, as Starlette has them; they stand before the router's.
        lifespan: makes what is entered when the server starts and left when it ends.
        attach: is given the finished app, for pages that mount themselves; called last.
        prefix: the beginning of the paths whose errors have a shape of their own.
        shape: how those errors are said.
    """

    router: APIRouter | None = None
    routes: Sequence[BaseRoute] = ()
    lifespan: Callable[[], AbstractAsyncContextManager[Any]] | None = None
    attach: Callable[[FastAPI], None] | None = None
    prefix: str = ""
    shape: Shape | None = None


Surface = Callable[[Hosted], APIRouter | Part]
"""What one surface adds to the app; a router alone is enough."""


def create_app(hosted: Hosted, surfaces: Sequence[Surface]) -> FastAPI:
    """An app of the given surfaces; its end ends what is under way."""
    parts = [_part(surface(hosted)) for surface in surfaces]
    app = FastAPI(
        title="Mutual Dissent",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=_lifespan(hosted, parts),
    )
    install(app, {part.prefix: part.shape for part in parts if part.shape})
    for part in parts:
        app.router.routes.extend(part.routes)
        if part.router:
            app.include_router(part.router)
    for part in parts:
        if part.attach:
            part.attach(app)
    return app


def _part(found: APIRouter | Part) -> Part:
    return found if isinstance(found, Part) else Part(router=found)


def _lifespan(
    hosted: Hosted, parts: Sequence[Part]
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        async with AsyncExitStack() as stack:
            for part in parts:
                if part.lifespan:
                    await stack.enter_async_context(part.lifespan())
            stack.push_async_callback(hosted.sessions.aclose)  # before what debates are shown with
            yield

    return lifespan
