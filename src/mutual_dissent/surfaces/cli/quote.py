"""A quote, as a table and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mutual_dissent.core.errors import clip
from mutual_dissent.core.panel import HUMAN, THOUGHT, SeatName
from mutual_dissent.surfaces.cli.tables import dollars, echo_json, table
from mutual_dissent.text.numbers import figure
from mutual_dissent.views.phrases import join_names, plural

if TYPE_CHECKING:
    from mutual_dissent.engine.limits.quote import CostQuote, QuotedText, QuoteLine


def quote_as_json(quote: CostQuote) -> None:
    """Print the quote with its totals."""
    from mutual_dissent.surfaces.facts.quotes import quoted_totals

    echo_json(quoted_totals(quote))


def beyond(quote: CostQuote, max_cost: float | None) -> str:
    """Explain the effect of a limit below the quoted cost; empty where it suffices."""
    if max_cost is None or quote.cost_usd is None or quote.cost_usd <= max_cost:
        return ""
    return (
        f"That is more than the limit of ${figure(max_cost)} (--max-cost): with it, answers would "
        "be kept shorter, or the debate would stop before the limit."
    )


def quote_range(quote: CostQuote) -> str:
    """Calls and dollars of a quote, from the least to the most."""
    least = quote.least or quote
    calls = plural(quote.calls, "call")
    if least.calls < quote.calls:
        calls = f"{least.calls} to {calls}"
    if quote.cost_usd is None or least.cost_usd is None:
        return calls
    low, high = dollars(least.cost_usd), dollars(quote.cost_usd)
    return f"{calls}, {high if low == high else f'{low} to {high}'}"


def quote_as_text(quote: CostQuote) -> None:
    """Print a line for each panelist, and the sum."""
    rows = [
        (line.seat, "-", "-", "-", "no cost", "you")
        if line.vendor == HUMAN
        else (line.seat, str(line.calls), f"{line.input_tokens:,}", f"{line.output_tokens:,}",
              dollars(line.cost_usd), _model(line))
        for line in quote.lines
    ]  # fmt: skip
    total = (
        "all", str(quote.calls), f"{quote.input_tokens:,}", f"{quote.output_tokens:,}",
        dollars(quote.cost_usd), "estimated, at most; nobody was asked" if quote.at_most
        else "estimated; nobody was asked",
    )  # fmt: skip
    click.echo(table(("SEAT", "CALLS", "TOKENS IN", "OUT", "COST", "MODEL"), [*rows, total]))
    if quote.attached:
        click.echo(f"Sent with the query: {_attached(quote)}.", err=True)
    for said in filter(None, (quote.reading, quote.checking)):
        click.echo(said, err=True)
    for way in quote.searching:
        click.echo(way.text, err=True)
    if thought := sum(line.thought_tokens for line in quote.lines):
        each = {line.effort: THOUGHT[line.effort] for line in quote.lines if line.effort}
        shown = ", ".join(f"{n:,} at {effort}" for effort, n in each.items())
        click.echo(
            f"{thought:,} of the tokens out are thought, reckoned by answer: {shown}.", err=True
        )
    if quote.least:
        click.echo(f"{quote_range(quote)}: it takes less where {quote.less_where}.", err=True)
    elif quote.at_most:
        click.echo(
            "It may stop earlier: this is what the last possible round would take.", err=True
        )
    if quote.cost_usd is None:
        click.echo("The price of a model is not known, so neither is the sum.", err=True)


def _attached(quote: CostQuote) -> str:
    """Everything that would leave this machine, with its length; of pictures, to whom it goes."""
    return ", ".join(f"{clip(t.name, 200)} ({_measures(t)})" for t in quote.attached)


def _measures(sent: QuotedText) -> str:
    if sent.picture is None:
        return f"{sent.characters:,} characters"
    from mutual_dissent.core.values.picture import byte_words

    p = sent.picture
    size = f"a picture of {p.width:,} × {p.height:,} pixels, {byte_words(p.size)}"
    told = f"; {p.described_by} describes it for {join_names([*p.described_for])}"
    return f"{size}, shown to {join_names([*p.shown_to])}{told if p.described_by else ''}"


def _model(line: QuoteLine) -> str:
    return f"{line.vendor}:{SeatName(model=line.model_id, effort=line.effort)}"
