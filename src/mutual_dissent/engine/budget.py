"""The budget: what has been spent, and how long the next answers may be so that it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mutual_dissent.core.figures import figure
from mutual_dissent.core.ports import Prices
from mutual_dissent.core.response import Ask, Response

LEAST_ANSWER = 400
"""Tokens that an answer must be able to have; with less left, the debate stops."""

LONGEST_ANSWER = 16_000
"""Tokens that no call under a budget may exceed."""

CAUTION = 1.25
"""How far the estimate of a request's length may be off."""


@dataclass(slots=True)
class Budget:
    """Dollars that must not be exceeded, or None for no limit."""

    limit: float | None
    prices: Prices
    spent: float = 0.0

    @property
    def refusal(self) -> str:
        """What to say when the next calls cannot be paid for for certain."""
        return f"the next calls could exceed the limit of ${figure(self.limit or 0)}"

    def charge(self, response: Response) -> None:
        """Count what an answer cost, failed tries included as far as they can be known."""
        self.spent += response.cost_usd or 0.0

    def afford(self, asks: Sequence[Ask]) -> list[Ask] | None:
        """The asks, each with the longest answer that can be paid for; None if that is too short.

        What is left is shared evenly among the calls that will be in flight together, so that the
        limit holds even if every one of them answers at full length.
        """
        if self.limit is None:
            return list(asks)
        share = (self.limit - self.spent) / max(1, len(asks))
        limited = [self._limited(ask, share) for ask in asks]
        return [a for a in limited if a] if all(limited) else None

    def _limited(self, ask: Ask, share: float) -> Ask | None:
        route = ask.panelist.route
        tokens_in = int(ask.input_estimate * CAUTION)
        base = self.prices.cost(route, tokens_in, 0)
        unit = self.prices.cost(route, tokens_in, 1000)
        if base is None or unit is None:
            return ask
        per_token = (unit - base) / 1000
        longest = min(self._room(ask, tokens_in), ask.max_tokens or LONGEST_ANSWER)
        if per_token <= 0:
            return ask if base <= share else None
        affordable = int((share - base) / per_token)
        if affordable < min(LEAST_ANSWER, longest):
            return None
        return replace(ask, max_tokens=min(longest, affordable))

    def _room(self, ask: Ask, tokens_in: int) -> int:
        """Tokens that an answer can have beside its request, where the model's size is known."""
        window = self.prices.context_window(ask.panelist.route)
        left = LONGEST_ANSWER if window is None else window - tokens_in
        return min(LONGEST_ANSWER, max(LEAST_ANSWER, left))
