"""Compressed bodies, inflated piece by piece, so that a small body cannot become huge at once."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

PIECE = 32_768
_GZIP_OR_ZLIB = 47


class Undecodable(Exception):
    """A body is not encoded as its header says, or in a way that was not asked for."""


class Plain:
    """A body as it is."""

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the chunk itself."""
        yield chunk


class Inflate:
    """A gzip or zlib body; a gzip one may have several members, one after the other."""

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
