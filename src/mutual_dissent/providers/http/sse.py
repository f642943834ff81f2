"""Server-sent events out of bytes that arrive in any pieces."""

from __future__ import annotations

MAX_EVENT = 4 * 1024 * 1024
BOM = b"\xef\xbb\xbf"

Event = tuple[str, str]
"""An event's name (empty where the vendor gave none) and its data."""


class SSE:
    """An incremental parser: feed it what arrives, and it returns the events that are whole.

    Lines may end in LF, CR or CRLF, also with the pair split between two pieces. Text is decoded
    only once a line is whole, so a character split between pieces stays one; bytes that are not
    UTF-8 are replaced. Nothing raises: an event above the limit ends the parsing with an event
    named `error` that says so, and everything after it is ignored.
    """

    __slots__ = (
        "_after_cr", "_data", "_held", "_limit", "_name", "_over", "_pieces", "_size", "_started",
        "_unsaid",
    )  # fmt: skip

    def __init__(self, limit: int = MAX_EVENT) -> None:
        """Start before the first byte; `limit` is the most bytes that one event may have."""
        self._limit = limit
        self._pieces: list[bytes] = []  # of a line that has not ended
        self._data: list[bytes] = []
        self._name = b""
        self._held = 0  # bytes of that line
        self._size = 0  # bytes of data of the event that has not ended
        self._after_cr = False
        self._started = False
        self._over = False
        self._unsaid = False  # whether the error event is still to come

    def feed(self, chunk: bytes) -> list[Event]:
        """Return the events that this piece completes."""
        return self._events(self.lines(chunk).splitlines())

    def lines(self, chunk: bytes) -> bytes:
        """Return the lines that this piece completes, as they came; hold the rest of it.

        Where lines end in LF alone, whole events are handed out together.
        """
        if self._after_cr and chunk:
            self._after_cr = False
            # The LF of a CRLF whose CR ended the last piece: the line is handed out already.
            if chunk[0] == 10:
                chunk = chunk[1:]
        if not (cut := _end_of_events(chunk)):
            return self._hold(chunk)
        self._after_cr = chunk[cut - 1] == 13 and cut == len(chunk)
        ended = self._complete(chunk[:cut])
        self._hold(chunk[cut:])
        return ended

    def first(self, lines: bytes) -> tuple[list[Event], bytes]:
        """Return the events of the lines up to a blank one, and the lines after it."""
        cut = lines.find(b"\n\n") + 2
        if cut == 1:
            return self._events(lines.splitlines()), b""
        return self._events(lines[:cut].splitlines()), lines[cut:]

    @property
    def between_events(self) -> bool:
        """Return whether the next line begins an event."""
        return not (self._data or self._name or self._over)

    def close(self) -> list[Event]:
        """Return the last event, if the stream ended without the blank line after it."""
        lines = self._complete(b"\n").splitlines() if self._pieces else []
        return self._events([*lines, b""])

    def _hold(self, piece: bytes) -> bytes:
        if piece:
            self._pieces.append(piece)
            self._held += len(piece)
        return b""

    def _complete(self, ended: bytes) -> bytes:
        """Return the lines that end with these bytes."""
        if self._pieces:
            ended = b"".join([*self._pieces, ended])
            self._pieces, self._held = [], 0
        if not self._started:
            # A byte-order mark may come in three pieces, but a whole line holds it all.
            self._started = True
            ended = ended.removeprefix(BOM)
        return ended

    def _events(self, lines: list[bytes]) -> list[Event]:
        events: list[Event] = []
        if self._over:
            lines = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
                self._size += len(line)
                if self._size > self._limit:
                    self._give_up()
                    break
            elif not line:
                if self._data:
                    events.append(self._event())
                self._name = b""
                self._size = 0
            elif line.startswith(b"event:"):
                self._name = line[6:].removeprefix(b" ")
            elif line == b"data":
                self._data.append(b"")
                self._size += 1
        if self._held + self._size > self._limit:
            self._give_up()
        return events + self._complaint()

    def _event(self) -> Event:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data = []
        return self._name.decode("utf-8", "replace"), data.decode("utf-8", "replace")

    def _give_up(self) -> None:
        self._unsaid = not self._over
        self._over = True
        self._pieces, self._data, self._held, self._size = [], [], 0, 0

    def _complaint(self) -> list[Event]:
        if not self._unsaid:
            return []
        self._unsaid = False
        return [("error", f"one event has more than {self._limit} bytes")]


def _end_of_events(chunk: bytes) -> int:
    """Return where the last surely whole event ends, or else the last line; 0 if none does."""
    # With CR in it a blank line has several spellings: then what is whole is told by lines.
    if b"\r" not in chunk and (blank := chunk.rfind(b"\n\n") + 1):
        return blank + 1
    return max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
