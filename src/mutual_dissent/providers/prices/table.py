"""Prices and context sizes of models: an offline table, freshened by OpenRouter's list."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mutual_dissent.core.panel import HUMAN, RECORDED, Route
from mutual_dissent.providers.endpoints import SERVERS, TABLE, Endpoint
from mutual_dissent.providers.local.options import WINDOW
from mutual_dissent.providers.prices.cache import (
    Listing,
    fetch,
    is_stale,
    read_listings,
    write_time,
)
from mutual_dissent.providers.prices.offline import OfflinePrices

OWN_MACHINE = frozenset({*SERVERS, "local", RECORDED, HUMAN})
"""Vendors that run on the user's own machine, and the user: no call is billed."""

RETRY = 3600.0
"""Seconds until a running process looks for a new list again."""

THOUSAND = 1_000
SAMPLE = (3_000, 1_000)
"""Input and output tokens of a typical call, by which models are compared."""


@dataclass(frozen=True, slots=True)
class Priced:
    """A model with its price in dollars for a million tokens each way."""

    vendor: str
    model_id: str
    input_usd: float
    output_usd: float
    window: int | None = None

    @property
    def name(self) -> str:
        """Return its name in a panel entry."""
        return f"{self.vendor}:{self.model_id}"


class PriceTable:
    """Prices and context sizes. Unknown is None, never zero."""

    def __init__(
        self,
        endpoints: Mapping[str, Endpoint] | None = None,
        *,
        cache: Path | None = None,
        refresh: bool = True,
    ) -> None:
        """Set up; nothing is loaded yet.

        Args:
            endpoints: the vendors whose models are priced; the built-in table if not given.
            cache: the file that holds OpenRouter's list.
            refresh: whether `freshen` may fetch that list.
        """
        self._endpoints = TABLE if endpoints is None else endpoints
        self._cache, self._refresh = cache, refresh
        self._fetching: asyncio.Task[bool] | None = None
        # Not 0: just after a machine's start the monotonic clock is below an hour.
        self._tried = -RETRY
        self._read_at: float | None = None

    def cost(
        self, route: Route, input_tokens: int, output_tokens: int, cached_tokens: int = 0
    ) -> float | None:
        """Return the dollars for a call; cached tokens are part of the input and priced as such."""
        if route.vendor in OWN_MACHINE:
            return 0.0
        tokens_in, tokens_out = max(0, input_tokens), max(0, output_tokens)
        cached = min(max(0, cached_tokens), tokens_in)
        if listing := self._listing(route):
            return listing.cost(tokens_in, tokens_out, cached)
        return self._by_table(route, tokens_in, tokens_out, cached)

    def context_window(self, route: Route) -> int | None:
        """Return the tokens that the model takes, its answer included."""
        if route.vendor == "local":
            return WINDOW
        listing = self._listing(route)
        if listing and listing.window:
            return listing.window
        provider = self._provider_id(route.vendor)
        size = self._library.window(provider, route.model_id) if provider else None
        return size or self._window_elsewhere(route)

    def sees_pictures(self, route: Route) -> bool | None:
        """Return whether OpenRouter's list says that a model takes pictures; None if not."""
        listing = self._listing(route)
        return listing.sees if listing else None

    def known_models(self, vendor: str | None = None) -> list[str]:
        """Return the names of known models, `vendor:model`, for suggestions."""
        vendors = self._endpoints if vendor is None else (vendor,)
        return sorted({f"{v}:{model_id}" for v in vendors for model_id in self._ids(v)})

    def cheapest_first(self, vendor: str | None = None) -> list[Priced]:
        """Return the known models with their prices, by the cost of a typical call."""
        names = (name.partition(":") for name in self.known_models(vendor))
        priced = [
            p for v, _, model in names if (p := self._priced(Route(vendor=v, model_id=model)))
        ]
        tokens_in, tokens_out = SAMPLE
        return sorted(
            priced, key=lambda p: (p.input_usd * tokens_in + p.output_usd * tokens_out, p.name)
        )

    async def prepare(self, routes: Sequence[Route]) -> None:
        """Load the table, before a model's latency is measured, and begin to fetch a new list.

        OpenRouter is asked for its list only where a call goes to OpenRouter, and no more than once
        an hour; no call waits for it.
        """
        vendors = {r.vendor for r in routes}
        if vendors <= OWN_MACHINE:
            return
        await self.load(routes)
        busy = self._fetching is not None and not self._fetching.done()
        if "openrouter" in vendors and not busy and time.monotonic() - self._tried >= RETRY:
            self._tried = time.monotonic()
            self._fetching = asyncio.create_task(self.freshen())

    async def obtain(self, routes: Sequence[Route]) -> None:
        """Fetch the list that has prices for these routes, if they have none yet."""
        await self.load(routes)
        unknown = [r for r in routes if self.cost(r, 1, 1) is None]
        if any(r.vendor == "openrouter" for r in unknown):
            await self.freshen()

    async def aclose(self) -> None:
        """Give up a list that is still being fetched."""
        if self._fetching is not None and self._fetching.get_loop() is asyncio.get_running_loop():
            self._fetching.cancel()
            await asyncio.wait([self._fetching])

    async def load(self, routes: Sequence[Route]) -> None:
        """Look models up in a thread, so that their first price delays nothing."""
        pairs = ((self._provider_id(r.vendor), r.model_id) for r in routes)
        names = [(provider, model_id) for provider, model_id in pairs if provider]
        read = {"_library", "_listings"} <= self.__dict__.keys()
        if not read or not self._library.knows(names):
            await asyncio.to_thread(self._look_up, names)

    def _look_up(self, names: Sequence[tuple[str, str]]) -> None:
        self._library.learn(names)
        _ = self._listings

    def keep(self) -> None:
        """Keep what was looked up for the next process; for debates that go on record."""
        if "_library" in self.__dict__:
            self._library.keep()

    async def freshen(self) -> bool:
        """Fetch OpenRouter's list if ours is older than a day; return whether a new one came.

        It never raises and may be cancelled at any time; run it beside a debate, never before one.
        """
        if not self._refresh or self._cache is None or "openrouter" not in self._endpoints:
            return False
        if not is_stale(self._cache):
            self._read_again()  # another process may have fetched it
            return False
        came = await fetch(self._endpoints["openrouter"].base_url, self._cache)
        if came:
            self._read_again()
        return came

    def _read_again(self) -> None:
        """Drop the list that was read if its file has changed; the next use reads it again."""
        if self._cache and write_time(self._cache) != self._read_at:
            self.__dict__.pop("_listings", None)

    @cached_property
    def _listings(self) -> Mapping[str, Listing]:
        if self._cache is None:
            return {}
        self._read_at = write_time(self._cache)
        return read_listings(self._cache)

    @cached_property
    def _library(self) -> OfflinePrices:
        # Beside the list: whoever has a home has both.
        return OfflinePrices(self._cache and self._cache.with_name("model-prices.json"))

    def _listing(self, route: Route) -> Listing | None:
        return self._listings.get(route.model_id) if route.vendor == "openrouter" else None

    def _provider_id(self, vendor: str) -> str | None:
        """Return the vendor's name in the table; an endpoint of the user's own has none."""
        endpoint = self._endpoints.get(vendor) or TABLE.get(vendor)
        if vendor in OWN_MACHINE or endpoint is None:
            return None
        return endpoint.price_id or None

    def _by_table(self, route: Route, tokens_in: int, tokens_out: int, cached: int) -> float | None:
        provider = self._provider_id(route.vendor)
        if provider is None:
            return None
        return self._library.cost(provider, route.model_id, tokens_in, tokens_out, cached)

    def _window_elsewhere(self, route: Route) -> int | None:
        """Return a model's size as OpenRouter lists it under its maker's name."""
        provider = self._provider_id(route.vendor)
        listing = self._listings.get(f"{provider}/{route.model_id}") if provider else None
        return listing.window if listing else None

    def _ids(self, vendor: str) -> Iterator[str]:
        if vendor == "openrouter":
            yield from self._listings
        provider = self._provider_id(vendor)
        if provider:
            yield from self._library.ids(provider)

    def _priced(self, route: Route) -> Priced | None:
        # A short call stays below the tiers of long ones; the fee per call is taken off.
        fee, read, written = (self.cost(route, *t) for t in ((0, 0), (THOUSAND, 0), (0, THOUSAND)))
        if fee is None or read is None or written is None:
            return None
        window = self.context_window(route)
        return Priced(
            route.vendor,
            route.model_id,
            round((read - fee) * THOUSAND, 6),
            round((written - fee) * THOUSAND, 6),
            window,
        )
