"""The wire under the app: heads of requests within a size and a time, which uvicorn leaves open."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from mutual_dissent.config.sections import ServerOptions
from mutual_dissent.surfaces.http.body_reader import LINGER, REST
from mutual_dissent.surfaces.http.errors import Problem

TOO_LARGE = Problem(
    431, "head_too_large", "the head of the request is too large; send fewer or shorter fields"
)
TOO_LATE = Problem(
    408, "slow_head", "the head of the request was not there in time; send it faster"
)


class HttpProtocol(HttpToolsProtocol):
    """A connection that closes on a slow client."""

    limits = ServerOptions()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head, self._refused = True, False
        self._size = 0
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the head of the client's first request."""
        super().connection_made(transport)
        self._await(self._too_late, self.limits.idle_timeout)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        self._cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take data, and refuse a head that grows too large."""
        if self._refused:  # drained for a while, or the client would not read our answer
            self._size += len(data)
            if self._size > REST:
                self.transport.close()
            return
        before = self._in_head
        super().data_received(data)
        if before and self._in_head:
            self._size += len(data)
            if self._size > self.limits.max_head_bytes:
                self._refuse(TOO_LARGE)

    def on_message_begin(self) -> None:
        """Start the timeout of a request's head."""
        super().on_message_begin()
        self._in_head, self._size = True, 0
        self._await(self._too_late, self.limits.idle_timeout)

    def on_headers_complete(self) -> None:
        """Cancel the timeout, and refuse a URL that is too long."""
        self._in_head = False
        self._cancel()
        if len(self.url) > self.limits.max_head_bytes:
            self._refuse(TOO_LARGE)
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take more of the body, unless the request was refused."""
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Start the request, unless it was refused."""
        if not self._refused:
            super().on_message_complete()

    def _await(self, then: Any, seconds: float) -> None:
        self._cancel()
        self._late = self.loop.call_later(seconds, then)

    def _cancel(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _too_late(self) -> None:
        if self.headers is None:  # not one byte arrived: no client expects an answer
            self.transport.close()
        else:
            self._refuse(TOO_LATE)

    def _refuse(self, problem: Problem) -> None:
        """Answer by hand, because the app needs a request and there is none."""
        if self._refused or self.transport.is_closing():
            return
        self._refused, self._size = True, 0
        body = orjson.dumps(problem.plain())
        head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
        self.transport.write(STATUS_LINE[problem.status] + head % len(body) + body)
        self.transport.write_eof()
        self._await(self.transport.close, LINGER)


def wire(options: ServerOptions) -> type[HttpProtocol]:
    """Return a protocol class with these limits."""
    # uvicorn makes a protocol for each connection itself, from its class alone.
    return type("Wire", (HttpProtocol,), {"limits": options})
