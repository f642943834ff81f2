"""The wallet of a debate: calls are paid for before they are sent, and settled when they end."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.funds import Funds
from mutual_dissent.core.response import Ask, Response, tokens_in
from mutual_dissent.engine.ending import DebateEnding
from mutual_dissent.engine.event_log import whole
from mutual_dissent.engine.limits.budget import NOTHING_AHEAD, Ahead, Budget
from mutual_dissent.engine.limits.time_limit import TimeLimit
from mutual_dissent.prompts.compose import Composed

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
