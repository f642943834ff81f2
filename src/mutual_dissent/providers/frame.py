"""Streams repeat themselves: nearly every event is the one before with another piece of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from mutual_dissent.providers.sse import Event
from mutual_dissent.providers.vendor_json import SMALL

_PADDING = re.compile(r',"obfuscation":"[A-Za-z0-9]{0,100}"\}(?=\n|$)')
"""Letters with which OpenAI hides how long a piece is; amid a string the marks would be escaped."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before and after the text of such an event, and the event's name.

    An event that has both, and one JSON string between them, says the same with another text: it
    needs no reading.
    """

    name: str
    before: str
    after: str

    def beginning(self, events: Sequence[Event], start: int = 0) -> int:
        """How many events, from the one at `start` on, begin like this."""
        for number in range(start, len(events)):
            name, data = events[number]
            if not data.startswith(self.before) or name != self.name:
                return number - start
        return len(events) - start

    def texts(self, events: Sequence[Event]) -> list[str] | None:
        """The texts of events that are all in this frame; None if one is not, or must be mended."""
        whole = _PADDING.sub("}", "\n".join([data for _, data in events]))
        if not whole.endswith(self.after) or len(whole) > SMALL * len(events):
            return None
        inner = whole[len(self.before) : len(whole) - len(self.after)]
        parts = inner.split(f"{self.after}\n{self.before}")
        try:
            texts = orjson.loads(f"[{','.join(parts)}]")
        except orjson.JSONDecodeError:  # also half a surrogate pair
            return None
        return texts if len(texts) == len(events) and set(map(type, texts)) == {str} else None


def frame_around(text: str, name: str, data: str, field: str) -> Frame | None:
    """The frame of an event with that text in that field; None where it cannot be told."""
    data = _PADDING.sub("}", data)
    label, said = f'"{field}":', orjson.dumps(text).decode()
    start = next((n for n in (label, f"{label} ") if n + said in data), None)
    if start is None or data.count(label) != 1:
        return None
    at = data.find(start) + len(start)
    return Frame(name, data[:at], data[at + len(said) :])
