"""The channel of a debate that is under way here: any number of watchers, each at its own pace.

Nothing is queued for a watcher. It keeps its place; what is new since then is taken from what all
of them share, so that a slow reader delays no other watcher and costs no memory. Watchers that
keep up get the very same batch, which is put into bytes once. A watcher that joins or catches up
between two batches gets what was already announced, and then the next batch with the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from mutual_dissent.core.events import Answered, Event, Token

PACE = 0.033
"""Seconds between two batches: no faster than the eye can tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPiece:
    """More of an answer that is being written; a new attempt voids the pieces of earlier ones."""

    key: str
    panelist: str
    round_number: int
    role: str
    attempt: int
    offset: int
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """New events, then pieces of answers. `cache` keeps the bytes that surfaces made of them."""

    events: tuple[Event, ...] = ()
    pieces: tuple[AnswerPiece, ...] = ()
    cache: dict[str, bytes] = field(default_factory=dict)


class Channel:
    """The events and tokens of one debate, shared by all its watchers."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.ended = False
        self._writing: dict[str, _Answer] = {}
        self._told = _Place()
        self._last, self._last_from = Batch(), 0
        self._number = 0
        self._news = asyncio.Event()
        self._due: asyncio.TimerHandle | None = None

    def put(self, happening: Event | Token) -> None:
        """Take an event or token; the watchers get it with the next batch."""
        if isinstance(happening, Token):
            self._writing.setdefault(happening.key, _Answer(happening)).add(happening)
        else:
            self.events.append(happening)
            if isinstance(happening, Answered):
                # The event has the whole text: nobody needs the pieces any more.
                self._writing.pop(happening.key, None)
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(PACE, self._tell)

    def end(self) -> None:
        """Announce what is left, and let the watchers end."""
        self.ended = True
        self._tell()

    @property
    def partial(self) -> tuple[AnswerPiece, ...]:
        """Return the answers that are being written, as far as they have come."""
        pieces = (answer.after(0, 0) for answer in self._writing.values())
        return tuple(piece for piece in pieces if piece)

    async def follow(self, after: int = 0) -> AsyncGenerator[Batch, None]:
        """Yield the events after the one of that number, then new batches, until the end."""
        place, number = _Place(after), -1
        while True:
            news = self._news
            # A watcher that keeps up shares the last batch, and with it the bytes in its cache.
            if number + 1 == self._number and place.seq == self._last_from:
                batch = self._last
            else:
                batch = self._missed(place)
            place.pass_(batch)
            number = self._number
            if batch.events or batch.pieces:
                yield batch
            if number == self._number:
                if self.ended:
                    return
                await news.wait()

    def _tell(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
        self._last_from, self._last = self._told.seq, self._new()
        self._told.pass_(self._last)
        self._number += 1
        self._news.set()
        # A fresh event for the next batch: watchers wait for the one they read before this batch.
        self._news = asyncio.Event()

    def _new(self) -> Batch:
        """Return what no watcher has been told yet."""
        pieces = (a.after(*self._told.of(key)) for key, a in self._writing.items())
        return Batch(self._after(self._told.seq), tuple(piece for piece in pieces if piece))

    def _missed(self, place: _Place) -> Batch:
        """Return what was announced to all after this watcher's place."""
        # No further than all were told, so that the next shared batch fits behind it.
        events = tuple(e for e in self._after(place.seq) if e.seq <= self._told.seq)
        pieces = (a.after(*place.of(key), *self._told.of(key)) for key, a in self._writing.items())
        return Batch(events, tuple(piece for piece in pieces if piece))

    def _after(self, seq: int) -> tuple[Event, ...]:
        # From the end: a watcher is nearly always close behind.
        first = len(self.events)
        while first and self.events[first - 1].seq > seq:
            first -= 1
        return tuple(self.events[first:])


class _Place:
    """A watcher's position: in the events, and in each answer that is being written."""

    __slots__ = ("_answers", "seq")

    def __init__(self, seq: int = 0) -> None:
        self.seq = seq
        self._answers: dict[str, tuple[int, int]] = {}

    def of(self, key: str) -> tuple[int, int]:
        """Return the attempt and the offset of an answer."""
        return self._answers.get(key, (0, 0))

    def pass_(self, batch: Batch) -> None:
        """Move on behind a batch."""
        for event in batch.events:
            self.seq = event.seq
            if isinstance(event, Answered):
                self._answers.pop(event.key, None)
        for piece in batch.pieces:
            self._answers[piece.key] = (piece.attempt, piece.offset + len(piece.text))


class _Answer:
    """The text of an answer that is being written."""

    __slots__ = ("_attempt", "_first", "_length", "_pieces")

    def __init__(self, first: Token) -> None:
        self._first = first
        self._attempt, self._length = 1, 0
        self._pieces: list[str] = []

    def add(self, token: Token) -> None:
        """Add more of it; a restart withdraws what came before."""
        if token.restart:
            self._attempt, self._length, self._pieces = self._attempt + 1, 0, []
        self._pieces.append(token.text)
        self._length += len(token.text)

    def after(
        self, attempt: int, offset: int, last_attempt: int | None = None, end: int | None = None
    ) -> AnswerPiece | None:
        """Return the text after that offset of that attempt, up to `end`; None if there is none."""
        if last_attempt not in (None, self._attempt):
            return None  # the announced attempt was withdrawn; the new one is not announced yet
        if attempt != self._attempt:
            # Told even without text yet: a new attempt withdraws what was shown of the old one.
            attempt, offset = self._attempt - 1, 0
        end = self._length if end is None else end
        if attempt == self._attempt and offset >= end:
            return None
        self._pieces = ["".join(self._pieces)]
        return AnswerPiece(
            key=self._first.key,
            panelist=self._first.panelist,
            round_number=self._first.round_number,
            role=self._first.role,
            attempt=self._attempt,
            offset=offset,
            text=self._pieces[0][offset:end],
        )
