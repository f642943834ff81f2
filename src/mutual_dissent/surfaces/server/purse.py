"""What tokens spend: charged at once, written down in the background, and no more than they may."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable

from mutual_dissent.core.errors import DissentError
from mutual_dissent.store.tokens import Token, Tokens

log = logging.getLogger("mutual_dissent.server")

Emptied = Callable[[str], Awaitable[None]]
"""Told the name of a token that has nothing left."""


async def _nobody(_: str) -> None:
    """Nobody needs to know."""


class Purse:
    """The spending of all tokens of this process."""

    def __init__(self, tokens: Tokens, emptied: Emptied = _nobody) -> None:
        """Charge `tokens`; `emptied` is told who has nothing left."""
        self.emptied = emptied
        self._tokens = tokens
        self._unwritten: Counter[str] = Counter()
        self._writing: asyncio.Task[None] | None = None

    def left(self, token: Token) -> float | None:
        """The dollars that a token may still spend; None if there is no limit."""
        if token.budget_usd is None:
            return None
        return max(0.0, token.budget_usd - token.spent_usd - self._unwritten[token.name])

    def charge(self, name: str, dollars: float) -> None:
        """Somebody spent so much; nobody is kept waiting for the disk."""
        if not name:
            return
        self._unwritten[name] += dollars  # type: ignore[assignment]  # dollars are counted, too
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def aclose(self) -> None:
        """Write down what is not written yet."""
        if self._writing is not None:
            await self._writing
        if any(self._unwritten.values()):
            await self._write()

    async def _write(self) -> None:
        while spent := {name: usd for name, usd in self._unwritten.items() if usd}:
            try:
                await asyncio.to_thread(self._tokens.charge, spent)
                tokens = await asyncio.to_thread(self._tokens.active)
            except DissentError as e:  # what is not written is counted all the same, and kept
                log.warning("what tokens spent could not be written: %s", e)
                return
            self._unwritten.subtract(spent)
            for token in tokens:
                if token.name in spent and self.left(token) == 0:
                    await self.emptied(token.name)
