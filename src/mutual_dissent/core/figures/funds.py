"""Funds: money that debates side by side share, set aside before their calls are sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from mutual_dissent.core.panel import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Bid:
    """Dollars that a call could do with.

    Attributes:
        least: below this it is not sent.
        fair: with less than this it rather waits, while there is somebody to wait for.
        most: what its longest answer costs; infinite for a call that is to have all there is.
    """

    least: float
    fair: float
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """Money that a debate will need to its end: other debates cannot begin with it.

    Attributes:
        name: what it is set aside under.
        begun: whether the debate has had money, and so waits only for calls in flight.
    """

    name: str = ""
    dollars: float = 0.0
    begun: bool = True


def spread(bids: Mapping[str, Bid], total: float) -> dict[str, float]:
    """The money for each of some calls: the least for all, and of the rest as much as each wants.

    `total` is enough for the least of all of them.
    """
    # A call alone may have all there is: `most` may be infinite, and infinity has no share.
    if len(bids) == 1:
        return dict.fromkeys(bids, min(total, *(b.most for b in bids.values())))
    rest = total - sum(b.least for b in bids.values())
    wanted = sum(b.most - b.least for b in bids.values())
    part = min(1.0, rest / wanted) if wanted > 0 else 0.0
    return {key: b.least + part * (b.most - b.least) for key, b in bids.items()}


class Funds(Protocol):
    """Money that a debate shares with others. What is set aside for it nobody else can spend."""

    @property
    def limited(self) -> bool:
        """Return whether there is an end to it, so that only calls of known prices can be paid."""
        ...

    def is_alone(self, route: Route) -> bool:
        """Return whether a call of this model goes alone: its price is not confirmed yet."""
        ...

    def expect(self, dollars: float, calls: int) -> None:
        """A debate will about cost so much: others are not promised what it needs to its end."""
        ...

    async def release(self) -> None:
        """The debate is over, and needs no more."""
        ...

    async def reserve(self, bids: Mapping[str, Bid], seconds: float) -> Mapping[str, float]:
        """Set money aside for calls, by their keys; waits where others in flight hold it.

        Args:
            seconds: how long they may be in flight.

        Raises:
            OverBudget: if what is left will never do.
        """
        ...

    async def pay(self, key: str, route: Route, dollars: float, foreseen: float) -> None:
        """A call has ended: what it cost is spent, what was set aside for it is free again.

        Args:
            foreseen: the most that it could cost at its model's price.
        """
        ...
