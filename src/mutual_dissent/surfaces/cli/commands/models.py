"""`dissent models`: the models for a panel, their routes and their prices."""

from __future__ import annotations

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.panel import RUN_HERE
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json, table, terminal_width
from mutual_dissent.surfaces.facts.models import (
    KnownAlias,
    KnownModel,
    aliases,
    known_models,
    programs,
)
from mutual_dissent.text.numbers import figure

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

    Without a word: the aliases and the agent programs. With words: every known model whose name has
    them all, the cheapest first. Prices are dollars for a million tokens.
    """
    md = MutualDissent()
    models = known_models(md, words)[:limit] if words else []
    known = [] if words else [*aliases(md), *programs(md)]
    if words and not models:
        raise DissentError(f"no known model has {' and '.join(words)[:60]!r} in its name")
    if output == "json":
        echo_json(models or known)
    else:
        click.echo(_model_table(models) if words else _alias_table(known))


def _alias_table(aliases: list[KnownAlias]) -> str:
    headings = ("ALIAS", "ROUTE NOW", "IN/M", "OUT/M", "CONTEXT", "OPENROUTER ID", "DIRECT ID")
    width = terminal_width()
    left_out = {5} if width and width < NARROW else set()
    return table(headings, [_cells(f) for f in aliases], without=left_out)


def _cells(alias: KnownAlias) -> tuple[str, ...]:
    return (
        alias.alias,
        alias.route.vendor if alias.route else f"none: {_why(alias.vendor)}",
        *_amounts(alias),
        alias.openrouter or "-",
        f"{alias.vendor}:{alias.direct}" if alias.direct else "-",
    )


def _why(vendor: str | None) -> str:
    return "not installed" if vendor in RUN_HERE else "no key"


def _model_table(models: list[KnownModel]) -> str:
    headings = ("IN/M", "OUT/M", "CONTEXT", "NAME")
    return table(headings, [(*_amounts(f), f.name) for f in models])


def _amounts(model: KnownAlias | KnownModel) -> tuple[str, str, str]:
    context = f"{model.context:,}" if model.context else "?"
    return _price(model.input_usd), _price(model.output_usd), context


def _price(amount: float | None) -> str:
    return (
        "?"
        if amount is None
        else f"${amount:.2f}"
        if amount >= 0.01 or not amount
        else f"${figure(amount)}"
    )
