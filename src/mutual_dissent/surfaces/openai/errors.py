"""Errors in the shape that OpenAI's clients read, with the real status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.http.errors import ApiError, Problem
from mutual_dissent.surfaces.terms import REST
from mutual_dissent.views.heading import why_no_answer
from mutual_dissent.views.panel.names import names

_KINDS = {
    401: "authentication_error",
    402: "insufficient_quota",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}
_ENDS = {
    "budget": (402, "over_budget"),
    "timeout": (504, "timeout"),
    "stopped": (503, "interrupted"),
    "paused": (503, "interrupted"),
    "interrupted": (503, "interrupted"),
}
"""Reason for the end of a debate without answers -> status and code; else 502."""


@dataclass(frozen=True, slots=True)
class Pointed(Problem):
    """A problem with a field of the request, which `param` names."""

    param: str | None = None


class UnsupportedRequest(ApiError):
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

    @classmethod
    def of(cls, problem: Problem) -> UnsupportedRequest:
        """Make a refusal from a problem."""
        error = cls(problem.message, status=problem.status, code=problem.code)
        error.problem = problem
        return error


def no_answer(t: Transcript) -> Problem:
    """Return the problem of a finished debate without an answer, and forbid a costly retry."""
    status, code = _ENDS.get(t.closed_reason or t.status.value, (502, "no_answer"))
    go_on = f"POST /api/sessions/{t.transcript_id}/resume asks only what is missing"
    sentence = f"the panel gave no answer: {why_no_answer(t)} {go_on}"
    # Without it OpenAI's client libraries would buy the whole debate again, twice.
    return Problem(status, code, sentence, {"x-should-retry": "false"})


def not_usable(t: Transcript) -> Problem:
    """Return the problem of a debate whose answer the client's program could not use."""
    failed = next((r for r in reversed(t.failed_syntheses) if r.error), None)
    # The record says "its": here nothing else tells whose it is.
    why = failed and f"{names(t, [failed.model_alias])}: {failed.error}"
    parts = (
        t.brief.client and "a call",
        "the JSON that was asked for" if t.brief.reply else "an answer",
    )
    what = " or ".join(p for p in parts if p)
    sentence = f"nobody wrote {what}: {why or why_no_answer(t)}; ask again, or ask otherwise"
    return Problem(502, "unusable_answer", sentence, {"x-should-retry": "false"})


def shape(problem: Problem) -> dict[str, Any]:
    """Return a problem in the shape of OpenAI's errors."""
    usual = "server_error" if problem.status >= 500 else "invalid_request_error"
    return {
        "error": {
            "message": REST.resolve(problem.message),
            "type": _KINDS.get(problem.status, usual),
            "param": problem.param if isinstance(problem, Pointed) else None,
            "code": problem.code,
        }
    }
