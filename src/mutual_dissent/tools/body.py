"""The body of a page or of a search: read up to a size, inflated without being overwhelmed."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator
from itertools import chain

from mutual_dissent.tools.addresses import NotFetched

MAX_BODY = 10_000_000
MAX_RATIO = 100
_FREE = 1_000_000  # up to this size, the ratio does not matter
_PIECE = 262_144
# zlib's word for whichever of the two the header says (32), with the largest window (15).
_GZIP_OR_ZLIB = 47
_COMPRESSED = ("gzip", "x-gzip", "deflate")
_MOST_MEMBERS = 1_000  # of a gzip body; even an empty one costs time


async def whole(chunks: AsyncIterator[bytes], encoding: str, limit: int = MAX_BODY) -> bytes:
    """All bytes of a body, inflated.

    Raises:
        NotFetched: if it is too large, grows too much, or is encoded in another way.
    """
    kind = encoding.strip().lower()
    if kind not in ("", "identity", *_COMPRESSED):
        raise NotFetched("its body is encoded in a way that was not asked for")
    inflate = _Inflated() if kind in _COMPRESSED else None
    body, taken = bytearray(), 0
    async for chunk in chunks:
        taken += len(chunk)
        # An empty piece first: what is sent counts, though nothing may come of it.
        for piece in chain((b"",), inflate.pieces(chunk) if inflate else (chunk,)):
            body += piece
            if max(len(body), taken) > limit:
                raise NotFetched(f"its body is larger than {limit / 1_000_000:g} MB")
            if len(body) > _FREE and len(body) > taken * MAX_RATIO:
                raise NotFetched(f"its body grows to more than {MAX_RATIO} times its size")
    return bytes(body)


class _Inflated:
    """A gzip or zlib body; a gzip one may have several members, one after the other."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._members = 0
        self._over = False

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        while chunk and not self._over:
            try:
                piece = self._zlib.decompress(chunk, _PIECE)
            except zlib.error:
                if not self._members:
                    raise NotFetched("its body is not compressed as its header says") from None
                self._over = True  # bytes after a whole member are not the body's
                return
            chunk = self._zlib.unconsumed_tail
            if self._zlib.eof:
                chunk = self._zlib.unused_data
                self._zlib, self._members = zlib.decompressobj(_GZIP_OR_ZLIB), self._members + 1
                if self._members > _MOST_MEMBERS:
                    raise NotFetched(f"its body has more than {_MOST_MEMBERS:,} compressed parts")
            if piece:
                yield piece
