"""The ports: what the engine needs from the world. Adapters and fakes stand here alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from mutual_dissent.core.events import Event
from mutual_dissent.core.panel import Route
from mutual_dissent.core.response import Ask, Response
from mutual_dissent.core.tool import Tool
from mutual_dissent.core.values.sheet import Reply

OnText = Callable[[str], None]


class Provider(Protocol):
    """Source of answers: a vendor, a local model, a recording."""

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """The answer to one ask, or a response whose `error` says why there is none.

        It retries what is worth retrying, keeps to `ask.timeout`, and raises nothing but
        CancelledError. `on_text` is called with each piece of text as it arrives; after a retry
        that starts over it is called with `RESTART` first. If it is cancelled before anything was
        sent, it may say so by calling it with `UNSENT`.
        """
        ...

    async def warm_up(self, routes: Sequence[Route]) -> None:
        """Prepare what the first call would otherwise be billed for: imports, connections."""
        ...


# Told apart by `is`: an answer may well have the word "restart" as a piece of its text.
RESTART = "".join(("re", "start"))  # noqa: FLY002 - no literal must be this object
"""Sent to `on_text` when an attempt failed midway and the text starts over: this very object."""

UNSENT = "".join(("un", "sent"))  # noqa: FLY002 - no literal must be this object
"""Sent to `on_text` by a call that is given up while it waits for its turn: this very object."""


class Journal(Protocol):
    """Log of a debate's events."""

    async def append(self, events: Sequence[Event]) -> None:
        """Store numbered events; on return they survive a power cut.

        Raises:
            NotSaved: if they could not be written.
        """
        ...


class Human(Protocol):
    """Way to the user, who sits on a panel: a surface that shows requests and takes answers."""

    async def ask_user(self, debate: str, ask: Ask) -> Reply | None:
        """The reply of the user, None if it passes; waits until it is cancelled."""
        ...

    def last_call(self, debate: str, seconds: float) -> None:
        """Tell the user that it is waited for only so long, for enough others have answered."""
        ...


class Prices(Protocol):
    """Prices of calls, and the context windows of models. Unknown is None, never zero."""

    def cost(
        self, route: Route, input_tokens: int, output_tokens: int, cached_tokens: int = 0
    ) -> float | None:
        """Dollars for a call."""
        ...

    def context_window(self, route: Route) -> int | None:
        """Return how many tokens the model takes in all."""
        ...

    async def prepare(self, routes: Sequence[Route]) -> None:
        """Load what these routes will need, so that no call is held up later; never raises."""
        ...

    def known_models(self) -> list[str]:
        """The names of models, `vendor:model`, to suggest for one that is not known."""
        ...


class Tools(Protocol):
    """Tools that panelists may use. Results are untrusted text, fenced wherever they are shown."""

    def available(self) -> tuple[Tool, ...]:
        """The tools that can be used now; none without a backend."""
        ...

    async def use(self, name: str, arguments: dict[str, Any]) -> str:
        """The result of one call; a failure is a sentence. Raises nothing but CancelledError."""
        ...


class CitedPages(Protocol):
    """Way to the pages that answers cite: the public web, and nothing behind it."""

    async def read(self, url: str, claims: Sequence[str]) -> list[tuple[str, str, str]]:
        """State, passage and reason for each claim about one page. Raises only CancelledError."""
        ...


Clock = Callable[[], datetime]
"""The time, in UTC."""


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
