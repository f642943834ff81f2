"""The outbox: events wait here for whoever watches. A slow watcher gets tokens in larger pieces."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from mutual_dissent.core.events import Event, Token
from mutual_dissent.core.ports import RESTART, OnText
from mutual_dissent.core.response import Ask
from mutual_dissent.engine.closing_filter import ClosingFilter


class Outbox:
    """A queue of events in which the tokens of one answer pile up into one."""

    def __init__(self, *, tokens: bool = True) -> None:
        """An empty one; without `tokens`, nobody sees an answer before it is whole."""
        self._tokens = tokens
        self._waiting: deque[Event | _PendingText] = deque()
        self._news = asyncio.Event()
        self._ended = False

    def put(self, event: Event) -> None:
        """Pass on an event."""
        self._waiting.append(event)
        self._news.set()

    def stream(self, ask: Ask) -> OnText:
        """Return where the text of an answer goes as it arrives."""
        if not self._tokens or ask.sample > 1:  # one sample is shown while it is written
            return lambda _: None
        stream = _PendingText(ask)

        def on_text(text: str) -> None:
            # Queued once for all pieces until somebody takes them: a watcher that is away costs the
            # text, not an item for each token.
            if not stream.queued:
                stream.queued = True
                self._waiting.append(stream)
                self._news.set()
            # The vendor is asked again: what was shown of its first attempt is withdrawn.
            if text is RESTART:
                stream.restart, stream.pieces = True, []
            else:
                stream.pieces.append(text)

        return on_text

    def end(self) -> None:
        """Nothing more will come."""
        self._ended = True
        self._news.set()

    async def items(self) -> AsyncIterator[Event | Token]:
        """Everything that was put here, in order, until the end."""
        while True:
            while self._waiting:
                item = self._waiting.popleft()
                if not isinstance(item, _PendingText):
                    yield item
                elif (token := item.take()).text or token.restart:
                    yield token
            if self._ended:
                return
            self._news.clear()
            await self._news.wait()


class _PendingText:
    """The text of one answer that nobody has taken yet."""

    __slots__ = ("ask", "closing", "pieces", "queued", "restart")

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.pieces: list[str] = []
        self.queued = False
        self.restart = False
        self.closing = ClosingFilter()

    def take(self) -> Token:
        ask = self.ask
        if self.restart:
            self.closing = ClosingFilter()
        token = Token(
            panelist=ask.panelist.seat,
            round_number=ask.round_number,
            role=ask.role,
            # Watchers see one answer of a seat, not its samples.
            key=ask.key.rpartition("/")[0] if ask.sample else ask.key,
            text=self.closing.visible("".join(self.pieces)),
            restart=self.restart,
        )
        self.pieces, self.queued, self.restart = [], False, False
        return token
