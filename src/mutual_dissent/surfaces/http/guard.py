"""The guard: checks every request before routes, sockets and files see it."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mutual_dissent.config.sections import ServerOptions
from mutual_dissent.store.viewer import VIEWER
from mutual_dissent.surfaces.http import request_checks
from mutual_dissent.surfaces.http.auth import PARAMETER, Admission, CookieEntry
from mutual_dissent.surfaces.http.backend import CALLER, Caller
from mutual_dissent.surfaces.http.body_limits import PARSED, parse_json
from mutual_dissent.surfaces.http.body_reader import BodyReader, drain, replay_body
from mutual_dissent.surfaces.http.errors import (
    ApiError,
    Problem,
    Shape,
    answer,
    problem_of,
    shape_of,
)
from mutual_dissent.surfaces.http.request_head import Head
from mutual_dissent.surfaces.http.response_headers import Answer
from mutual_dissent.surfaces.http.telemetry.logs import FIELDS
from mutual_dissent.surfaces.http.telemetry.metrics import Metrics
from mutual_dissent.surfaces.http.threshold import threshold

log = logging.getLogger("mutual_dissent.server")
access = logging.getLogger("mutual_dissent.access")

IGNORED = frozenset({b"range", b"if-range"})
"""Headers hidden from routes: many small ranges of one file cost more than the file."""

LEFT = 499
"""Logged status of a request whose client disconnected before the answer."""


@dataclass(slots=True)
class _GuardedRequest:
    """A request on its way through the guard."""

    head: Head
    answer: Answer
    caller: Caller | None = None
    route: str = ""
    read: bool = False


class Guard:
    """Passes allowed requests on, refuses the others, and counts both."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        options: ServerOptions,
        admission: Admission,
        entry: CookieEntry,
        metrics: Metrics,
        shapes: Mapping[str, Shape],
    ) -> None:
        self.app = app
        self._options, self._admission, self._entry = options, admission, entry
        self._metrics, self._shapes = metrics, shapes
        self._intake = BodyReader(options)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at a request, and pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        head, begun = Head(scope), time.perf_counter()
        out = Answer(send, self._metrics, is_api=head.is_api, streams=self._options.streams)
        visit = _GuardedRequest(head, out)
        try:
            await self._pass(visit, receive)
        except ClientDisconnect:
            pass
        except Exception as e:  # noqa: BLE001 - whatever it was, the client gets an answer
            await self._refuse(visit, e, receive)
        finally:
            out.release()
            self._note(visit, time.perf_counter() - begun)

    async def _pass(self, visit: _GuardedRequest, receive: Receive) -> None:
        head = visit.head
        # What needs no database first: a foreign host or page is refused before tokens are looked
        # up.
        host = self._look(head)
        if greeting := self._entry.greeting(head):
            await greeting(head.scope, receive, visit.answer)
            return
        visit.caller = self._admission.caller(head, host)
        # A stream may last for hours: its token is looked at again while it runs, not only now.
        visit.answer.may_stay = partial(self._admission.may_stay, visit.caller)
        request_checks.check_kind(head)
        if head.is_socket:
            await self._call(visit, receive)
            return
        # Whole, within a size and a time, before any route sees it: each library would check
        # otherwise, or not at all (decision 13).
        async with self._intake.body(head, receive) as body:
            visit.read = True
            await self._call(visit, replay_body(body, receive), self._parse(head, body))

    def _look(self, head: Head) -> str:
        options = self._options
        host = request_checks.check_host(head, options.names)
        request_checks.check_size(head, options.max_headers, options.max_head_bytes)
        request_checks.check_origin(head, host)
        return host

    def _parse(self, head: Head, body: bytes | None) -> dict[str, object]:
        """Parse a JSON body once and strictly, because not every route would be strict."""
        return {PARSED: parse_json(body)} if body and head.is_api and not head.is_safe else {}

    async def _call(
        self, visit: _GuardedRequest, receive: Receive, found: Mapping[str, object] | None = None
    ) -> None:
        scope = dict(visit.head.scope)
        scope["headers"] = [(n, v) for n, v in visit.head.fields if n not in IGNORED]
        scope["state"] = {**scope.get("state", {}), CALLER: visit.caller, **(found or {})}
        VIEWER.set(visit.caller.viewer if visit.caller else None)
        try:
            await self.app(scope, receive, visit.answer)
        finally:
            visit.route = getattr(scope.get("route"), "path", "") or ""

    async def _refuse(self, visit: _GuardedRequest, error: Exception, receive: Receive) -> None:
        out = visit.answer
        refused = out.refused or (error if isinstance(error, ApiError) else None)
        problem = refused.problem if refused else problem_of(error)
        if problem.status == 500:
            log.error("%s failed", visit.head.method, exc_info=error)
        if out.status:  # too late for another answer: the connection ends here
            return
        response = self._response_for(visit.head, problem)
        if visit.head.is_socket:
            await _deny(visit.head.scope, response, out)
        # After 408 the client had its time to send; it is not drained for longer.
        elif visit.read or not visit.head.has_body or problem.status == 408:
            await response(visit.head.scope, receive, out)
        else:
            await _answer_early(response, receive, out)

    def _response_for(self, head: Head, problem: Problem) -> Response:
        if not head.is_api and "text/html" in (head.one(b"accept") or ""):
            if problem.status == HTTPStatus.UNAUTHORIZED and head.method == "GET":
                return threshold(problem, again=head.query(PARAMETER) is not None)
            return Response(problem.message + "\n", problem.status, media_type="text/plain")
        response = answer(problem, shape_of(head.path, self._shapes))
        if head.has_body:
            response.headers["connection"] = "close"
        return response

    def _note(self, visit: _GuardedRequest, seconds: float) -> None:
        """Count and log a request by its route's pattern, never by the client's text."""
        head, status = visit.head, visit.answer.status or LEFT
        method = "WS" if head.is_socket else head.method
        route = visit.route or ("unmatched" if visit.caller else "refused")
        self._metrics.count(method, route, status, seconds)
        line = {
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "token": visit.caller.name if visit.caller else None,
        }
        access.info("request", extra={FIELDS: line})


async def _answer_early(response: Response, receive: Receive, send: Send) -> None:
    """Answer while the client still sends, then drain it: else it would see a reset connection."""
    await send(
        {
            "type": "http.response.start",
            "status": response.status_code,
            "headers": response.raw_headers,
        }
    )
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    await drain(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _deny(scope: Scope, response: Response, send: Send) -> None:
    """Refuse a socket."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008, "reason": ""})  # policy violation
        return
    kind = "websocket.http.response"
    await send(
        {"type": f"{kind}.start", "status": response.status_code, "headers": response.raw_headers}
    )
    await send({"type": f"{kind}.body", "body": response.body})
