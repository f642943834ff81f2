"""The body of a page or of a search: read up to a size, inflated without being overwhelmed."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator

from mutual_dissent.tools.addresses import NotFetched

MAX_BODY = 10_000_000
MAX_RATIO = 100
_FREE = 1_000_000  # up to this size, the ratio does not matter
_PIECE = 262_144
# zlib's word for whichever of the two the header says (32), with the largest window (15).
_GZIP_OR_ZLIB = 47
_COMPRESSED = ("gzip", "x-gzip", "deflate")


async def whole(chunks: AsyncIterator[bytes], encoding: str, limit: int = MAX_BODY) -> bytes:
    """All bytes of a body, inflated.

    Raises:
        NotFetched: if it is too large, grows too much, or is encoded in another way.
    """
    kind = encoding.strip().lower()
    if kind not in ("", "identity", *_COMPRESSED):
        raise NotFetched("its body is encoded in a way that was not asked for")
    inflate = zlib.decompressobj(_GZIP_OR_ZLIB) if kind in _COMPRESSED else None
    body, taken = bytearray(), 0
    async for chunk in chunks:
        taken += len(chunk)
        for piece in _inflated(inflate, chunk) if inflate else (chunk,):
            body += piece
            if max(len(body), taken) > limit:
                raise NotFetched(f"its body is larger than {limit / 1_000_000:g} MB")
            if len(body) > _FREE and len(body) > taken * MAX_RATIO:
                raise NotFetched(f"its body grows to more than {MAX_RATIO} times its size")
    return bytes(body)


def _inflated(inflate: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    while chunk and not inflate.eof:
        try:
            piece = inflate.decompress(chunk, _PIECE)
        except zlib.error:
            raise NotFetched("its body is not compressed as its header says") from None
        chunk = inflate.unconsumed_tail
        if piece:
            yield piece
