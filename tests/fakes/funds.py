"""Money without end, and a book of who spent how much of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass
class Book:
    """What was paid, as (owner, dollars), in order."""

    paid: list[tuple[str, float]] = field(default_factory=list)

    def of(self, owner: str, _debate: str):
        return _Page(self, owner)


@dataclass
class _Page:
    book: Book
    owner: str
    limited: bool = False

    def is_alone(self, _route):
        return False

    def expect(self, _dollars, _calls):
        pass

    async def release(self):
        pass

    async def reserve(self, bids, _seconds):
        return dict.fromkeys(bids, math.inf)

    async def pay(self, _key, _route, dollars, _foreseen):
        self.book.paid.append((self.owner, dollars))
