"""`dissent list`: the stored debates, newest first."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, get_args

import click

from mutual_dissent.core.events import Status
from mutual_dissent.store.debates.search import Order
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.read_only import record
from mutual_dissent.surfaces.cli.tables import (
    UNPRICED,
    dollars,
    echo_json,
    table,
    terminal_width,
)
from mutual_dissent.surfaces.facts.days import moment
from mutual_dissent.surfaces.facts.debates import known_cost, row_for_programs, with_headings
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import plural

if TYPE_CHECKING:
    from mutual_dissent.store.debates.search import ListedDebate, Spending
    from mutual_dissent.store.store import Store

MOST = 10_000
SHOWN = ("limit", "order", "reverse")
"""Options that change the display, not the selection."""
QUEUED = "queued"
"""Status shown for a debate that waits for its turn; without a queue it is interrupted."""
NOTHING_YET = 'No debate is stored. Begin with: dissent ask "..."'
NARROW, NARROWER = 110, 70
"""Columns of a terminal below which panel and date are left out, so that the query can be read."""


@click.command(
    "list",
    epilog=examples(
        "dissent list",
        'dissent list --text "net zero" --model claude --since 2026-01-01',
        "dissent list --status interrupted",
        "dissent list --mode delphi --min-agreement 0.8 --order cost",
        "dissent list --tag energy --experiment pilot-1",
        "dissent list --costs",
        "dissent list --limit 500 --output json",
    ),
)
@click.option("--text", metavar="WORDS", help="Words in the query or in an answer.")
@click.option("--model", metavar="NAME", help="An alias or model id that took part.")
@click.option("--since", metavar="DATE", help="From this day on: 2026-02-21, or 7d for a week.")
@click.option("--until", metavar="DATE", help="Up to and including this day.")
@click.option("--status", type=click.Choice([s.value for s in Status]), help="Where it stands.")
@click.option("--mode", metavar="NAME", shell_complete=completion.mode, help="Of this mode.")
@click.option(
    "--preset", metavar="NAME", shell_complete=completion.preset, help="Made with this preset."
)
@click.option("--experiment", metavar="NAME", help="Of this experiment.")
@click.option("--tag", metavar="TAG", help="With this tag; see dissent tag.")
@click.option("--graded", is_flag=True, help="With an outcome; see dissent outcome.")
@click.option("--min-agreement", type=click.FloatRange(0, 1), help="Agreeing so far at least.")
@click.option("--max-agreement", type=click.FloatRange(0, 1), help="Agreeing so far at most.")
@click.option("--min-cost", type=click.FloatRange(0), help="Dollars spent at least.")
@click.option("--max-cost", type=click.FloatRange(0), help="Dollars spent at most.")
@click.option(
    "--order",
    type=click.Choice(get_args(Order)),
    default="newest",
    show_default=True,
    help="What comes first: the newest, the oldest, or the most of something.",
)
@click.option("--reverse", is_flag=True, help="The other way round.")
@click.option("--limit", type=click.IntRange(1, MOST), default=20, show_default=True)
@click.option("--offset", type=click.IntRange(0), default=0, help="Leave out so many.")
@click.option("--costs", is_flag=True, help="What was spent in all, by model.")
@as_list
def command(costs: bool, output: str, **given: Any) -> None:
    """List the stored debates.

    The first column begins every other command's ID: 8 characters or more are enough.
    """
    given["since"] = moment("--since", given["since"])
    given["until"] = moment("--until", given["until"], whole_day=True)
    with record() as md:
        if costs:
            _costs(md.store.totals("model", since=given["since"], until=given["until"]), output)
        else:
            _rows(md.store, md.store.list(**given), output, given)


def _rows(store: Store, rows: list[ListedDebate], output: str, given: dict[str, Any]) -> None:
    if output == "json":
        echo_json([row_for_programs(row) for row in with_headings(store, rows)])
    elif not rows:
        narrowed = any(v not in (None, 0) for k, v in given.items() if k not in SHOWN)
        say("No stored debate matches." if narrowed else NOTHING_YET)
    else:
        headings = ("ID", "CREATED (UTC)", "STATUS", "COST", "PANEL", "QUERY")
        width = terminal_width()
        left_out = {i for i, least in ((1, NARROWER), (4, NARROW)) if width and width < least}
        click.echo(table(headings, [_cells(r) for r in rows], width=width, without=left_out))
        wanted = {k: v for k, v in given.items() if k not in (*SHOWN, "offset")}
        if len(rows) < (total := store.count(**wanted)):
            how = "--limit, --offset" if given["offset"] == 0 else "--limit, or another --offset"
            say(f"{len(rows):,} of {plural(total, 'debate')}; see more with {how}")
        if any(r.unpriced for r in rows):
            say(UNPRICED)


def _cells(row: ListedDebate) -> tuple[str, ...]:
    return (
        row.transcript_id[:8],
        f"{row.created_at.astimezone(UTC):%Y-%m-%d %H:%M}",
        QUEUED if row.status is Status.CREATED else row.status.value,
        dollars(known_cost(row), row.unpriced),
        one_line(", ".join(_short_seats(row)), 30),
        f"{one_line(row.query, 60)}{_outcome(row.outcome)}",
    )


def _short_seats(row: ListedDebate) -> list[str]:
    """Return the seats of a panel, without a vendor that all of them share."""
    shared = f"{row.vendors[0]}:" if len(row.vendors) == 1 else ""
    return [seat.removeprefix(shared) for seat in row.panel]


def _outcome(outcome: str) -> str:
    return f" [{one_line(outcome, 20)}]" if outcome else ""


def _costs(lines: list[Spending], output: str) -> None:
    if output == "json":
        echo_json([row_for_programs(s) for s in lines])
        return
    known = [s.cost_usd for s in lines if s.cost_usd is not None]
    unpriced = sum(s.unpriced for s in lines)
    rows = [
        (one_line(s.name, 50), f"{s.calls:,}", f"{s.tokens:,}", dollars(s.cost_usd, s.unpriced))
        for s in lines
    ]
    total = ("all", f"{sum(s.calls for s in lines):,}", f"{sum(s.tokens for s in lines):,}")
    click.echo(
        table(
            ("MODEL", "CALLS", "TOKENS", "COST"), [*rows, (*total, dollars(sum(known), unpriced))]
        )
    )
    if unpriced:
        click.echo(
            f"The price of {plural(unpriced, 'call')} is not known; the sum is without it.",
            err=True,
        )
