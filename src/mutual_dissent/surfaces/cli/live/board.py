"""State of the live view, updated event by event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.events import (
    Answered,
    Asked,
    Event,
    Opened,
    Reopened,
    RoundStarted,
    Token,
)
from mutual_dissent.core.figures.stats import Stats, stats
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import PANEL_ROLES, SAMPLE, Transcript, advance
from mutual_dissent.surfaces.cli.live.json_fields import Fields
from mutual_dissent.views.remarks.readable import named_text

BLOCK = 1024
KEPT = 32 * BLOCK
"""Characters kept of an answer in progress: more than any screen shows."""


@dataclass(slots=True)
class Pane:
    """One panelist's part of the screen.

    Attributes:
        text: the end of the answer, as prose if it is structured; its beginning is dropped in
            whole blocks, so that lines break in the same places from frame to frame.
        length: the characters written so far.
        asked_at: when it was asked, by the view's clock.
        reused: whether its answer comes from an earlier debate.
        fields: strips the JSON from a structured answer.
    """

    key: str
    seat: str
    role: str
    panelist: Panelist | None
    text: str = ""
    length: int = 0
    asked_at: float | None = None
    response: Response | None = None
    reused: bool = False
    fields: Fields = field(default_factory=Fields)

    @property
    def bottom_line(self) -> str:
        """Bottom line of the finished answer; empty where there is none or it is the whole text."""
        r = self.response
        if r is None or not r.usable or r.role not in PANEL_ROLES or r.closing is None:
            return ""
        return r.bottom_line if r.bottom_line != r.content.strip() else ""

    @property
    def state(self) -> str:
        """State of its answer: waiting, asked, writing, done or failed."""
        if self.response is not None:
            return "done" if self.response.usable else "failed"
        if self.asked_at is None:
            return "waiting"
        return "writing" if self.length else "asked"

    def write(self, token: Token) -> None:
        """Add a piece of text, or start over with it."""
        if token.restart:
            self.text, self.length, self.fields = "", 0, Fields()
        self.text += self.fields.feed(token.text)
        self.length += len(token.text)
        # Not at each piece: cutting copies the text.
        if len(self.text) > 2 * KEPT:
            self.text = self.text[(len(self.text) - KEPT) // BLOCK * BLOCK :]

    def close(self, response: Response, said: str) -> None:
        """Show the finished answer as prose, or why it failed."""
        self.response = response
        self.length = len(response.content)
        start = max(0, len(said) - KEPT) // BLOCK * BLOCK
        self.text = said[start:]


@dataclass(slots=True)
class Board:
    """The state of a debate while it is watched.

    Attributes:
        calls: the maximum number of calls; 0 if unknown.
        calls_of: estimates it from a brief.
    """

    transcript: Transcript | None = None
    figures: Stats | None = None
    role: str = ""
    round_number: int = 0
    panes: dict[str, Pane] = field(default_factory=dict)
    judged: int = 0
    to_judge: int = 0
    calls: int = 0
    calls_of: Callable[[Brief], int] | None = None

    @property
    def call(self) -> tuple[int, int]:
        """Number of the awaited call and expected total; zeros where unknown."""
        if self.transcript is None or not self.calls:
            return 0, 0
        known = len(self.transcript.asked)
        # An answer that is asked for once more is beyond the estimate.
        return min(len(self.transcript.answered) + 1, known), max(self.calls, known)

    def take(self, item: Event | Token, now: float) -> bool:
        """Apply an event; return whether it is the first text of an answer."""
        if isinstance(item, Token):
            return self._write(item)
        self.transcript = advance(self.transcript, item)
        self.figures = stats(self.transcript)
        match item:
            case Opened() if self.calls_of:
                self.calls = self.calls_of(item.brief)
            case RoundStarted():
                self._begin(item)
            case Asked():
                self._ask(item, now)
            case Answered():
                self._answer(item)
            case Reopened():
                self._reopen()
            case _:
                pass
        return False

    def _begin(self, event: RoundStarted) -> None:
        self.role, self.round_number = event.role, event.round_number
        self.judged, self.to_judge = 0, len(event.seats)
        seats = () if event.role == "judge" else event.seats
        keys = {f"{event.round_number}/{event.role}/{s}": s for s in seats}
        self.panes = {k: self._pane(k, s, event.role) for k, s in keys.items()}

    def _pane(self, key: str, seat: str, role: str) -> Pane:
        assert self.transcript is not None, "every debate begins with Opened"
        who = next((p for p in self.transcript.brief.everyone if p.seat == seat), None)
        return Pane(key=key, seat=seat, role=role, panelist=who)

    def _ask(self, event: Asked, now: float) -> None:
        if event.role == "judge":
            return
        if event.role == SAMPLE:
            if (pane := self.panes.get(event.key.rpartition("/")[0])) and pane.asked_at is None:
                pane.asked_at = now
            return
        pane = self._pane(event.key, event.seat, event.role)
        pane.asked_at = now
        self.panes[event.key] = pane

    def _answer(self, event: Answered) -> None:
        if event.response.role == "judge":
            self.judged += 1
        elif event.reused:
            self._reuse(event)
        elif pane := self.panes.get(event.key):
            pane.close(event.response, self._readable(event.response))

    def _readable(self, response: Response) -> str:
        assert self.transcript is not None, "every debate begins with Opened"
        return named_text(self.transcript, response)

    def _reuse(self, event: Answered) -> None:
        """Show an answer of an earlier debate under its author's name."""
        if event.key in self.panes:
            seat, role = event.response.model_alias, event.response.role
            pane = self.panes[event.key] = self._pane(event.key, seat, role)
            pane.reused = True
            pane.close(event.response, self._readable(event.response))

    def _reopen(self) -> None:
        """Reset requests that were in flight when a process died: no answer is coming."""
        for pane in self.panes.values():
            if pane.response is None:
                pane.asked_at = None

    def _write(self, token: Token) -> bool:
        pane = self.panes.get(token.key)
        if pane is None:
            return False
        blank = pane.text == ""
        pane.write(token)
        return (blank and pane.text != "") or token.restart
