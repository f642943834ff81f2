"""The site: one page for all paths, and its files. It loads nothing from other hosts."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from mutual_dissent.surfaces.http.app import AppPart
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.web import (
    experiments,
    files,
    research,
    review_text,
    settings,
    start,
    words,
)

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
"""Headers that make browsers revalidate each time; unchanged files are answered with 304."""


def web(hosted: HostedBackend) -> AppPart:
    """The pages' part of the server."""
    router = APIRouter(include_in_schema=False)
    router.include_router(research.router(hosted))
    router.include_router(experiments.router(hosted))
    router.include_router(files.router(hosted))
    router.include_router(review_text.router(hosted))
    router.include_router(settings.router(hosted))
    router.include_router(start.router(hosted))
    return AppPart(routes=routes(), router=router)


def routes() -> list[BaseRoute]:
    """Return the page at each path, then its files."""
    pages = [Route(address, page, methods=["GET"]) for address in ADDRESSES]
    made = Route("/static/app/words.js", own_words, methods=["GET"])
    return [*pages, made, Mount("/static", _Files(directory=STATIC))]


async def page(_: Request) -> Response:
    """Return the page; its script reads the path."""
    return FileResponse(STATIC / "index.html", media_type="text/html", headers=FRESH)


async def own_words(_: Request) -> Response:
    """Return the module of words that the page shares with every other surface."""
    return Response(words.module(), media_type="text/javascript", headers=FRESH)


class _Files(StaticFiles):
    """Files that browsers revalidate, so that they see an upgrade."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers.update(FRESH)
        return response
