"""Routes that are served: they answer, and leave the description to the document's routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter

DESCRIPTION = ("response_model", "responses", "openapi_extra")


class ServedRoutes(APIRouter):
    """Routes without the shapes of their answers.

    Every route answers with a finished response, so FastAPI needs no shape to serve it; to build
    the validators of all shapes, twice, took most of a server's start.
    """

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **how: Any) -> None:
        """Add a route; what only the document needs is left out."""
        bare = {name: value for name, value in how.items() if name not in DESCRIPTION}
        super().add_api_route(path, endpoint, response_model=None, **bare)
