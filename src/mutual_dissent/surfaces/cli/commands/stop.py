"""`dissent stop`: end a running debate at once; it can be resumed."""

from __future__ import annotations

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.values.directive import Action
from mutual_dissent.surfaces.cli.options import DEBATE, examples


@click.command("stop", epilog=examples("dissent stop 1f0c9a2e"))
@click.argument("name", metavar="ID", type=DEBATE)
def command(name: str) -> int:
    """Stop a debate that is under way at once, here or in another terminal.

    Calls in flight are given up; every answer that arrived is kept, and `dissent resume` goes on.
    """
    md = MutualDissent()
    full = md.direct(name, Action.STOP)
    click.echo(f"{full[:8]} is being stopped; go on with: dissent resume {full[:8]}")
    return 0
