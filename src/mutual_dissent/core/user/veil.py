"""The veil: what others say is kept from a user on the panel until the panel is done.

Events keep their order, so that whoever follows them by number misses none. The user reads the
others' answers as any panelist does: in its own requests, under letters.
"""

from __future__ import annotations

from mutual_dissent.core.events import Answered, Event, Opened, RoundStarted, Token
from mutual_dissent.core.user.follow_up import ENDING_ROLES

Happening = Event | Token


class Veil:
    """Holds events back, in order, from the first answer of others to the end of the panel."""

    def __init__(self) -> None:
        self._seat = ""
        self._held: list[Event] = []
        self.is_lifted = False
        self.answered = 0

    def take(self, happening: Happening) -> list[Happening]:
        """Return what may be shown now: this, nothing yet, or all that was held back."""
        if isinstance(happening, Opened):
            self._seat = happening.brief.me.seat if happening.brief.me else ""
        if isinstance(happening, RoundStarted):
            self._turn(happening)
        if not self._seat or self.is_lifted:
            return [*self.rest(), happening]
        # Dropped, not held back: the whole answers follow, and pieces are never stored.
        if isinstance(happening, Token):
            return []
        is_others = isinstance(happening, Answered) and happening.seat != self._seat
        self.answered += is_others
        # Once something is held, all that follows waits as well, so that numbers stay in order.
        if not self._held and not is_others:
            return [happening]
        self._held.append(happening)
        return []

    def rest(self) -> list[Event]:
        """Return what is still held back, when nothing more will come."""
        held, self._held = self._held, []
        return held

    def _turn(self, round_: RoundStarted) -> None:
        """Lift the veil when the answer is to be written; draw it for a further round."""
        self.is_lifted = round_.role in ENDING_ROLES
        self.answered = 0
