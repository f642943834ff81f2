"""Streams repeat themselves: nearly every event is the one before with another piece of text."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from mutual_dissent.providers.vendor_json import SMALL

_PADDING = ',"obfuscation":"'  # letters with which OpenAI hides how long a piece is
_LONGEST_PADDING = 120


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before and after the text of such an event.

    An event that has both, and one JSON string between them, says the same with another text: it
    needs no reading.
    """

    before: str
    after: str

    def text(self, data: str) -> str | None:
        """The text of an event in this frame; None if it is not in it and has to be read."""
        if not data.startswith(self.before) or len(data) > SMALL:
            return None
        data = _without_padding(data)
        if not data.endswith(self.after):
            return None
        inner = data[len(self.before) : len(data) - len(self.after)]
        if inner[:1] != '"':
            return None
        try:
            text = orjson.loads(inner)
        except orjson.JSONDecodeError:  # also a half surrogate pair, which is mended elsewhere
            return None
        return text if type(text) is str else None


def frame_around(text: str, data: str, field: str) -> Frame | None:
    """The frame of an event with that text in that field; None where it cannot be told."""
    data, said = _without_padding(data), orjson.dumps(text).decode()
    name = f'"{field}":'
    start = next((n for n in (name, f"{name} ") if n + said in data), None)
    if start is None or data.count(name) != 1:
        return None
    at = data.find(start) + len(start)
    return Frame(data[:at], data[at + len(said) :])


def _without_padding(data: str) -> str:
    at = data.rfind(_PADDING, -_LONGEST_PADDING)
    inner = data[at + len(_PADDING) : -2] if at >= 0 else ""
    return f"{data[:at]}}}" if inner.isalnum() and data.endswith('"}') else data
