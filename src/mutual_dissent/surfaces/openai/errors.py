"""Errors in the shape that OpenAI's clients read, with the real status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mutual_dissent.surfaces.server.errors import Problem
from mutual_dissent.surfaces.server.errors import Refused as Answered

_KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


@dataclass(frozen=True, slots=True)
class Pointed(Problem):
    """A problem with a field of the request, which `param` names."""

    param: str | None = None


class Refused(Answered):
    """A request asks for something that a panel cannot do; `param` names the field."""

    def __init__(
        self,
        message: str,
        param: str | None = None,
        *,
        status: int = 400,
        code: str = "unsupported_value",
    ) -> None:
        super().__init__(status, code, message)
        self.problem = Pointed(status, code, message, param=param)


def shape(problem: Problem) -> dict[str, Any]:
    """A problem as OpenAI's clients read it."""
    usual = "server_error" if problem.status >= 500 else "invalid_request_error"
    return {
        "error": {
            "message": problem.message,
            "type": _KINDS.get(problem.status, usual),
            "param": problem.param if isinstance(problem, Pointed) else None,
            "code": problem.code,
        }
    }
