"""Server-sent events out of bytes that arrive in any pieces."""

from __future__ import annotations

MAX_EVENT = 4 * 1024 * 1024
BOM = b"\xef\xbb\xbf"

Event = tuple[str, str]
"""An event's name (empty where the vendor gave none) and its data."""


class SSE:
    """An incremental parser: feed it what arrives, and it returns the events that are whole.

    Lines may end in LF, CR or CRLF, also with the pair split between two pieces. Text is decoded
    only once a line is whole, so a character split between pieces stays one; bytes that are no
    UTF-8 are replaced. Nothing raises: an event above the limit ends the parsing with an event
    named `error` that says so, and whatever follows is ignored.
    """

    __slots__ = (
        "_after_cr", "_data", "_held", "_limit", "_name", "_over", "_pieces", "_size", "_started",
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

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that this piece completes."""
        if (plain := self._plain(chunk)) is not None:
            return plain
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[0] == 10:
                chunk = chunk[1:]
        cut = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        if not cut:
            return self._hold(chunk)
        self._after_cr = chunk[-1] == 13
        events = self._events(self._complete(chunk[:cut]))
        return events + self._hold(chunk[cut:]) if cut < len(chunk) else events

    def close(self) -> list[Event]:
        """The last event, if the stream ended without the blank line after it."""
        lines = self._complete(b"\n") if self._pieces else []
        return self._events([*lines, b""])

    def _plain(self, chunk: bytes) -> list[Event] | None:
        """The events of a piece that has only ones of a single line, as nearly all are; or None.

        Only a shortcut: whatever else a piece may hold is read line by line.
        """
        if self._data or self._name or self._after_cr or self._over or not self._started:
            return None
        cut = chunk.rfind(b"\n\n")
        if cut < 0 or b"\r" in chunk or self._held + cut > self._limit:
            return None
        whole = b"".join([*self._pieces, chunk[:cut]]).decode("utf-8", "replace")
        events = whole.split("\n\n")
        if any(not e.startswith("data: ") or "\n" in e for e in events):
            return None
        self._pieces, self._held = [], 0
        rest = chunk[cut + 2 :]
        return [("", e[6:]) for e in events] + (self._hold(rest) if rest else [])

    def _hold(self, piece: bytes) -> list[Event]:
        self._pieces.append(piece)
        self._held += len(piece)
        return self._give_up() if self._held + self._size > self._limit else []

    def _complete(self, ended: bytes) -> list[bytes]:
        """The lines that end with these bytes."""
        if self._pieces:
            ended = b"".join([*self._pieces, ended])
            self._pieces, self._held = [], 0
        if not self._started:
            # A byte-order mark may come in three pieces, but a whole line holds it all.
            self._started = True
            ended = ended.removeprefix(BOM)
        return ended.splitlines()

    def _events(self, lines: list[bytes]) -> list[Event]:
        if self._over:
            return []
        events: list[Event] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
                self._size += len(line)
                if self._size > self._limit:
                    return events + self._give_up()
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
        return events

    def _event(self) -> Event:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data = []
        return self._name.decode("utf-8", "replace"), data.decode("utf-8", "replace")

    def _give_up(self) -> list[Event]:
        said = self._over
        self._over = True
        self._pieces, self._data, self._held, self._size = [], [], 0, 0
        return [] if said else [("error", f"one event has more than {self._limit} bytes")]
