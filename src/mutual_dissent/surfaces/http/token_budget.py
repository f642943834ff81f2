"""Token budgets: dollars are reserved before calls are sent, and booked once when they end."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass

from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.panel import Route
from mutual_dissent.core.ports import Bid, Clock, Funds, Rest
from mutual_dissent.engine.event_log import whole
from mutual_dissent.store.tokens import AccessToken, Tokens

log = logging.getLogger("mutual_dissent.server")

LOOK = 0.5
"""Seconds between two checks of money reserved by another process."""


class TokenBudget:
    """The budgets of all tokens, as the debates of this process spend them."""

    def __init__(self, tokens: Tokens, clock: Clock) -> None:
        """Book with `tokens`, at the time of `clock`."""
        self._tokens, self._clock = tokens, clock
        self._owed: list[tuple[str, str, float]] = []
        self._writing = asyncio.Lock()
        self._lines: dict[str, _MoneyQueue] = defaultdict(_MoneyQueue)
        self._proven: set[Route] = set()
        self._overran: dict[Route, float] = {}
        self._later: set[asyncio.Task[None]] = set()

    def remaining(self, token: AccessToken) -> float | None:
        """The dollars that a token has not spent; None without a limit."""
        if token.budget_usd is None:
            return None
        owed = sum(usd for name, _, usd in self._owed if name == token.name)
        return max(0.0, token.budget_usd - token.spent_usd - owed)

    def of(self, name: str, debate: str) -> Funds | None:
        """The money of a debate that runs for the token of that name; None without a token."""
        if not name:
            return None
        token = next((t for t in self._tokens.active() if t.name == name), None)
        return _Funds(self, name, debate, limited=token is None or token.budget_usd is not None)

    def charge(self, name: str, dollars: float) -> None:
        """Charge dollars to a token, without waiting for the disk."""
        if name and dollars:
            self._owed.append((name, "", dollars))
            task = asyncio.create_task(self.aclose())
            self._later.add(task)
            task.add_done_callback(self._later.discard)

    def is_alone(self, route: Route) -> bool:
        """Return whether a call of this model must be a token's only unproven one.

        A vendor that charges more than its price then exceeds a budget by one answer at most.
        """
        return route not in self._proven

    @property
    def dearest(self) -> float:
        """Highest cost of an answer that exceeded its estimate."""
        return max(self._overran.values(), default=0.0)

    async def reserve(
        self, name: str, bids: Mapping[str, Bid], seconds: float, debate: _Funds
    ) -> Mapping[str, float]:
        """Reserve money. Debates begin in the order of their arrival.

        A debate that has begun skips the queue: others wait for the money that it holds.
        """
        line = self._lines[name]
        async with nullcontext() if debate.begun else line.turn:
            while True:
                # Before the attempt, so that money which becomes free meanwhile is not missed.
                news = line.expect()
                # What could not be written yet may be the very release that this call waits for.
                await self._write()
                granted = await self._try_reserve(name, bids, seconds, debate.rest)
                if granted is not None:
                    debate.begun = True
                    return granted
                await asyncio.wait([news], timeout=LOOK)

    async def _try_reserve(
        self, name: str, bids: Mapping[str, Bid], seconds: float, rest: Rest
    ) -> Mapping[str, float] | None:
        """Reserve what is free now; a cancelled call leaves nothing reserved."""
        work = asyncio.to_thread(self._tokens.reserve, name, bids, self._clock(), seconds, rest)
        task = asyncio.ensure_future(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])  # the thread cannot be cancelled: let it end, then release
            self._owed += [(name, reserved, 0.0) for reserved in bids]
            raise

    async def pay(
        self, name: str, reserved: str, route: Route, dollars: float, foreseen: float
    ) -> None:
        """Book the cost of a call, and learn whether its model keeps to its price."""
        self._owed.append((name, reserved, dollars))
        if dollars > foreseen * (1 + 1e-9):  # tolerates floating-point rounding
            self._overran[route] = max(dollars, self._overran.get(route, 0.0))
            self._proven.discard(route)
        elif route not in self._overran and (dollars or not foreseen):
            # A free answer of a priced model proves nothing about its price.
            self._proven.add(route)
        await self._settle(name)

    async def release(self, name: str, reserved: str) -> None:
        """Release a reservation."""
        self._owed.append((name, reserved, 0.0))
        await self._settle(name)

    async def _settle(self, name: str) -> None:
        with suppress(DissentError):  # a failed write stays in `_owed` and is tried again
            await whole(self._write())
        self._lines[name].tell()

    async def aclose(self) -> None:
        """Write all bookings that are not written yet."""
        with suppress(DissentError):
            await self._write()

    async def _write(self) -> None:
        async with self._writing:
            owed = list(self._owed)
            if not owed:
                return
            try:
                await asyncio.to_thread(self._tokens.settle, owed)
            except DissentError as e:
                log.warning("what tokens spent could not be written: %s", e)
                raise
            del self._owed[: len(owed)]


class _MoneyQueue:
    """Calls that wait for a token's money."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self._waiting: set[asyncio.Future[None]] = set()

    def expect(self) -> asyncio.Future[None]:
        """Return a future that is done when money becomes free."""
        news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(news)
        return news

    def tell(self) -> None:
        """Wake the waiting calls: some money is free again."""
        for news in self._waiting:
            if not news.done():
                news.set_result(None)
        self._waiting.clear()


@dataclass(slots=True)
class _Funds:
    """The money of one debate."""

    purse: TokenBudget
    name: str
    debate: str
    limited: bool
    expected: tuple[float, int] = (0.0, 0)
    begun: bool = False

    def is_alone(self, route: Route) -> bool:
        return self.limited and self.purse.is_alone(route)

    def expect(self, dollars: float, calls: int) -> None:
        self.expected = (dollars, calls)

    async def release(self) -> None:
        await self.purse.release(self.name, self.debate)

    async def reserve(self, bids: Mapping[str, Bid], seconds: float) -> Mapping[str, float]:
        named = {self._id(key): bid for key, bid in bids.items()}
        granted = await self.purse.reserve(self.name, named, seconds, self)
        return {key: granted[self._id(key)] for key in bids}

    async def pay(self, key: str, route: Route, dollars: float, foreseen: float) -> None:
        await self.purse.pay(self.name, self._id(key), route, dollars, foreseen)

    @property
    def rest(self) -> Rest:
        """Dollars that the rest of the debate needs, counting answers that exceed estimates."""
        dollars, calls = self.expected
        needed = max(dollars, calls * self.purse.dearest)
        return Rest(name=self.debate, dollars=needed, begun=self.begun)

    def _id(self, key: str) -> str:
        return f"{self.debate}/{key}"
