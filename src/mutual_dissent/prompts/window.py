"""The window: how much one reader takes in, and what of it a request leaves."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.core.response import Ask

CHARACTERS = 3.5
"""Characters of a token, as the length of a request is estimated."""

CAUTION = 1.25
"""How far that estimate may be off."""

ANSWER = 2_000
"""Tokens that are left for an answer where nobody said how long it may be; at most a quarter."""

SUMMARY = 12_000
"""Characters of a summary that are shown; at most an eighth of the window."""


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The tokens that a model takes in all, its answer included."""

    tokens: int

    def fits(self, ask: Ask) -> bool:
        """Return whether a request surely fits, with room for an answer."""
        return self.room_for(ask) >= 0

    def room_for(self, ask: Ask) -> int:
        """Characters that a request could have more; below zero, that it has too many."""
        answer = ask.max_tokens or min(ANSWER, self.tokens // 4)
        return int(((self.tokens - answer) / CAUTION - ask.input_estimate) * CHARACTERS)

    def takes(self, ask: Ask) -> bool:
        """Return whether a request may just fit: one that does not is not worth sending."""
        return ask.input_estimate + (ask.max_tokens or 0) <= self.tokens

    @property
    def summary(self) -> int:
        """Characters that a summary may have."""
        return min(SUMMARY, int(self.tokens * CHARACTERS / 8))
