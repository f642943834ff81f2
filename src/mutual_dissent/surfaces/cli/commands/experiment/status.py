"""`dissent experiment status` and `stop`: how far experiments have come, from any terminal."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli import completing
from mutual_dissent.surfaces.cli.faults import say
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import dollars, echo_json, table

if TYPE_CHECKING:
    from mutual_dissent.experiments.shelf import Standing


@click.command(
    "status",
    epilog=examples("dissent experiment status", "dissent experiment status pilot --output json"),
)
@click.argument("name", metavar="[NAME]", required=False, shell_complete=completing.experiment)
@as_list
def command(name: str | None, output: str) -> None:
    """Say how far experiments have come: all of them, or the one of that name."""
    from mutual_dissent.experiments.shelf import standings

    md = MutualDissent()
    try:
        found = standings(md, name)
    finally:
        md.close()
    if output == "json":
        echo_json([asdict(s) for s in found])
    elif not found:
        say("No experiment is on record. Begin with: dissent experiment new NAME")
    else:
        headings = ("STATE", "DEBATES", "FAILED", "COST", "CHANGED (UTC)", "NAME")
        click.echo(table(headings, [_cells(s) for s in found]))


def _cells(s: Standing) -> tuple[str, ...]:
    return (
        s.state,
        f"{s.completed:,} of {'?' if s.total is None else f'{s.total:,}'}",
        f"{s.failed:,}",
        dollars(s.cost_usd),
        f"{s.updated_at:%Y-%m-%d %H:%M}",
        s.name,
    )


@click.command("stop", epilog=examples("dissent experiment stop pilot"))
@click.argument("name", metavar="NAME", shell_complete=completing.experiment)
def stop_command(name: str) -> None:
    """Stop an experiment that is under way in any terminal; debates that have begun are ended."""
    from mutual_dissent.experiments.shelf import stop

    md = MutualDissent()
    try:
        stop(md, name)
    finally:
        md.close()
    click.echo(f"{name} begins no further debate; go on with: dissent experiment resume {name!r}")
