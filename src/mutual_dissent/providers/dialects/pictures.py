"""Pictures on the wire: all vendors take them as text in base 64, each in a place of its own."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode

from mutual_dissent.core.response import Ask


def encoded_pictures(ask: Ask, *, for_urls: bool = False) -> list[tuple[str, str]]:
    """Return the type and the bytes in base 64 of each picture that an ask shows.

    Args:
        for_urls: whether in the alphabet that Google's own SDK writes.
    """
    encode = urlsafe_b64encode if for_urls else b64encode
    return [(p.media_type, encode(p.raw).decode()) for p in ask.pictures if p.raw is not None]
