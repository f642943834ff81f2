"""Reads a request's body in full before any route sees it, within a size and a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from mutual_dissent.config.sections import ServerOptions
from mutual_dissent.surfaces.http.errors import ApiError
from mutual_dissent.surfaces.http.request_head import Head

AT_ONCE = 16
"""Bodies of the largest size that may be in memory at once."""

LINGER, REST = 2.0, 64_000_000
"""Seconds and bytes for a refused client to finish sending; only then it reads our answer."""


class BodyReader:
    """Reads bodies, and limits their total memory."""

    def __init__(self, options: ServerOptions) -> None:
        self._limit, self._seconds = options.max_body_bytes, options.body_timeout
        self._held = 0

    @asynccontextmanager
    async def body(self, head: Head, receive: Receive) -> AsyncGenerator[bytes | None, None]:
        """The whole body, or None; it counts against the memory limit inside the context."""
        if not head.has_body:
            yield None
            return
        self._check(head.length)
        parts: list[bytes] = []
        try:
            await self._read(parts, receive)
            whole = b"".join(parts)
            yield whole
        finally:
            self._held -= sum(map(len, parts))

    async def _read(self, parts: list[bytes], receive: Receive) -> None:
        size, more = 0, True
        try:
            async with asyncio.timeout(self._seconds):
                while more:
                    part, more = _part(await receive())
                    parts.append(part)
                    size, self._held = size + len(part), self._held + len(part)
                    self._check(size)
        except TimeoutError:
            raise ApiError(
                408,
                "slow_body",
                f"the body of the request was not there within {self._seconds:g} s; send it faster",
            ) from None

    def _check(self, size: int) -> None:
        if size > self._limit:
            raise ApiError(
                413,
                "body_too_large",
                f"the body of a request may have {self._limit:,} bytes; send less",
            )
        if self._held > AT_ONCE * self._limit:
            raise ApiError(
                503,
                "busy",
                "too many large requests are being read; try again in a few seconds",
                {"retry-after": "5"},
            )


async def drain(receive: Receive) -> None:
    """Read and discard what a client still sends, for a while."""
    size, more = 0, True
    with suppress(TimeoutError, ClientDisconnect):
        async with asyncio.timeout(LINGER):
            while more and size < REST:
                part, more = _part(await receive())
                size += len(part)


def replay_body(body: bytes | None, receive: Receive) -> Receive:
    """Return a `receive` that replays a body already read, then continues as before."""
    if body is None:
        return receive
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _part(message: Message) -> tuple[bytes, bool]:
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    return message.get("body", b""), message.get("more_body", False)
