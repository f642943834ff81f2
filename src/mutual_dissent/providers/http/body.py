"""The body of an answer: unpacked, and given up where it stays silent."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import Self

PIECE = 32_768
# zlib's word for `whichever of the two the header says` (32), with the largest window (15).
_GZIP_OR_ZLIB = 47


class Undecodable(Exception):
    """A body is not encoded as its header says, or in a way that was not asked for."""


class Plain:
    """A body as it is."""

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the chunk itself."""
        yield chunk


class Inflate:
    """A gzip or zlib body; a gzip one may have several members, one after the other.

    It is inflated piece by piece, so that a small body cannot become huge at once.
    """

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._members = 0
        self._over = False

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the inflated chunk, in pieces of bounded size.

        Raises:
            Undecodable: if it is not compressed at all.
        """
        while chunk and not self._over:
            try:
                piece = self._zlib.decompress(chunk, PIECE)
            except zlib.error:
                if self._members:  # trailing bytes after a whole member are not the body's
                    self._over = True
                    return
                raise Undecodable("sent a body that is not compressed as its header says") from None
            chunk = self._zlib.unconsumed_tail
            if self._zlib.eof:
                chunk = self._zlib.unused_data
                self._zlib, self._members = zlib.decompressobj(_GZIP_OR_ZLIB), self._members + 1
            if piece:
                yield piece


def decoding(encoding: str) -> Plain | Inflate:
    """Return the decoder of this content-encoding.

    Raises:
        Undecodable: if the encoding is one that was not asked for.
    """
    match encoding.strip().lower():
        case "" | "identity":
            return Plain()
        case "gzip" | "x-gzip" | "deflate":
            return Inflate()
        case other:
            raise Undecodable(
                f"sent a body in the encoding {other[:20]!r}, which was not asked for"
            )


class Silence:
    """Ends its block with TimeoutError when nothing is heard for too long, or at the deadline.

    The reader only stores the loop's time in `last` when something comes: the timer looks at it
    when it fires, so a token costs no timer.
    """

    __slots__ = ("_handle", "_loop", "_timeout", "clock", "deadline", "last", "limit")

    def __init__(self, limit: float, deadline: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout = asyncio.timeout(None)
        self._handle: asyncio.TimerHandle | None = None
        self.limit = limit
        self.deadline = deadline
        self.clock = self._loop.time
        self.last = self.clock()

    @property
    def at_deadline(self) -> bool:
        """Return whether the call's own time is over, and not just the vendor silent."""
        return self._loop.time() >= self.deadline - 0.001

    def allow(self, limit: float) -> None:
        """Allow this much silence from now on."""
        self.limit = limit
        self._arm()

    async def __aenter__(self) -> Self:
        await self._timeout.__aenter__()
        self._arm()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handle:
            self._handle.cancel()
        await self._timeout.__aexit__(kind, error, trace)

    def _arm(self) -> None:
        if self._handle:
            self._handle.cancel()
        self._handle = self._loop.call_at(min(self.last + self.limit, self.deadline), self._check)

    def _check(self) -> None:
        now = self._loop.time()
        # A timer may fire a little early.
        if min(self.last + self.limit, self.deadline) <= now + 0.001:
            self._handle = None
            self._timeout.reschedule(now)
        else:
            self._arm()
