"""Errors as every surface answers them: a status, a code for programs, a sentence.

    {"error": {"code": "not_found", "message": "one sentence with the next step", "status": 404}}

A surface whose clients expect another shape gives its own; status, code and sentence stay the same.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mutual_dissent.core.errors import (
    BadConfig,
    BadInput,
    DissentError,
    Held,
    NobodyToRead,
    NotAsked,
    NotFound,
    NotRunning,
    NotSaved,
    NotWritable,
    NotYours,
    OverBudget,
    StoreError,
    UnknownName,
    UserError,
    clip,
)
from mutual_dissent.core.values.terms import Terms
from mutual_dissent.hosting.sessions import Busy
from mutual_dissent.surfaces.facts.faults import faults
from mutual_dissent.surfaces.terms import PAGE

log = logging.getLogger("mutual_dissent.server")

A_MINUTE = {"retry-after": "60"}
ASKED_BY = "x-asked-by"
"""The header by which our pages say that they ask."""
# "/home/ann/.mutual-dissent/debates.db" becomes "debates.db".
_FOLDERS = re.compile(
    r"(?<![\w.:/])(?:[A-Za-z]:)?(?:[/\\][^\s/\\;:][^/\\;:\n]{0,254}){1,50}[/\\](?=[^\s/\\;:,])"
)
"""Folders of a file on this machine, which clients must not learn."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A request's error, ready to be sent.

    Attributes:
        message: one sentence, with markers where it speaks of options and commands.
    """

    status: int
    code: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def plain(self, terms: Terms = PAGE) -> dict[str, Any]:
        """The problem as /api and the pages say it, each in its own terms."""
        message = terms.resolve(self.message)
        return {"error": {"code": self.code, "message": message, "status": self.status}}


Shape = Callable[[Problem], Mapping[str, Any]]
"""Formats a problem as the JSON object of a surface's answer."""

MAPPING: dict[type[DissentError], tuple[int, str]] = {
    NotFound: (404, "not_found"),
    NotYours: (403, "not_yours"),
    Held: (409, "held"),
    NotRunning: (409, "not_running"),
    NotAsked: (409, "not_asked"),
    NotSaved: (507, "not_saved"),
    NotWritable: (507, "not_saved"),
    StoreError: (500, "store"),
    Busy: (429, "busy"),
    OverBudget: (402, "over_budget"),
    UnknownName: (422, "unknown_name"),
    NobodyToRead: (409, "nobody_to_read"),
    BadInput: (422, "bad_input"),
    BadConfig: (500, "bad_config"),
    UserError: (422, "bad_input"),
    DissentError: (500, "error"),
}
"""Status and code of each error; the nearest class in an error's own line of descent holds."""


class ApiError(DissentError):
    """A request that is answered with a problem; any route may raise it."""

    def __init__(
        self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.problem = Problem(status, code, message, headers or {})


def problem_of(error: Exception) -> Problem:
    """Return the problem to send for an error; unexpected errors reveal no details."""
    match error:
        case ApiError():
            return error.problem
        case BadConfig():  # a retry fails until the configuration is corrected
            # OpenAI's client libraries repeat a request after any 5xx unless told not to.
            again = {"x-should-retry": "false"}
            return Problem(*MAPPING[BadConfig], error.elsewhere, again)
        case DissentError():
            status, code = next(MAPPING[c] for c in type(error).__mro__ if c in MAPPING)
            sentence = error.sentence
            if isinstance(error, StoreError):
                sentence = _FOLDERS.sub("", sentence)
            return Problem(status, code, sentence, A_MINUTE if status == 429 else {})
        case RequestValidationError():
            return Problem(422, "bad_input", _first_fault(error))
        case HTTPException():
            status = error.status_code
            return Problem(status, _code(status), _sentence(error), dict(error.headers or {}))
    return Problem(500, "internal", "this is a bug in the server; its log says more")


def answer(problem: Problem, shape: Shape | None = None) -> Response:
    """Return the response for a problem."""
    plain = shape(problem) if shape else problem.plain()
    return Response(
        orjson.dumps(plain),
        problem.status,
        media_type="application/json",
        headers=dict(problem.headers),
    )


def install(app: FastAPI, shapes: Mapping[str, Shape]) -> None:
    """Have an app answer all errors in one shape, except on paths with their own.

    Unexpected exceptions are answered and logged by the guard.
    """

    async def say(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        if request.headers.get(ASKED_BY) == "page":  # the same routes, for a person's eyes
            problem = replace(problem, message=PAGE.resolve(problem.message))
        if problem.status >= 500:  # its text may quote a client: only its type is logged
            log.error("%s failed: %s", request.method, type(error).__name__)
        return answer(problem, shape_of(request.url.path, shapes))

    for kind in (DissentError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, say)


def shape_of(path: str, shapes: Mapping[str, Shape]) -> Shape | None:
    """The shape of the problems of a path."""
    return next((s for prefix, s in shapes.items() if is_under(path, prefix)), None)


def is_under(path: str, prefix: str) -> bool:
    """Return whether a path equals the prefix or is below it; /apiary is not below /api."""
    return path == prefix or path.startswith(prefix.rstrip("/") + "/")


def _code(status: int) -> str:
    try:
        return HTTPStatus(status).phrase.lower().replace(" ", "_").replace("-", "_")
    except ValueError:
        return "error"


def _sentence(error: HTTPException) -> str:
    """Return the sentence of a framework error, which is often only the status phrase."""
    hints = {
        404: "there is nothing at this address; check its path",
        405: "this address does not take that method; see its Allow header",
    }
    detail = str(error.detail or "")
    named = detail == HTTPStatus(error.status_code).phrase if error.status_code < 600 else False
    return hints.get(error.status_code, detail) if named or not detail else clip(detail, 500)


def _first_fault(error: RequestValidationError) -> str:
    """Return the first fault of a request, without repeating its value."""
    where = ("body", "query", "path", "header")
    errors = [{**e, "loc": [p for p in e["loc"] if p not in where]} for e in error.errors()]
    return faults(errors)[0]
