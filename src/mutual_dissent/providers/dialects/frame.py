"""Streams repeat themselves: nearly every event is the one before with another piece of text."""

from __future__ import annotations

import re
from dataclasses import dataclass

import orjson

from mutual_dissent.providers.dialects.json_values import SMALL

_PADDING = b',"obfuscation":"'
"""OpenAI pads a piece with letters after this, to hide its length; in a string it is escaped."""

_PADDED_END = re.compile(_PADDING + rb'[A-Za-z0-9]{0,100}"\}$', re.MULTILINE)

_BEGINNING = 8
"""Bytes of an event by which the next one is found."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The bytes of such an event before its text and after it.

    An event with both, and one JSON string between them, says the same with another text: it need
    not be parsed.
    """

    head: bytes
    tail: bytes

    def take(self, lines: bytes) -> tuple[list[str], bytes] | None:
        """Return the texts of the events in this frame that the lines begin with, and the rest.

        None if there are no such events, if others stand between them, or if one must be mended.
        """
        # The padding differs with every event, so that without this no two have the same tail.
        flat = _PADDED_END.sub(b"}", lines) if _PADDING in lines else lines
        end, head, tail = self.tail + b"\n\n", len(self.head), len(self.tail)
        before, found, rest = flat.rpartition(end)
        framed = before + self.tail
        # No JSON string holds a line break, so that a blank line ends an event. A few bytes of the
        # next one are looked for with it: that is twice as fast as two line breaks alone.
        begun = self.head[:_BEGINNING]
        events = framed[len(begun) :].split(b"\n\n" + begun)
        parts = [event[head - len(begun) : -tail] for event in events]
        spoken = b",".join(parts)
        same = found and framed[head:-tail] == (end + self.head).join(parts)
        # Large events go the slow way, where they are looked at as possible bombs.
        if not same or len(spoken) > SMALL * len(parts):
            return None
        try:
            texts = orjson.loads(b"[%b]" % spoken)
        except orjson.JSONDecodeError:  # also half a surrogate pair
            return None
        # `"a","b"` between head and tail is more than one string; `1` is none.
        if len(texts) != len(parts) or set(map(type, texts)) != {str}:
            return None
        return texts, rest


def frame_around(text: str, name: str, data: str, field: str) -> Frame | None:
    """Return the frame of an event with that text in that field; None where it cannot be told."""
    event = _PADDED_END.sub(b"}", data.encode())
    label, quoted = f'"{field}":'.encode(), orjson.dumps(text)
    start = next((n for n in (label, label + b" ") if n + quoted in event), None)
    # With a second field of that name (`logprobs` have one) the text's place is not certain.
    if start is None or event.count(label) != 1:
        return None
    at = event.find(start) + len(start)
    named = f"event: {name}\n".encode() if name else b""
    return Frame(named + b"data: " + event[:at], event[at + len(quoted) :])
