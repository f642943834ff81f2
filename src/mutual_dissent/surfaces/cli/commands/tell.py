"""`dissent tell`: a remark to a running panel."""

from __future__ import annotations

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.values.directive import Action
from mutual_dissent.surfaces.cli.options import DEBATE, examples


@click.command("tell", epilog=examples('dissent tell 1f0c9a2e "Focus on what it costs."'))
@click.argument("name", metavar="ID", type=DEBATE)
@click.argument("remark")
def command(name: str, remark: str) -> int:
    """Say something to a panel that is under way; it is told before its next step."""
    md = MutualDissent()
    full = md.direct(name, Action.REMARK, remark)
    click.echo(f"the panel of {full[:8]} will be told before its next step")
    return 0
