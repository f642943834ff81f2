"""`dissent models`: who can sit on a panel, how they are reached, what they cost."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import DissentError, UserError
from mutual_dissent.core.figures import figure
from mutual_dissent.core.panel import Route
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json, table, terminal_width

NARROW = 112
"""Columns of a terminal below which only one of a model's two ids is shown."""


@click.command(
    "models",
    epilog=examples(
        "dissent models",
        "dissent models sonnet",
        "dissent models groq: --limit 100 --output json",
    ),
)
@click.argument("words", nargs=-1, metavar="[WORD]...")
@click.option("--limit", type=click.IntRange(1, 10_000), default=40, show_default=True)
@as_list
def command(words: tuple[str, ...], limit: int, output: str) -> None:
    """List the models, how each is reached, and what it costs.

    Without a word: the aliases. With words: every known model whose name has them all, the cheapest
    first. Prices are dollars for a million tokens.
    """
    md = MutualDissent()
    found = _search(md, words)[:limit] if words else _aliases(md)
    if words and not found:
        raise DissentError(f"no known model has {' and '.join(words)[:60]!r} in its name")
    if output == "json":
        echo_json(found)
    else:
        click.echo((_searched if words else _listed)(found))


def _aliases(md: MutualDissent) -> list[dict[str, Any]]:
    return [_alias(md, name) for name in md.settings.aliases]


def _alias(md: MutualDissent, name: str) -> dict[str, Any]:
    alias = md.settings.aliases[name]
    route, why = _route(md, name)
    return {
        "alias": name,
        "openrouter": alias.openrouter,
        "direct": alias.direct,
        "vendor": alias.vendor,
        "routing": md.settings.routing.get(name, "auto"),
        "route": asdict(route) if route else None,
        "unreachable": why,
        **_figures(md, route or _some_route(alias.vendor, alias.direct, alias.openrouter)),
    }


def _route(md: MutualDissent, name: str) -> tuple[Route | None, str | None]:
    try:
        return md.find_route(name), None
    except UserError as e:
        return None, str(e)


def _some_route(vendor: str, direct: str | None, openrouter: str | None) -> Route:
    """A route to look the price up by, although it cannot be taken now."""
    if direct:
        return Route(vendor=vendor, model_id=direct)
    return Route(vendor="openrouter", model_id=openrouter or "")


def _figures(md: MutualDissent, route: Route) -> dict[str, Any]:
    fee, read, written = (md.prices.cost(route, *t) for t in ((0, 0), (1000, 0), (0, 1000)))
    return {
        "input_usd": _per_million(read, fee),
        "output_usd": _per_million(written, fee),
        "context": md.prices.context_window(route),
    }


def _per_million(thousand: float | None, fee: float | None) -> float | None:
    return round((thousand - (fee or 0)) * 1000, 6) if thousand is not None else None


def _search(md: MutualDissent, words: tuple[str, ...]) -> list[dict[str, Any]]:
    from mutual_dissent.providers.prices import PriceTable

    prices = md.prices
    assert isinstance(prices, PriceTable)
    wanted = [w.lower() for w in words]
    priced = [p for p in prices.cheapest_first() if all(w in p.name.lower() for w in wanted)]
    return [
        {
            "name": p.name,
            "vendor": p.vendor,
            "model_id": p.model_id,
            "input_usd": p.input_usd,
            "output_usd": p.output_usd,
            "context": p.window,
        }
        for p in priced
    ]


def _listed(found: list[dict[str, Any]]) -> str:
    headings = ("ALIAS", "ROUTE NOW", "IN/M", "OUT/M", "CONTEXT", "OPENROUTER ID", "DIRECT ID")
    width = terminal_width()
    left_out = {5} if width and width < NARROW else set()
    return table(headings, [_cells(f) for f in found], without=left_out)


def _cells(found: dict[str, Any]) -> tuple[str, ...]:
    route = found["route"]
    return (
        found["alias"],
        route["vendor"] if route else "none: no key",
        *_amounts(found),
        found["openrouter"] or "-",
        f"{found['vendor']}:{found['direct']}" if found["direct"] else "-",
    )


def _searched(found: list[dict[str, Any]]) -> str:
    headings = ("IN/M", "OUT/M", "CONTEXT", "NAME")
    return table(headings, [(*_amounts(f), f["name"]) for f in found])


def _amounts(found: dict[str, Any]) -> tuple[str, str, str]:
    context = found["context"]
    return (
        _price(found["input_usd"]),
        _price(found["output_usd"]),
        f"{context:,}" if context else "?",
    )


def _price(amount: float | None) -> str:
    return (
        "?"
        if amount is None
        else f"${amount:.2f}"
        if amount >= 0.01 or not amount
        else f"${figure(amount)}"
    )
