"""`dissent forecasts`: forecasts that wait for their outcome, and how earlier ones fared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mutual_dissent.analysis.scores.forecasts import COIN
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.read_only import record
from mutual_dissent.surfaces.cli.tables import echo_json, table, terminal_width
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import plural

if TYPE_CHECKING:
    from mutual_dissent.surfaces.facts.forecasts import (
        CalibrationBin,
        ForecastRecord,
        ListedForecast,
    )


@click.command(
    "forecasts",
    epilog=examples(
        "dissent forecasts",
        "dissent forecasts --due",
        "dissent forecasts --scores",
        "dissent outcome 1f0c9a2e yes",
    ),
)
@click.option("--due", is_flag=True, help="Only those whose day has come.")
@click.option("--scores", is_flag=True, help="How resolved ones fared: Brier score, calibration.")
@as_list
def command(due: bool, scores: bool, output: str) -> None:
    """List the forecasts that wait for their outcome, those that are due first.

    A forecast is a debate in the mode forecast, best with a day: --due 2027-01-31. Say how it
    turned out with dissent outcome ID yes, no or the true figure.
    """
    from mutual_dissent.surfaces.facts.forecasts import read_forecasts

    with record() as md:
        found = read_forecasts(md.store, only_due=due)
    if output == "json":
        echo_json(found.record if scores else found.forecasts)
    elif scores:
        _show_scores(found.record)
    elif not found.forecasts:
        say("No forecast is due." if due else NONE_WAIT)
    else:
        cells = [_cells(f) for f in found.forecasts]
        click.echo(table(("ID", "DUE", "FORECAST", "QUERY"), cells, width=terminal_width()))
        say("resolve one with: dissent outcome ID yes, no or the true figure")


NONE_WAIT = (
    'No forecast waits for its outcome. Make one with: dissent ask "..." --mode forecast '
    "--due 2027-01-31"
)


def _cells(f: ListedForecast) -> tuple[str, ...]:
    figure = one_line(f.forecast.partition(",")[0], 30) or "none"
    day = f"{f.due or '-'}{' (due)' if f.is_due else ''}"
    return f.transcript_id[:8], day, figure, one_line(f.query, 70)


def _show_scores(found: ForecastRecord) -> None:
    if not found.resolved:
        say("No forecast has been resolved. Say how one turned out with: dissent outcome ID yes")
        return
    if found.brier:
        rows = [(one_line(s.name, 60), f"{s.resolved}", f"{s.brier:.3f}") for s in found.brier]
        click.echo(table(("FORECASTER", "RESOLVED", "BRIER"), rows, width=terminal_width()))
        click.echo(f"0 is perfect, {COIN} is what a coin gets.\n")
    for who, bins in found.calibration.items():
        head = (f"{who} said".upper(), "CASES", "MEAN", "HAPPENED (95 %)")
        click.echo(table(head, map(_bin, bins), width=terminal_width()) + "\n")
    if found.ranges:
        click.echo(f"{found.ranges_held} of {found.ranges} ranges held; 8 of 10 are meant to.")
    if found.missing:
        count = plural(found.resolved, "resolved forecast")
        say(f"{count}: about {found.missing} more until this says much")


def _bin(b: CalibrationBin) -> tuple[str, ...]:
    happened = f"{b.happened:.0%} [{b.happened_low:.0%}, {b.happened_high:.0%}]"
    return f"{b.low:.0%} to {b.high:.0%}", f"{b.cases}", f"{b.said:.0%}", happened
