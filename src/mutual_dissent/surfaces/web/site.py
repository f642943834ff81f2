"""The site: one page for all addresses, and its files. Nothing comes from elsewhere."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from mutual_dissent.surfaces.http.app import AppPart
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.web import experiments, files, research, settings, start

STATIC = Path(__file__).parent / "static"
ADDRESSES = (
    "/",
    "/debates",
    "/debates/{name}",
    "/debates/{name}/study",
    "/compare",
    "/settings",
)
"""Paths of pages; the script in the page decides what it shows."""

FRESH = {"Cache-Control": "no-cache"}
"""Asked for again each time, and answered with 304 where nothing has changed."""


def web(hosted: HostedBackend) -> AppPart:
    """The pages' part of the server."""
    router = APIRouter(include_in_schema=False)
    router.include_router(research.router(hosted))
    router.include_router(experiments.router(hosted))
    router.include_router(files.router(hosted))
    router.include_router(settings.router(hosted))
    router.include_router(start.router(hosted))
    return AppPart(routes=routes(), router=router)


def routes() -> list[BaseRoute]:
    """The page at each address, then its files."""
    pages = [Route(address, page, methods=["GET"]) for address in ADDRESSES]
    return [*pages, Mount("/static", _Files(directory=STATIC))]


async def page(_: Request) -> Response:
    """The page; it looks at its own address."""
    return FileResponse(STATIC / "index.html", media_type="text/html", headers=FRESH)


class _Files(StaticFiles):
    """Files that a browser asks for again after an upgrade."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers.update(FRESH)
        return response
