"""Server-sent events out of bytes that arrive in any pieces."""

from __future__ import annotations

MAX_EVENT = 4 * 1024 * 1024
BOM = b"\xef\xbb\xbf"

Event = tuple[str, str]
"""An event's name (empty where the vendor gave none) and its data."""


class OverlongEvent(ValueError):
    """One event of a stream is larger than any honest vendor's."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the stream holds an event of more than {limit} bytes")


class SSE:
    """An incremental parser: feed it what arrives, and it returns the events that are whole.

    Lines may end in LF, CR or CRLF, also with the pair split between two pieces. Text is decoded
    only once a line is whole, so a character split between pieces stays one; bytes that are no
    UTF-8 are replaced.
    """

    __slots__ = ("_after_cr", "_data", "_limit", "_name", "_pieces", "_size", "_started")

    def __init__(self, limit: int = MAX_EVENT) -> None:
        """Start before the first byte; `limit` is the most bytes that one event may have."""
        self._limit = limit
        self._pieces: list[bytes] = []  # of a line that has not ended
        self._data: list[bytes] = []
        self._name = b""
        self._size = 0  # bytes held back for the event that has not ended
        self._after_cr = False
        self._started = False

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that this piece completes.

        Raises:
            OverlongEvent: if an event exceeds the limit.
        """
        if self._after_cr and chunk:
            self._after_cr = False
            if chunk[0] == 10:
                chunk = chunk[1:]
        cut = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        if not cut:
            self._hold(chunk)
            return []
        self._after_cr = chunk[-1] == 13
        lines = self._complete(chunk[:cut])
        self._pieces = []
        events = self._events(lines)
        self._hold(chunk[cut:])
        return events

    def close(self) -> list[Event]:
        """The last event, if the stream ended without the blank line after it."""
        lines = self._complete(b"\n") if self._pieces else []
        self._pieces = []
        return self._events([*lines, b""])

    def _hold(self, piece: bytes) -> None:
        if not piece:
            return
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > self._limit:
            raise OverlongEvent(self._limit)

    def _complete(self, ended: bytes) -> list[bytes]:
        self._size -= sum(map(len, self._pieces))
        text = b"".join([*self._pieces, ended]) if self._pieces else ended
        if not self._started:
            # Three bytes may come in three pieces, but a whole line holds them all.
            self._started = True
            text = text.removeprefix(BOM)
        return text.splitlines()

    def _events(self, lines: list[bytes]) -> list[Event]:
        events: list[Event] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
                self._size += len(line)
                if self._size > self._limit:
                    raise OverlongEvent(self._limit)
            elif not line:
                if self._data:
                    events.append(self._event())
                self._name = b""
                self._size = 0
            elif line.startswith(b"event:"):
                self._name = line[6:].removeprefix(b" ")
            elif line == b"data":
                self._data.append(b"")
        return events

    def _event(self) -> Event:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data = []
        return self._name.decode("utf-8", "replace"), data.decode("utf-8", "replace")
