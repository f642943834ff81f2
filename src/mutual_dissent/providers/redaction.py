"""Redaction of a vendor's words: no key, and no credentials in an address."""

from __future__ import annotations

import re

import orjson

from mutual_dissent.core.errors import clip
from mutual_dissent.core.ports import OnText
from mutual_dissent.core.response import Citation
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.dialects.base import PartialAnswer

_ADDRESS = re.compile(
    # The scheme is bounded: else a long word would be scanned again from each of its letters.
    r"([a-z][a-z0-9+.-]{0,30}://)([^\s/?#\"'<>]*@)?([^\s?#\"'<>]*)(\?[^\s#\"'<>]*)?",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\s+")
EXCERPT = 200


def redact(text: str, key: Key | None) -> str:
    """Return the text without the key, and without credentials and queries in addresses."""
    if key is not None:
        text = _without_cut_key(key.mask(text), key)
    return _ADDRESS.sub(_bare_address, text) if "://" in text else text


def hide_key(reading: PartialAnswer, key: Key) -> None:
    """Take the key out of everything that is kept of an answer beside its text."""
    reading.served_model = reading.served_model and key.mask(reading.served_model)
    if any(key.reveal() in c.url or key.reveal() in c.title for c in reading.citations):
        reading.citations = [
            Citation(url=key.mask(c.url), title=key.mask(c.title)) for c in reading.citations
        ]
    if reading.tool_calls:
        written = orjson.dumps(reading.tool_calls).decode()
        if (safe := key.mask(written)) != written:
            reading.tool_calls = orjson.loads(safe)


class Unkeyed:
    """Passes text on without the key, also where it comes in pieces."""

    __slots__ = ("_first", "_held", "_key", "_on_text", "_whole")

    def __init__(self, key: Key, on_text: OnText) -> None:
        self._key, self._on_text = key, on_text
        self._whole = key.reveal()
        self._first = self._whole[:1]
        self._held = ""

    def __call__(self, text: str) -> None:
        """Pass on what cannot be part of the key; its end may have to wait for what follows."""
        text = self._key.mask(self._held + text)
        at = text.find(self._first, max(0, len(text) - len(self._whole) + 1))
        while at >= 0 and not self._whole.startswith(text[at:]):
            at = text.find(self._first, at + 1)
        self._held = text[at:] if at >= 0 else ""
        if passed := text[:at] if at >= 0 else text:
            self._on_text(passed)

    def end(self) -> None:
        """Pass on what was held back: nothing follows, so it is not the key."""
        held, self._held = self._held, ""
        if held:
            self._on_text(held)


def excerpt(text: str, key: Key | None, limit: int = EXCERPT) -> str:
    """Return the first printable characters of a vendor's text, masked before it is cut."""
    return clip(_BLANKS.sub(" ", redact(text, key)).strip(), limit)


def _without_cut_key(text: str, key: Key) -> str:
    """Return the text without the beginning of a key at its end, where a message was cut short."""
    whole, end = key.reveal(), text.rstrip("…")
    # Fewer than six letters tell nothing of a key.
    for length in range(len(whole) - 1, 5, -1):
        if end.endswith(whole[:length]):
            return f"{end[:-length]}[key]…"
    return text


def _bare_address(match: re.Match[str]) -> str:
    scheme, user, rest, query = match.groups()
    return f"{scheme}{'[masked]@' if user else ''}{rest}{'?[masked]' if query else ''}"
