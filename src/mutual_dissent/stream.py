"""Watching a debate to its end: its transcript, the round hook, and the veil over it."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from mutual_dissent.core.events import Answered, Event, Opened, RoundEnded, RoundStarted, Token
from mutual_dissent.core.transcript import ENDING_ROLES, Round, Transcript, advance

log = logging.getLogger("mutual_dissent")

Update = Event | Token
UpdateStream = AsyncGenerator[Update, None]
"""Close it (`aclosing`) where it is not watched to its end, and the debate is stopped at once."""

OnRound = Callable[[Round], Awaitable[None]]


async def collect_transcript(
    events: UpdateStream, on_round_complete: OnRound | None = None
) -> Transcript:
    """The transcript that a stream of events comes to, calling back after each round."""
    transcript: Transcript | None = None
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Token):
                continue
            transcript = advance(transcript, event)
            if on_round_complete and isinstance(event, RoundEnded):
                await _tell(on_round_complete, transcript, event)
    assert transcript is not None, "every debate begins with Opened"
    return transcript


async def _tell(hook: OnRound, transcript: Transcript, event: RoundEnded) -> None:
    """Call a hook; whatever it raises is logged and does not touch the debate."""
    round_ = transcript.round(event.round_number)
    if event.role == "synthesis" and transcript.synthesis is not None:
        responses = (transcript.synthesis,)
        round_ = Round(round_number=-1, round_type="synthesis", responses=responses)
    if round_ is None or round_.round_type != event.role:
        return
    try:
        await hook(round_)
    except Exception:
        log.exception("on_round_complete failed for round %s", event.round_number)


class Veil:
    """Holds back from a user on the panel what others say, until the panel is done.

    Events keep their order, so that whoever follows them by number misses none. The user reads the
    others' answers as any panelist does: in its own requests, under letters.
    """

    def __init__(self) -> None:
        self._seat = ""
        self._held: list[Event] = []
        self.is_lifted = False
        self.answered = 0

    def take(self, update: Update) -> list[Update]:
        """Return what may be shown now: this, nothing yet, or all that was held back."""
        if isinstance(update, Opened):
            self._seat = update.brief.me.seat if update.brief.me else ""
        if isinstance(update, RoundStarted):
            self._turn(update)
        if not self._seat or self.is_lifted:
            return [*self.rest(), update]
        # Dropped, not held back: the whole answers follow, and pieces are never stored.
        if isinstance(update, Token):
            return []
        is_others = isinstance(update, Answered) and update.seat != self._seat
        self.answered += is_others
        # Once something is held, all that follows waits as well, so that numbers stay in order.
        if not self._held and not is_others:
            return [update]
        self._held.append(update)
        return []

    def rest(self) -> list[Event]:
        """Return what is still held back, when nothing more will come."""
        held, self._held = self._held, []
        return held

    def _turn(self, round_: RoundStarted) -> None:
        """Lift the veil when the answer is to be written; draw it for a further round."""
        self.is_lifted = round_.role in ENDING_ROLES
        self.answered = 0
