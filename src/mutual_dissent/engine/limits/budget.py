"""The money of a debate: what was spent, how long the next answers may be, and calls paid ahead."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.events import Status
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.ports import Bid, Funds, Prices, spread
from mutual_dissent.core.response import Ask, Response, tokens_in
from mutual_dissent.engine.ending import DebateEnding
from mutual_dissent.engine.event_log import whole
from mutual_dissent.engine.limits.time_limit import TimeLimit
from mutual_dissent.prompts.compose import Composed
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


LONGEST_QUEUE = 600.0
"""Seconds that a call waits for its turn at most, as far as the books are concerned."""


@dataclass(slots=True)
class Wallet:
    """Spending of a debate: within its own limit, and within the funds that it shares with others.

    Attributes:
        open: the calls that are paid for and not settled, by key.
        received: characters that came so far for each of them that was sent.
    """

    budget: Budget
    limit: TimeLimit
    funds: Funds | None = None
    open: dict[str, Ask] = field(default_factory=dict)
    received: dict[str, int] = field(default_factory=dict)

    def batches(self, wanted: Sequence[Composed]) -> list[list[Composed]]:
        """Batches to send together: everything in one, but for models without a known price."""
        alone = [c for c in wanted if self._is_alone(c.ask)]
        rest = [c for c in wanted if c not in alone]
        return [*([c] for c in alone), *([rest] if rest else [])]

    def _is_alone(self, ask: Ask) -> bool:
        return self.funds is not None and self.funds.is_alone(ask.panelist.route)

    @asynccontextmanager
    async def paying(
        self, asks: Sequence[Ask], ahead: Ahead = NOTHING_AHEAD
    ) -> AsyncIterator[list[Ask]]:
        """The asks with answers as long as they are paid for; what they leave open is settled.

        Raises:
            DebateEnding: if they cannot be paid for.
        """
        paid = await self._paid(asks, ahead)
        try:
            yield paid
        finally:
            # Also if the debate is cancelled: money left reserved would keep others waiting.
            await whole(self._settle([a.key for a in asks]))

    async def again(self, ask: Ask) -> Ask:
        """The same call with more in its request, paid for anew.

        Raises:
            DebateEnding: if it cannot be.
        """
        return (await self._paid([ask]))[0]

    def add_text(self, ask: Ask, text: str) -> None:
        """So much more of an answer has come; nothing, when its request is sent."""
        self.received[ask.key] = self.received.get(ask.key, 0) + len(text)

    def cancel(self, ask: Ask) -> None:
        """A request was given up before it went out: nobody can bill it."""
        self.received.pop(ask.key, None)

    def is_sent(self, key: str) -> bool:
        """Return whether a request is out whose end has not been counted."""
        return key in self.received

    def estimate(self, ask: Ask) -> float:
        """Estimated cost so far of a call in flight; nothing where it was not sent."""
        received = self.received.get(ask.key)
        return 0.0 if received is None else self._estimate(ask, received)

    async def settle(self, ask: Ask, response: Response) -> None:
        """A call has ended: count what it cost."""
        self.budget.charge(response)
        await whole(self._pay(ask.key, self._cost(ask, response)))

    async def _paid(self, asks: Sequence[Ask], ahead: Ahead = NOTHING_AHEAD) -> list[Ask]:
        # A call that goes on after a tool is paid for anew: it must not compete with itself.
        keys = {a.key for a in asks}
        in_flight = [a for key, a in self.open.items() if key not in keys]
        left = self.budget.left
        # At full length: the limit holds even if every call in flight answers with all it may.
        others = sum(self.budget.bid(a).most for a in in_flight) if left is not None else 0.0
        limited = self.budget.afford(asks, None if left is None else left - others, ahead)
        if limited is None:
            raise DebateEnding(Status.STOPPED, "budget", self.budget.refusal(asks, ahead))
        limited = await self._reserved(limited)
        self.open |= {ask.key: ask for ask in limited}
        return limited

    async def _reserved(self, asks: list[Ask]) -> list[Ask]:
        if self.funds is None:
            return asks
        bids = {ask.key: self.budget.bid(ask) for ask in asks}
        if len(asks) == 1 and self._is_alone(asks[0]):
            # No bid can be trusted while the price is unconfirmed: it may have all there is.
            bids = {key: replace(bid, most=math.inf) for key, bid in bids.items()}
        try:
            async with asyncio.timeout(self.limit.patience):
                money = await self.funds.reserve(bids, max(map(_in_flight, asks)))
        except TimeoutError:
            raise self.limit.over from None
        except DissentError as e:
            raise DebateEnding(Status.STOPPED, "budget", str(e)) from None
        return asks if math.inf in money.values() else self.budget.cap(asks, money)

    async def _settle(self, keys: Sequence[str]) -> None:
        """Count what was given up in flight: its request was read, and so much of it had come."""
        for key in keys:
            if ask := self.open.get(key):
                cost = self.estimate(ask)
                self.budget.spent += cost
                await self._pay(key, cost)

    async def _pay(self, key: str, dollars: float) -> None:
        ask = self.open.pop(key, None)
        self.received.pop(key, None)
        if self.funds is not None and ask is not None:
            foreseen = self.budget.bid(ask).most
            await self.funds.pay(key, ask.panelist.route, dollars, foreseen)

    def _cost(self, ask: Ask, response: Response) -> float:
        """Cost of a call; where its vendor reports no usage, estimated from the text."""
        if response.cost_usd is not None or not response.content:
            return response.cost_usd or 0.0
        return self._estimate(ask, len(response.content))

    def _estimate(self, ask: Ask, received: int) -> float:
        prices, route = self.budget.prices, ask.panelist.route
        return prices.cost(route, ask.input_estimate, tokens_in(received)) or 0.0


def _in_flight(ask: Ask) -> float:
    """Longest time of a call with its wait for the vendor; then its money is released."""
    return ask.timeout + min(ask.within, LONGEST_QUEUE)
