"""Reads a request's body in full before any route sees it, within a size and a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from mutual_dissent.config.sections import ServerOptions
from mutual_dissent.surfaces.http.errors import ApiError, is_under
from mutual_dissent.surfaces.http.request_head import Head

AT_ONCE = 16
"""Bodies of the largest size that may be in memory at once."""

FILES_AT_ONCE = 4
"""Bodies with files of the largest size that may be, where the others are kept small."""

WITH_FILES = (
    "/api/chat", "/api/quote", "/v1/chat/completions", "/v1/responses", "/v1/messages",
    "/v1beta/models", "/mcp", "/ui/files",
)  # fmt: skip
"""Where files come with a request: all others are words."""

LINGER, REST = 2.0, 64_000_000
"""Seconds and bytes for a refused client to finish sending; only then it reads our answer."""


class BodyReader:
    """Reads bodies, and limits their total memory."""

    def __init__(self, options: ServerOptions) -> None:
        self._words, self._files = options.max_body_bytes, options.max_files_bytes
        self._room = max(AT_ONCE * self._words, FILES_AT_ONCE * self._files)
        self._seconds = options.body_timeout
        self._held = 0

    @asynccontextmanager
    async def body(self, head: Head, receive: Receive) -> AsyncGenerator[bytes | None, None]:
        """The whole body, or None; it counts against the memory limit inside the context."""
        if not head.has_body:
            yield None
            return
        limit = self._limit(head)
        self._check(head.length, limit)
        parts: list[bytes] = []
        try:
            await self._read(parts, receive, limit)
            whole = b"".join(parts)
            yield whole
        finally:
            self._held -= sum(map(len, parts))

    def _limit(self, head: Head) -> int:
        """The most bytes of one body."""
        brings = any(is_under(head.path, prefix) for prefix in WITH_FILES)
        return self._files if brings else self._words

    async def _read(self, parts: list[bytes], receive: Receive, limit: int) -> None:
        size, more = 0, True
        try:
            async with asyncio.timeout(self._seconds):
                while more:
                    part, more = _part(await receive())
                    parts.append(part)
                    size, self._held = size + len(part), self._held + len(part)
                    self._check(size, limit)
        except TimeoutError:
            raise ApiError(
                408,
                "slow_body",
                f"the body of the request was not there within {self._seconds:g} s; send it faster",
            ) from None

    def _check(self, size: int, limit: int) -> None:
        if size > limit:
            raise ApiError(
                413,
                "body_too_large",
                f"the body of a request may have {limit:,} bytes; send less",
            )
        if self._held > self._room:
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
