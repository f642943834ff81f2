"""The output of an agent program, taken in piece by piece and read within bounds."""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable
from typing import Any

from mutual_dissent.core.ports import RESTART, OnText
from mutual_dissent.providers.agents.table import OutputName
from mutual_dissent.providers.agents.words import claude, codex, gemini
from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.dialects.finish import note_finish
from mutual_dissent.providers.dialects.json_values import decode_event

MOST_TEXT = 2_000_000
MOST_LINE = 8_000_000
MOST_RAW = 64_000_000
"""Bytes of an answer, of one line of JSON, and of all that a program may write for one answer:
a token may cost some hundred bytes of wrapping."""


class Hearing:
    """One answer on its way. `reading` has the parsed output, `noise` the first line that was not.

    `flood` says which limit the output exceeded.
    """

    def __init__(self, output: OutputName, on_text: OnText, most_text: int = MOST_TEXT) -> None:
        self.reading = PartialAnswer()
        self.noise = ""
        self.flood = ""
        self.first: float | None = None
        self._on_text, self._room, self._most = on_text, most_text, most_text
        self._raw = 0
        self._is_full = False
        self._is_text = output == "text"
        self._event = EVENTS.get(output)
        self._line = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def take(self, data: bytes) -> bool:
        """Take in output; return whether that is enough of it."""
        self._raw += len(data)
        if self._raw > MOST_RAW:
            self.flood = f"wrote more than {MOST_RAW // 1_000_000} MB"
        elif self._is_text:
            self.say(self._decoder.decode(data))
        else:
            self._lines(data)
        return self._is_enough

    def end(self, code: int) -> None:
        """Take in the end of the output; the program ended with this code."""
        if self._is_text:
            self.say(self._decoder.decode(b"", final=True))
            if code == 0 and self.reading.finish is None:
                note_finish(self.reading, "stop")
        elif self._line:
            self._lines(b"\n")

    def say(self, text: str) -> None:
        """Pass on a piece of the answer, as far as there is room for it."""
        if not text or self._is_full:
            return
        raw = text.encode("utf-8", "replace")
        if len(raw) > self._room:
            self._is_full = True
            note_finish(self.reading, "length")
        piece = raw[: self._room].decode("utf-8", "ignore")
        self._room -= len(raw)
        self.reading.text.append(piece)
        self.first = self.first or time.monotonic()
        self._on_text(piece)

    def start_over(self) -> None:
        """Forget the answer so far: the program begins it again."""
        if self.reading.text:
            self.reading.text.clear()
            self._room = self._most
            self._on_text(RESTART)

    @property
    def _is_enough(self) -> bool:
        return self._is_full or bool(self.flood) or self.reading.error is not None

    def _lines(self, data: bytes) -> None:
        # Only what is new is searched, or a long line would be gone through with every piece.
        start = len(self._line)
        self._line += data
        while (end := self._line.find(b"\n", start)) >= 0:
            line, self._line, start = bytes(self._line[:end]), self._line[end + 1 :], 0
            self._read(line)
            if self._is_enough:
                return
        if len(self._line) > MOST_LINE:
            self.flood = f"wrote a line of more than {MOST_LINE // 1_000_000} MB"

    def _read(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").strip()
        event = decode_event(text) if text.startswith("{") else None
        if event is not None:
            self.event(event)
        elif text:
            self.noise = self.noise or text[:1000]

    def event(self, event: dict[str, Any]) -> None:
        """Take in one of the objects that the program writes."""
        if self._event is not None:
            self._event(self, event)


EVENTS: dict[str, Callable[[Hearing, dict[str, Any]], None]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
}
