"""Streams repeat themselves: nearly every event is the one before with another piece of text."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from mutual_dissent.providers.vendor_json import SMALL

_PADDING = ',"obfuscation":"'
"""Letters follow with which OpenAI hides how long a piece is."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before and after the text of such an event, and the event's name.

    An event that has both, and one JSON string between them, says the same with another text: it
    needs no reading.
    """

    name: str
    before: str
    after: str
    is_padded: bool

    def text(self, name: str, data: str) -> str | None:
        """The text of an event in this frame; None if it is not in it and has to be read."""
        start = len(self.before)
        if name != self.name or not data.startswith(self.before) or len(data) > SMALL:
            return None
        end = data.find('"', start + 1)
        text = data[start + 1 : end]
        if "\\" in text or not self._ends(data[end + 1 :]):
            return self._escaped(data[start:])
        return text if data[start] == '"' else None

    def _escaped(self, data: str) -> str | None:
        """The text that `data` begins with, if it has escapes."""
        end = data.rfind(self.after)
        return _string(data[:end]) if end > 0 and self._ends(data[end:]) else None

    def _ends(self, rest: str) -> bool:
        if not self.is_padded:
            return rest == self.after
        padding = rest[len(self.after) :]
        return rest.startswith(self.after) and padding[-2:] == '"}' and padding[:-2].isalnum()


def frame_around(text: str, name: str, data: str, field: str) -> Frame | None:
    """The frame of an event with that text in that field; None where it cannot be told."""
    label, said = f'"{field}":', orjson.dumps(text).decode()
    start = next((n for n in (label, f"{label} ") if n + said in data), None)
    if start is None or data.count(label) != 1:
        return None
    at = data.find(start) + len(start)
    before, after = data[:at], data[at + len(said) :]
    is_padded = _PADDING in after
    if is_padded:
        after = after[: after.rfind(_PADDING) + len(_PADDING)]
    return Frame(name, before, after, is_padded)


def _string(spoken: str) -> str | None:
    """The string that a JSON text is; None if it is something else, or needs to be mended."""
    try:
        text = orjson.loads(spoken)
    except orjson.JSONDecodeError:  # also half a surrogate pair
        return None
    return text if type(text) is str else None
