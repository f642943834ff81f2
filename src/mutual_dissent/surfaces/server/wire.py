"""The wire under the app: heads of requests within a size and a time, which uvicorn leaves open."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from mutual_dissent.config.server_options import ServerOptions


class Wire(HttpToolsProtocol):
    """A connection whose client has to get on with it."""

    limits = ServerOptions()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._head_bytes = 0
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client came; the head of its request is awaited."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client went."""
        self._cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Something came: as long as it is a head, it may only grow so far."""
        before = self._in_head
        super().data_received(data)
        if before and self._in_head and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > self.limits.max_head_bytes:
                self._end(431, "the head of the request is too large; send fewer or shorter fields")

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0
        self._await_head()

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._in_head = False
        self._cancel()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._cancel()
        self._late = self.loop.call_later(self.limits.idle_timeout, self._too_late)

    def _cancel(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _too_late(self) -> None:
        if self.transport.is_closing():
            return
        if self.headers is None:  # not one byte: nobody waits for an answer
            self.transport.close()
        else:
            self._end(408, "the head of the request was not there in time; send it faster")

    def _end(self, status: int, sentence: str) -> None:
        code = {408: "slow_head", 431: "head_too_large"}[status]
        body = f'{{"error":{{"code":"{code}","message":"{sentence}","status":{status}}}}}'.encode()
        head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
        self.transport.write(STATUS_LINE[status] + head % len(body) + body)
        self.transport.close()


def wire(options: ServerOptions) -> type[Wire]:
    """Connections with these limits."""
    return type("Wire", (Wire,), {"limits": options})
