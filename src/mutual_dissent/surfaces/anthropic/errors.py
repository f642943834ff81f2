"""Errors in the shape that Anthropic's clients read, with the real status."""

from __future__ import annotations

from typing import Any

from mutual_dissent.surfaces.http.errors import Problem
from mutual_dissent.surfaces.terms import REST

_KINDS = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
}


def shape(problem: Problem) -> dict[str, Any]:
    """Return a problem in the shape of Anthropic's errors."""
    usual = "api_error" if problem.status >= 500 else "invalid_request_error"
    kind = _KINDS.get(problem.status, usual)
    message = REST.resolve(problem.message)
    return {"type": "error", "error": {"type": kind, "message": message, "code": problem.code}}
