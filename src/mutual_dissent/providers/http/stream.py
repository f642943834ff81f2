"""Taking in the bytes of an answer: a stream of events or one JSON body, within bounds."""

from __future__ import annotations

import time

from mutual_dissent.core.ports import OnText
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.providers.dialects.base import MANY, Dialect, PartialAnswer, VendorError
from mutual_dissent.providers.dialects.json_values import SMALL, decode_json, is_bomb
from mutual_dissent.providers.http.limits import Bounds

_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_EVENT_STARTS = (b"data", b"event", b"id", b"retry", b":", _BOM)
KEPT_HEAD = 1000  # bytes kept to show what a vendor sent, should it not be an answer


class AnswerStream:
    """A vendor's answer, read within bounds. It never raises at anything sent.

    Attributes:
        reading: the answer as the dialect reads it.
        broken: why it cannot be read on, in a word for people; set at most once.
        full: whether reading stopped because the answer is too long.
        content_type: the vendor's content type.
        streamed: whether it came as events.
        first_text: when the first text came, in monotonic seconds.
    """

    def __init__(
        self, dialect: Dialect, bounds: Bounds, on_text: OnText, content_type: str = ""
    ) -> None:
        self.reading = PartialAnswer()
        self.broken: VendorError | None = None
        self.full = False
        self.streamed = False
        self.first_text: float | None = None
        self.head = b""
        self._dialect = dialect
        self._bounds = bounds
        self.content_type = content_type
        self._on_text = on_text
        self._begun = False
        self._sse = SSE(bounds.event)
        self._body = bytearray()
        self._is_bomb = False
        self._size = 0
        self._without_event = 0
        self._characters = 0

    def take(self, chunk: bytes) -> bool:
        """Take in some bytes; return whether that is enough."""
        if len(self.head) < KEPT_HEAD:
            self.head = (self.head + chunk)[:KEPT_HEAD]
        return self._take(chunk) if self._begun else self._begin(chunk)

    def weigh(self) -> bool:
        """Check whether a whole body can be decoded; return whether that took a while."""
        self._is_bomb = is_bomb(self._body) or len(self._body) > self._bounds.body
        return len(self._body) > SMALL

    def close(self) -> None:
        """Take in the end of the bytes."""
        if self.broken or self.full:
            return
        if self.streamed:
            self._tell("".join(self._read_events(self._sse.close())))
            if self.reading == PartialAnswer():  # no event meant anything
                self._not_an_answer()
        elif self._body:
            self._read_whole()
        else:
            self._not_an_answer()

    def _begin(self, chunk: bytes) -> bool:
        """Find out, from the first bytes that are not blank, in which form the answer comes."""
        self._body += chunk
        start = bytes(self._body[:16]).lstrip(_BLANK)
        if not start:
            return self._too_much(len(self._body))
        # The content decides and not its label: either form may come labelled as the other.
        self.streamed = start[:1] not in b"{[<" and (
            "event-stream" in self.content_type or start.startswith(_EVENT_STARTS)
        )
        self._begun = True
        whole, self._body = bytes(self._body), bytearray()
        return self._take(whole)

    def _take(self, chunk: bytes) -> bool:
        if not self.streamed:
            self._body += chunk
            return self._too_much(len(self._body))
        self._size += len(chunk)
        if self._read_lines(self._sse.lines(chunk)):
            self._without_event = 0
        else:
            # OpenRouter sends comments while a model thinks; a stream of nothing else must end some
            # time.
            self._without_event += len(chunk)
        self.full = self.full or self._size > self._bounds.stream
        return self.full or self.reading.error is not None or self._too_much(self._without_event)

    def _read_lines(self, lines: bytes) -> bool:
        """Read the events of these lines; return whether there were any."""
        reading, sse = self.reading, self._sse
        new: list[str] = []
        some = odd = False
        while not reading.error:
            frame = reading.frame if sse.between_events and not odd else None
            if frame and lines.startswith(frame.head):
                taken = frame.take(lines)
                odd = taken is None  # then all lines that came with it are parsed one by one
                if taken is not None:
                    texts, lines = taken
                    if text := "".join(texts):
                        reading.text.append(text)
                        new.append(text)
                    some = True
                continue
            events, lines = sse.first(lines)
            some = some or bool(events)
            new += self._read_events(events)
            if not lines:
                break
        self._tell("".join(new))
        return some

    def _read_events(self, events: list[Event]) -> list[str]:
        """Return the texts that the dialect reads from events, up to one that reports a failure."""
        reading, read = self.reading, self._dialect.read_event
        new = []
        for name, data in events:
            if not reading.error and (text := read(reading, name, data)):
                new.append(text)
        if len(reading.text) >= MANY:  # each piece costs memory
            reading.text[:] = ["".join(reading.text)]
        return new

    def _read_whole(self) -> None:
        body = None if self._is_bomb else decode_json(self._body)
        self._body = bytearray()
        if body is None:
            self._not_an_answer()
            return
        self._dialect.read_body(self.reading, body)
        self._tell("".join(self.reading.text))

    def _tell(self, text: str) -> None:
        if not text:
            return
        if self.first_text is None:
            self.first_text = time.monotonic()
        room = self._bounds.text - self._characters
        self._characters += len(text)
        if len(text) > room:
            self.full = True
            text = text[:room]
        self._on_text(text)

    def _too_much(self, size: int) -> bool:
        if size <= self._bounds.body:
            return False
        megabytes = self._bounds.body / 1_000_000
        self._break(f"sent more than {megabytes:g} MB that are no answer")
        return True

    def _not_an_answer(self) -> None:
        self._break("sent something that is no answer" if self.head else "sent an empty body")

    def _break(self, what: str) -> None:
        shown = self.head.decode("utf-8", "replace").strip("\ufeff \t\r\n")
        message = f"{what}: {shown}" if shown else what
        self.broken = VendorError(kind=ErrorKind.BAD_RESPONSE, message=message)

    @property
    def done(self) -> bool:
        """Return whether the answer is whole, even should the connection break now."""
        reading = self.reading
        settled = reading.finish is not None or reading.error is not None
        return settled or self.full or self.broken is not None

    @property
    def text(self) -> str:
        """Return the text so far, cut at the bound."""
        text = "".join(self.reading.text)
        limit = self._bounds.text
        # A character has four bytes at most, so that most texts need not be encoded to be measured.
        if len(text) * 4 <= limit:
            return text
        raw = text[: limit + 1].encode("utf-8", "replace")
        if len(raw) <= limit:
            return text
        self.full = True
        return raw[:limit].decode("utf-8", "ignore")


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
