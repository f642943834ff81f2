"""Models: the ones a panel may use, the route to each, and their prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.codec.camel import Json, Shape
from mutual_dissent.core.codec.plain import shallow
from mutual_dissent.core.errors import UserError
from mutual_dissent.core.panel import Route
from mutual_dissent.providers.agents.table import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRoute(Shape):
    """The way to a model."""

    vendor: str
    model_id: str
    mode: str
    via_openrouter: bool
    effort: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAlias(Shape):
    """A short name of a model, how it is reached now, and dollars for a million tokens."""

    alias: str
    openrouter: str | None
    direct: str | None
    vendor: str | None
    routing: str
    route: KnownRoute | None
    unreachable: str | None
    input_usd: float | None
    output_usd: float | None
    context: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel(Shape):
    """A model of the price table, and dollars for a million tokens."""

    name: str
    vendor: str
    model_id: str
    input_usd: float | None
    output_usd: float | None
    context: int | None


def known_route(route: Route) -> KnownRoute:
    """A route, for programs."""
    return KnownRoute(**shallow(route))


def aliases(md: MutualDissent) -> list[KnownAlias]:
    """Return the aliases, with the route of each or why it has none, and its prices."""
    return [_alias(md, name) for name in md.settings.aliases]


def _alias(md: MutualDissent, name: str) -> KnownAlias:
    alias = md.settings.aliases[name]
    route, why = _route(md, name)
    return KnownAlias(
        alias=name,
        openrouter=alias.openrouter,
        direct=alias.direct,
        vendor=alias.vendor,
        routing=md.settings.routing.get(name, "auto"),
        route=known_route(route) if route else None,
        unreachable=why,
        **_figures(md, route or _some_route(alias.vendor, alias.direct, alias.openrouter)),
    )


def programs(md: MutualDissent) -> list[KnownAlias]:
    """Return the agent programs in the same shape, installed or not."""
    return [_program(md, program) for program in md.settings.programs.known.values()]


def _program(md: MutualDissent, program: Program) -> KnownAlias:
    route, why = _route(md, program.seat)
    return KnownAlias(
        alias=program.seat,
        openrouter=None,
        direct=program.name,
        vendor=program.vendor,
        routing="direct",
        route=known_route(route) if route else None,
        unreachable=why,
        **_figures(md, Route(vendor=program.vendor, model_id=program.name)),
    )


def _route(md: MutualDissent, name: str) -> tuple[Route | None, str | None]:
    try:
        return md.find_route(name), None
    except UserError as e:
        return None, str(e)


def _some_route(vendor: str, direct: str | None, openrouter: str | None) -> Route:
    """Return a route to look up the price by, even if it cannot be used now."""
    if direct:
        return Route(vendor=vendor, model_id=direct)
    return Route(vendor="openrouter", model_id=openrouter or "")


def _figures(md: MutualDissent, route: Route) -> Json:
    fee, read, written = (md.prices.cost(route, *t) for t in ((0, 0), (1000, 0), (0, 1000)))
    return {
        "input_usd": _per_million(read, fee),
        "output_usd": _per_million(written, fee),
        "context": md.prices.context_window(route),
    }


def _per_million(thousand: float | None, fee: float | None) -> float | None:
    return round((thousand - (fee or 0)) * 1000, 6) if thousand is not None else None


def known_models(md: MutualDissent, words: Sequence[str]) -> list[KnownModel]:
    """Return the models of the price table whose names have all the words, cheapest first."""
    from mutual_dissent.providers.prices.table import PriceTable

    prices = md.prices
    if not isinstance(prices, PriceTable):  # the caller's own prices, which list no models
        return []
    wanted = [w.lower() for w in words]
    priced = [p for p in prices.cheapest_first() if all(w in p.name.lower() for w in wanted)]
    return [
        KnownModel(
            name=p.name,
            vendor=p.vendor,
            model_id=p.model_id,
            input_usd=p.input_usd,
            output_usd=p.output_usd,
            context=p.window,
        )
        for p in priced
    ]
