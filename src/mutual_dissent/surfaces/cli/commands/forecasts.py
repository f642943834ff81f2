"""`dissent forecasts`: forecasts that wait for their outcome, and how earlier ones fared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from mutual_dissent.analysis.scores.forecasts import (
    COIN,
    ForecastScore,
    panel_forecast,
    score_forecast,
)
from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.forecasts import FORECAST
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.read_only import record
from mutual_dissent.surfaces.cli.tables import echo_json, table, terminal_width
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import plural

if TYPE_CHECKING:
    from mutual_dissent.core.transcript import Transcript
    from mutual_dissent.store.store import Store

MOST = 1000
"""Forecasts that are looked at, the newest."""
ENOUGH = 30
"""Below so many resolved forecasts, a calibration table is mostly chance."""
BINS = ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.0))
PANEL = "the panel"


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
    with record() as md:
        forecasts = list(_forecasts(md.store))
    if scores:
        _show_scores([f for t in forecasts if (f := score_forecast(t))], output)
        return
    today = datetime.now(UTC).date().isoformat()
    waiting = [t for t in forecasts if score_forecast(t) is None]
    if due:
        waiting = [t for t in waiting if t.brief.due and t.brief.due <= today]
    waiting.sort(key=lambda t: (t.brief.due or "9999", t.created_at))
    if output == "json":
        echo_json([_row(t, today) for t in waiting])
    elif not waiting:
        say("No forecast is due." if due else NONE_WAIT)
    else:
        cells = [_cells(t, today) for t in waiting]
        click.echo(table(("ID", "DUE", "FORECAST", "QUERY"), cells, width=terminal_width()))
        say("resolve one with: dissent outcome ID yes, no or the true figure")


NONE_WAIT = (
    'No forecast waits for its outcome. Make one with: dissent ask "..." --mode forecast '
    "--due 2027-01-31"
)


def _forecasts(store: Store) -> Iterator[Transcript]:
    for row in store.list(mode=FORECAST, status=Status.COMPLETED.value, limit=MOST):
        with suppress(DissentError):  # damaged, or deleted meanwhile
            yield store.transcript(row.transcript_id)


def _cells(t: Transcript, today: str) -> tuple[str, ...]:
    pooled = panel_forecast(t)
    day = t.brief.due or "-"
    figure = one_line(pooled.words.partition(",")[0], 30) if pooled else "none"
    late = " (due)" if t.brief.due and t.brief.due <= today else ""
    return t.transcript_id[:8], f"{day}{late}", figure, one_line(t.query, 70)


def _row(t: Transcript, today: str) -> dict[str, Any]:
    pooled = panel_forecast(t)
    return {
        "id": t.transcript_id,
        "query": t.query,
        "due": t.brief.due,
        "is_due": bool(t.brief.due and t.brief.due <= today),
        "forecast": pooled.words if pooled else None,
        "figure": pooled.figure if pooled else None,
        "pooled": pooled.pooled if pooled else {},
    }


def _show_scores(scores: Sequence[ForecastScore], output: str) -> None:
    chances = [s for s in scores if s.claims]
    ranges = [s.held for s in scores if s.held is not None]
    by_name = _by_name(chances)
    if output == "json":
        echo_json(
            {
                "resolved": len(scores),
                "brier": {name: _mean(own) for name, own in by_name.items()},
                "calibration": _bins(chances),
                "ranges_held": sum(ranges),
                "ranges": len(ranges),
            }
        )
        return
    if not scores:
        say("No forecast has been resolved. Say how one turned out with: dissent outcome ID yes")
        return
    if chances:
        rows = [(name, f"{len(own)}", f"{_mean(own):.3f}") for name, own in by_name.items()]
        click.echo(table(("FORECASTER", "RESOLVED", "BRIER"), rows, width=terminal_width()))
        click.echo(f"0 is perfect, {COIN} is what a coin gets.\n")
        bins = [
            (f"{b['from']:.0%} to {b['to']:.0%}", f"{b['cases']}", f"{b['said']:.0%}",
             f"{b['happened']:.0%}") for b in _bins(chances)
        ]  # fmt: skip
        click.echo(table(("SAID", "CASES", "MEAN", "HAPPENED"), bins, width=terminal_width()))
    if ranges:
        click.echo(f"{sum(ranges)} of {len(ranges)} ranges held; 8 of 10 are meant to.")
    if len(scores) < ENOUGH:
        left = ENOUGH - len(scores)
        say(f"{plural(len(scores), 'resolved forecast')}: about {left} more until this says much")


def _by_name(scores: Sequence[ForecastScore]) -> dict[str, list[float]]:
    """Forecaster -> its Brier scores; the panel's ways of pooling come first."""
    names: defaultdict[str, list[float]] = defaultdict(list)
    for score in scores:
        for way, own in score.panel.items():
            names[f"{PANEL}, {way}"].append(own)
    for score in scores:
        for model, own in score.models.items():
            names[one_line(model, 50)].append(own)
    return dict(names)


def _bins(scores: Sequence[ForecastScore]) -> list[dict[str, Any]]:
    """Compare what all forecasters said with how often it happened, by fifths."""
    cases = [(claim, s.truth) for s in scores for claim in s.claims.values()]
    bins = []
    for low, high in BINS:
        inside = [c for c in cases if low <= c[0] < high or (high == c[0] == 1.0)]
        if inside:
            said, happened = _mean([c for c, _ in inside]), _mean([h for _, h in inside])
            row = {"from": low, "to": high, "cases": len(inside)}
            bins.append({**row, "said": said, "happened": happened})
    return bins


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
