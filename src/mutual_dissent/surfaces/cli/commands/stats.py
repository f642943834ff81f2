"""`dissent stats`: what deliberation was worth so far, by mode, preset and model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from mutual_dissent.store.debates.filters import ListFilters
from mutual_dissent.surfaces.cli.commands.list import NOTHING_YET
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.read_only import record
from mutual_dissent.surfaces.cli.tables import UNPRICED, dollars, echo_json, table
from mutual_dissent.surfaces.facts.days import moment
from mutual_dissent.surfaces.facts.track_record import ReadDebates, look_back
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import plural, seconds
from mutual_dissent.views.track_record import ModelRecord, Outcomes, outcomes

MOST = 100_000


@click.command(
    "stats",
    epilog=examples(
        "dissent stats",
        "dissent stats --mode delphi --since 30d",
        "dissent stats --model claude --output json",
        "dissent stats --limit 10000",
    ),
)
@click.option("--mode", metavar="NAME", help="Debates of this mode only.")
@click.option("--model", metavar="NAME", help="Debates in which this alias or model id took part.")
@click.option("--since", metavar="DATE", help="From this day on: 2026-02-21, or 7d for a week.")
@click.option("--until", metavar="DATE", help="Up to and including this day.")
@click.option(
    "--limit",
    type=click.IntRange(1, MOST),
    default=1000,
    show_default=True,
    help="Look at the newest so many.",
)
@as_list
def command(mode: str | None, model: str | None, limit: int, output: str, **days: Any) -> None:
    """Say what deliberation was worth in the stored debates.

    How often it ended elsewhere than a plain vote of the first answers would have; with known
    answers, how often it was better or worse than the best single one.
    """
    wanted: ListFilters = {
        "model": model,
        "since": moment("--since", days["since"]),
        "until": moment("--until", days["until"], whole_day=True),
    }
    with record() as md:
        seen = look_back(md.store, mode, limit, wanted)
    records = seen.models(model)
    if output == "json":
        echo_json(seen.record(model))
    elif not seen.looks:
        narrowed = mode or any(wanted.values())
        click.echo("No stored debate matches." if narrowed else NOTHING_YET, err=True)
    else:
        _tell(seen, records)


def _tell(seen: ReadDebates, records: Sequence[ModelRecord]) -> None:
    click.echo(_looked_at(seen))
    ways = outcomes(seen.looks, lambda x: x.answer)
    by_name = {
        "MODE": outcomes(seen.looks, lambda x: x.mode),
        "PRESET": outcomes(seen.looks, lambda x: x.preset),
        "ANSWER": ways if len(ways) > 1 else [],
    }
    for title, rows in by_name.items():
        if rows:
            click.echo()
            click.echo(_by(title, rows))
    click.echo()
    click.echo(_by_model(records))
    click.echo()
    click.echo(
        "changed: another outcome than a plain vote of the first answers, where that was measured; "
        "agreement: over the debates in which it was measured; "
        "influence: how often readers say that it moved them, no proof of a cause."
    )
    if any(m.unpriced for m in records):
        click.echo(UNPRICED)


def _looked_at(seen: ReadDebates) -> str:
    total = len(seen.looks) + seen.left_out
    which = f"the newest of {total:,}" if seen.left_out else "all that match"
    parts = [f"{plural(len(seen.looks), 'debate')} looked at ({which})"]
    known = sum(x.agreement is not None for x in seen.looks)
    parts.append(f"agreement was measured in {known:,} of them")
    if alone := sum(x.one_model for x in seen.looks):
        parts.append(f"{alone:,} by one model alone, whose agreement is no evidence")
    if seen.unreadable:
        parts.append(f"{seen.unreadable:,} could not be read: run dissent doctor")
    return "; ".join(parts)


def _by(title: str, rows: Sequence[Outcomes]) -> str:
    headings = (title, "DEBATES", "CHANGED", "SAME", "UNKNOWN", "SCORED", "IMPROVED", "DEGRADED")
    cells = [
        (
            one_line(o.name, 30),
            *(f"{n:,}" for n in (o.debates, o.changed, o.same, o.unclear, o.scored)),
            *(_of(n, o.scored) for n in (o.improved, o.degraded)),
            _level(o.agreement),
            f"{o.measured:,}",
            dollars(o.cost_usd, o.unpriced),
        )
        for o in rows
    ]
    return table((*headings, "AGREEMENT", "MEASURED", "COST"), cells)


def _by_model(records: Sequence[ModelRecord]) -> str:
    headings = ("MODEL", "DEBATES", "CALLS", "FAILED", "LATENCY", "CHANGED", "FLIPS", "INFLUENCE")
    cells = [
        (
            one_line(m.model_id, 50),
            *(f"{n:,}" for n in (m.debates, m.calls, m.failed)),
            seconds(m.latency_ms) or "-",
            f"{m.changed:,}",
            f"{m.flips:,}" if m.moved_debates else "-",
            "-" if m.influence is None else f"{m.influence:.2f}",
            _level(m.agreement),
            dollars(m.cost_usd, m.unpriced),
        )
        for m in records
    ]
    return table((*headings, "AGREEMENT", "COST"), cells)


def _of(n: int, scored: int) -> str:
    return f"{n:,}" if scored else "-"


def _level(agreement: float | None) -> str:
    return "-" if agreement is None else f"{agreement:.2f}"
