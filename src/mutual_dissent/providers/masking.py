"""What may be repeated of a vendor's words: no key, and no credentials in an address."""

from __future__ import annotations

import re

from mutual_dissent.core.errors import clip
from mutual_dissent.core.secret import Key

_ADDRESS = re.compile(
    # The scheme is bounded: else a long word would be read again from each of its letters.
    r"([a-z][a-z0-9+.-]{0,30}://)([^\s/?#\"'<>]*@)?([^\s?#\"'<>]*)(\?[^\s#\"'<>]*)?",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\s+")
EXCERPT = 200


def masked(text: str, key: Key | None) -> str:
    """The text without the key, and without user names, passwords and queries in addresses."""
    if key is not None:
        text = _without_cut_key(key.mask(text), key)
    return _ADDRESS.sub(_bare_address, text) if "://" in text else text


def excerpt(text: str, key: Key | None, limit: int = EXCERPT) -> str:
    """The first printable characters of what a vendor sent, masked before it is cut."""
    return clip(_BLANKS.sub(" ", masked(text, key)).strip(), limit)


def _without_cut_key(text: str, key: Key) -> str:
    """The text without the beginning of a key at its end, where a message was cut short."""
    whole, end = key.reveal(), text.rstrip("…")
    for length in range(len(whole) - 1, 5, -1):
        if end.endswith(whole[:length]):
            return f"{end[:-length]}[key]…"
    return text


def _bare_address(found: re.Match[str]) -> str:
    scheme, user, rest, query = found.groups()
    return f"{scheme}{'[masked]@' if user else ''}{rest}{'?[masked]' if query else ''}"
