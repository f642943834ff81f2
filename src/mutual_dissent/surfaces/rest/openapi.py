"""The API's own description: an OpenAPI 3.1 document, at /api/openapi.json."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from fastapi import APIRouter, Response
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from mutual_dissent import __version__
from mutual_dissent.core.codec.camel import without_null
from mutual_dissent.surfaces.rest.input import requests
from mutual_dissent.surfaces.rest.input.json_body import REF
from mutual_dissent.surfaces.rest.session_state import as_json
from mutual_dissent.surfaces.rest.shapes import EXAMPLE

BODIES = (
    requests.Debate,
    requests.GoingOn,
    requests.GoOn,
    requests.Synthesize,
    requests.Analyze,
    requests.AskAgain,
    requests.Outcome,
    requests.OwnAnswer,
    requests.Remark,
    requests.Decide,
    requests.Probe,
)
ABOUT = (
    "Ask a panel of language models instead of one. A debate is started by `POST /api/chat`, "
    "belongs to the server's record, and goes on whoever listens. Errors have one shape; where "
    "tokens exist, send one as `Authorization: Bearer ...`."
)
TAGS = [
    {"name": "chat", "description": "Ask, and go on asking."},
    {"name": "sessions", "description": "Debates that are stored or under way."},
    {"name": "orders", "description": "What can be done with a session."},
    {"name": "catalogue", "description": "What there is to choose from, and what was spent."},
]


def add(router: APIRouter, described: Callable[[], APIRouter]) -> None:
    """Add the route; the routes that it describes are made when somebody asks."""
    made = cache(lambda: document(described()))

    @router.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        """Return the document."""
        return as_json(made())


def document(router: APIRouter) -> dict[str, Any]:
    """Return the OpenAPI document of a router."""
    made = get_openapi(
        title="Mutual Dissent",
        version=__version__,
        openapi_version="3.1.0",
        description=ABOUT,
        routes=router.routes,
        tags=TAGS,
    )
    _, schemas = models_json_schema([(m, "validation") for m in BODIES], ref_template=REF)
    components = made.setdefault("components", {})
    components["schemas"] = {**components.get("schemas", {}), **schemas["$defs"]}
    components["schemas"]["Session"]["example"] = EXAMPLE
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    # {}: on this machine none is needed while there is no token.
    made["security"] = [{}, {"token": []}]
    for operation in (o for path in made["paths"].values() for o in path.values()):
        for parameter in operation.get("parameters", ()):
            # A parameter is left out, never null.
            parameter["schema"] = without_null(parameter["schema"])
    return made
