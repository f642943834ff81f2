"""`dissent modes`: the procedures and topologies."""

from __future__ import annotations

from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.step import Mode
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json, table


@click.command("modes", epilog=examples("dissent modes", "dissent modes --output json"))
@as_list
def command(output: str) -> None:
    """List the procedures and topologies of a debate."""
    md = MutualDissent()
    modes = [md.modes[name] for name in md.modes]
    topologies = [md.topologies[name] for name in md.topologies]
    if output == "json":
        echo_json(
            {
                "modes": [_plain(m) for m in modes],
                "topologies": [{"name": t.name, "summary": t.summary} for t in topologies],
            }
        )
        return
    rows = [(m.name, _rounds(m), m.summary) for m in modes]
    click.echo(table(("MODE", "ROUNDS", "WHAT IT DOES"), rows))
    click.echo()
    click.echo(table(("TOPOLOGY", "WHO READS WHOM"), [(t.name, t.summary) for t in topologies]))


def _plain(mode: Mode) -> dict[str, Any]:
    names = ("name", "summary", "rounds", "max_rounds", "min_panel")
    return {name: getattr(mode, name) for name in names}


def _rounds(mode: Mode) -> str:
    return "fixed" if mode.rounds is None else f"1-{mode.max_rounds}, auto"
