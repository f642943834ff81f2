"""Answers of these routes: plain values that no browser caches."""

from __future__ import annotations

from starlette.responses import Response

from mutual_dissent.surfaces.rest.session_state import as_json

UNKEPT = {"Cache-Control": "no-store"}


def json_response(value: object) -> Response:
    """Values for a page."""
    return as_json(value, headers=UNKEPT)
