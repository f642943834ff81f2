"""The router: every ask goes to the vendor of its route, and always comes back with a response."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Self

from mutual_dissent.core.errors import DissentError, clip
from mutual_dissent.core.panel import Route
from mutual_dissent.core.ports import OnText, Prices, Provider
from mutual_dissent.core.response import SMALL, Ask, ErrorKind, Response
from mutual_dissent.providers.dialects.capabilities import Refusals
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.health import KeyHealth
from mutual_dissent.providers.http.limits import Bounds
from mutual_dissent.providers.http.rate_limit import Turn
from mutual_dissent.providers.redaction import excerpt
from mutual_dissent.providers.responses import failure, unsent

if TYPE_CHECKING:  # the HTTP client is loaded with the first call or warm-up, not before
    from mutual_dissent.providers.http.pool import Pool
    from mutual_dissent.providers.http.vendor import Vendor

MakeProvider = Callable[[], Provider]


class Router:
    """A provider made of providers, each started when it is first needed."""

    def __init__(
        self,
        endpoints: Mapping[str, Endpoint],
        *,
        prices: Prices | None = None,
        local: MakeProvider | None = None,
        extra: Mapping[str, MakeProvider] | None = None,
        known: Callable[[], Iterable[str]] = tuple,
        bounds: Bounds | None = None,
        turn: Turn | None = None,
    ) -> None:
        """Set up a router; nothing is opened or loaded yet.

        Args:
            endpoints: vendor -> its address, with its key.
            prices: the cost of calls, and the context sizes of models.
            local: makes the provider of the embedded model.
            extra: vendor -> makes its provider, for vendors without an endpoint.
            known: gives the model names to suggest for one that a vendor does not know.
            bounds: the limits of every call.
            turn: takes a turn with a vendor where several machines share one rate limit.
        """
        self._endpoints = endpoints
        self._prices = prices
        self._known = known
        self._bounds = bounds or Bounds()
        self._turn = turn
        self._makers: Mapping[str, MakeProvider] = {} if extra is None else extra
        self._local = local
        self._made: dict[str, Provider] = {}
        self._vendors: dict[str, Vendor] = {}
        self._pool: Pool | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._standing = KeyHealth()
        self._refusals = Refusals()

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """Return the answer to one ask, or a response that says why there is none."""
        try:
            if overflow := self._overflow(ask):
                return unsent(ask, ErrorKind.BAD_REQUEST, overflow)
            provider = self._provider(ask.panelist.route.vendor)
            if provider is None:
                return unsent(ask, ErrorKind.BAD_REQUEST, self._unknown(ask.panelist.route))
            return await provider.ask(ask, on_text)
        # Our own sentence, made for users; any other error's words may hold the key, and are
        # masked.
        except DissentError as e:
            return failure(ask, ErrorKind.BAD_REQUEST, str(e))
        except Exception as e:  # noqa: BLE001 - the port promises that no failure ends a debate
            return failure(ask, ErrorKind.BAD_RESPONSE, self._unforeseen(ask, e))

    async def warm_up(self, routes: Sequence[Route]) -> None:
        """Load what the calls will need, so that no model is billed for it. Nothing is sent."""
        others: dict[str, list[Route]] = {}
        for route in routes:
            if self._is_other(route.vendor):
                others.setdefault(route.vendor, []).append(route)
            elif route.vendor in self._endpoints:
                self._vendor(route.vendor).warm_up()
        for vendor, its_routes in others.items():
            await self._other(vendor).warm_up(its_routes)

    async def aclose(self) -> None:
        """Close every connection and every provider that was started."""
        self._vendors = {}
        if self._pool:
            await self._pool.aclose()
        made, self._made = self._made, {}
        for provider in made.values():
            if close := getattr(provider, "aclose", None):
                await close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _provider(self, vendor: str) -> Vendor | Provider | None:
        if self._is_other(vendor):
            return self._other(vendor)
        return self._vendor(vendor) if vendor in self._endpoints else None

    def _is_other(self, vendor: str) -> bool:
        """Return whether a vendor has no endpoint. Plugins are searched last: that takes time."""
        if vendor == "local" and self._local is not None:
            return True
        return vendor not in self._endpoints and vendor in self._makers

    def _other(self, vendor: str) -> Provider:
        if vendor not in self._made:
            local = self._local if vendor == "local" else None
            self._made[vendor] = (local or self._makers[vendor])()
        return self._made[vendor]

    def _vendor(self, name: str) -> Vendor:
        from mutual_dissent.providers.http.pool import Pool
        from mutual_dissent.providers.http.vendor import Vendor

        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # queues belong to the loop that they were made in
            self._vendors, self._loop = {}, loop
        if self._pool is None:
            self._pool = Pool(self._bounds.connect)
        if name not in self._vendors:
            self._vendors[name] = Vendor(
                self._endpoints[name],
                self._pool,
                bounds=self._bounds,
                prices=self._prices,
                standing=self._standing,
                refusals=self._refusals,
                known=self._known,
                turn=self._turn,
            )
        return self._vendors[name]

    def _overflow(self, ask: Ask) -> str | None:
        """Return the sentence for a request that is too large for the model; None if it is not."""
        route = ask.panelist.route
        needed = ask.input_estimate + (ask.max_tokens or 0)
        if needed <= SMALL or self._prices is None:
            return None
        window = self._prices.context_window(route)
        if window is None or needed <= window:
            return None
        who = f"{route.vendor} ({clip(route.model_id)})"
        return (
            f"the request needs about {needed:,} tokens and {who} takes {window:,}; "
            "shorten the query or its context, or seat a model that takes more"
        )

    def _unknown(self, route: Route) -> str:
        known = sorted({*self._endpoints, *self._makers, *(["local"] if self._local else [])})
        from mutual_dissent.providers.messages import near

        hint = near(route.vendor, known) or f"; choose from {', '.join(known)}"
        return f"no vendor is called {clip(route.vendor)!r}{hint}"

    def _unforeseen(self, ask: Ask, error: Exception) -> str:
        route = ask.panelist.route
        endpoint = self._endpoints.get(route.vendor)
        words = excerpt(f"{type(error).__name__}: {error}", endpoint.key if endpoint else None)
        return f"{route.vendor} ({clip(route.model_id)}) failed in a way nobody foresaw: {words}"
