"""The wire under the app: heads of requests within a size and a time, which uvicorn leaves open."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from mutual_dissent.config.sections.server import ServerOptions
from mutual_dissent.surfaces.http.body_reader import LINGER, REST
from mutual_dissent.surfaces.http.errors import Problem

TOO_LARGE = Problem(
    431, "head_too_large", "the head of the request is too large; send fewer or shorter fields"
)
TOO_LATE = Problem(
    408, "slow_head", "the head of the request was not there in time; send it faster"
)


class Wire(HttpToolsProtocol):
    """A connection whose client has to get on with it."""

    limits = ServerOptions()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head, self._refused = True, False
        self._size = 0
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client came; the head of its request is awaited."""
        super().connection_made(transport)
        self._await(self._too_late, self.limits.idle_timeout)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client went."""
        self._cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Something came: as long as it is a head, it may only grow so far."""
        if self._refused:  # heard out for a while, or it would not see our answer
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
        """A request begins."""
        super().on_message_begin()
        self._in_head, self._size = True, 0
        self._await(self._too_late, self.limits.idle_timeout)

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._in_head = False
        self._cancel()
        if len(self.url) > self.limits.max_head_bytes:
            self._refuse(TOO_LARGE)
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """More of the body is there."""
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is there."""
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
        if self.headers is None:  # not one byte: nobody waits for an answer
            self.transport.close()
        else:
            self._refuse(TOO_LATE)

    def _refuse(self, problem: Problem) -> None:
        """Answer by hand, for there is no request that the app could be given."""
        if self._refused or self.transport.is_closing():
            return
        self._refused, self._size = True, 0
        body = orjson.dumps(problem.plain())
        head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
        self.transport.write(STATUS_LINE[problem.status] + head % len(body) + body)
        self.transport.write_eof()
        self._await(self.transport.close, LINGER)


def wire(options: ServerOptions) -> type[Wire]:
    """Connections with these limits."""
    return type("Wire", (Wire,), {"limits": options})
