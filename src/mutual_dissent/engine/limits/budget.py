"""The budget: what has been spent, and how long the next answers may be so that it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mutual_dissent.core.figures.funds import Bid, spread
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.ports import Prices
from mutual_dissent.core.response import Ask, Response
from mutual_dissent.text.numbers import figure

# 400, 16,000 and 1.25 are those of decision 4: stopping after an overrun breaks the promise of
# a limit, and supposing the longest answer would make small limits useless.
LEAST_ANSWER = 400
"""Tokens that an answer must be able to have; with less left, the debate stops."""

FAIR_ANSWER = 4_000
"""Tokens for which an answer rather waits than be shorter, where others hold the money."""

LONGEST_ANSWER = 16_000
"""Tokens that no call under a budget may exceed, beside those that it is told to think."""

CAUTION = 1.25
"""How far the estimate of a request's length may be off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """Cost of the final answer: a fixed part, and more for each token that it has to read."""

    fixed: float = 0.0
    per_token: float = 0.0


NOTHING_AHEAD = Ahead()


@dataclass(slots=True)
class Budget:
    """Dollars that must not be exceeded, or None for no limit."""

    limit: float | None
    prices: Prices
    spent: float = 0.0

    def refusal(self, asks: Sequence[Ask], ahead: Ahead = NOTHING_AHEAD) -> str:
        """Sentence for when the next calls cannot be paid for with certainty."""
        said = f"the next calls could exceed the limit of ${figure(self.limit or 0)}"
        least = sum(self.bid(ask, ahead).least for ask in asks) + ahead.fixed
        what = "they and the final answer" if ahead.fixed else "they"
        return f"{said}; {what} take ${_cents(least)} at least, ${_cents(self.left or 0)} are left"

    def charge(self, response: Response) -> None:
        """Count what an answer cost, failed tries included as far as they can be known."""
        self.spent += response.cost_usd or 0.0

    def afford(
        self, asks: Sequence[Ask], within: float | None = None, ahead: Ahead = NOTHING_AHEAD
    ) -> list[Ask] | None:
        """The asks, each with the longest answer that can be paid for; None if that is too short.

        What is left is shared among the calls that will be in flight together, so that the limit
        holds even if every one of them answers at full length.

        Args:
            within: dollars that they may cost, where that is less than what is left.
            ahead: what must be left for those who will read the answers.
        """
        known = [x for x in (self.left, within) if x is not None]
        if not known:
            return list(asks)
        bids = {ask.key: self.bid(ask, ahead) for ask in asks}
        money = min(known) - ahead.fixed
        if sum(b.least for b in bids.values()) > money:
            return None
        return self.cap(asks, spread(bids, money), ahead)

    @property
    def left(self) -> float | None:
        """Dollars that may still be spent; None if there is no limit."""
        return None if self.limit is None else self.limit - self.spent

    def bid(self, ask: Ask, ahead: Ahead = NOTHING_AHEAD) -> Bid:
        """Cost of a call with the shortest, a usual and the longest answer."""
        longest, thought = self._longest(ask), ask.panelist.route.thought
        # Vendors bill thinking as output: it comes on top of the words.
        usual = (LEAST_ANSWER + thought, FAIR_ANSWER + thought, longest)
        lengths = (min(n, longest) for n in usual)
        least, fair, most = (self._cost(ask, n) + n * ahead.per_token for n in lengths)
        return Bid(least=least, fair=fair, most=most)

    def cap(
        self, asks: Sequence[Ask], money: Mapping[str, float], ahead: Ahead = NOTHING_AHEAD
    ) -> list[Ask]:
        """The asks, each with the longest answer that its money pays for."""
        return [self._limited(ask, money[ask.key], ahead.per_token) for ask in asks]

    def _limited(self, ask: Ask, money: float, reading: float) -> Ask:
        # The request itself, and a fee of the call where there is one.
        base = self._cost(ask, 0)
        per_token = (self._cost(ask, 1000) - base) / 1000 + reading
        if per_token <= 0:
            return ask
        longest = self._longest(ask)
        # A share that pays for n tokens exactly must not become n - 1 by rounding.
        affordable = int((money - base) / per_token * (1 + 1e-12))
        return replace(ask, max_tokens=max(1, min(longest, affordable)))

    def _cost(self, ask: Ask, tokens: int) -> float:
        """Cost of a call with an answer of `tokens`; 0 where no price is known."""
        tokens_in = int(ask.input_estimate * CAUTION)
        searched = ask.search.most_usd if ask.search else 0.0
        return (self.prices.cost(ask.panelist.route, tokens_in, tokens) or 0.0) + (searched or 0.0)

    def _longest(self, ask: Ask) -> int:
        """Tokens that an answer can have beside its request, where the model's size is known."""
        window = self.prices.context_window(ask.panelist.route)
        tokens_in = int(ask.input_estimate * CAUTION)
        most = LONGEST_ANSWER + ask.panelist.route.thought
        left = most if window is None else window - tokens_in
        return min(max(LEAST_ANSWER, left), ask.max_tokens or most, most)

    def ahead(self, synthesizer: Panelist, tokens: int) -> Ahead:
        """Money to keep for a synthesis that reads `tokens` by now."""
        route = synthesizer.route
        shortest = LEAST_ANSWER + route.thought
        least = self.prices.cost(route, int(tokens * CAUTION), shortest) or 0.0
        fee, read = (self.prices.cost(route, n, 0) or 0.0 for n in (0, 1000))
        return Ahead(fixed=least, per_token=(read - fee) / 1000 * CAUTION)


def _cents(dollars: float) -> str:
    """Dollars to four places, as people write them; what is less than that, to two digits."""
    return figure(round(dollars, 4) or float(f"{dollars:.2g}"))
