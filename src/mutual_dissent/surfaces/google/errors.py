"""Errors in the shape that Google's clients read, with the real status."""

from __future__ import annotations

from typing import Any

from mutual_dissent.surfaces.http.errors import Problem
from mutual_dissent.surfaces.terms import REST

_STATES = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    504: "DEADLINE_EXCEEDED",
}


def shape(problem: Problem) -> dict[str, Any]:
    """Return a problem in the shape of Google's errors."""
    usual = "INTERNAL" if problem.status >= 500 else "INVALID_ARGUMENT"
    state = _STATES.get(problem.status, usual)
    message = REST.resolve(problem.message)
    return {"error": {"code": problem.status, "message": message, "status": state}}
