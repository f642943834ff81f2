"""The server's app: one router a surface, behind one guard."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

from fastapi import APIRouter, FastAPI

from mutual_dissent import __version__
from mutual_dissent.surfaces.server.hosted import Hosted

Surface = Callable[[Hosted], APIRouter]
"""The routes of one surface."""


def create_app(hosted: Hosted, surfaces: Sequence[Surface]) -> FastAPI:
    """An app with the routes of the given surfaces; its end ends what is under way."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        yield
        await hosted.sessions.aclose()

    app = FastAPI(
        title="Mutual Dissent",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
    )
    for surface in surfaces:
        app.include_router(surface(hosted))
    return app
