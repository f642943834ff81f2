"""`dissent pause`: a running debate waits until it is resumed."""

from __future__ import annotations

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.values.directive import Action
from mutual_dissent.surfaces.cli.options import DEBATE, examples


@click.command("pause", epilog=examples("dissent list --status active", "dissent pause 1f0c9a2e"))
@click.argument("name", metavar="ID", type=DEBATE)
def command(name: str) -> int:
    """Pause a debate that is under way, here or in another terminal.

    The answers that are being written are still taken; then its program ends, and `dissent resume`
    goes on from there.
    """
    md = MutualDissent()
    full = md.direct(name, Action.PAUSE)
    click.echo(f"{full[:8]} will pause after its running calls; then: dissent resume {full[:8]}")
    return 0
