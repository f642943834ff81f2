"""`dissent show`: a stored debate, in any form."""

from __future__ import annotations

from pathlib import Path

import click

from mutual_dissent.surfaces.cli import completing
from mutual_dissent.surfaces.cli.debate import Showing
from mutual_dissent.surfaces.cli.options import examples, shown
from mutual_dissent.surfaces.cli.record import record


@click.command(
    "show",
    epilog=examples(
        "dissent show 1f0c9a2e",
        "dissent show 1f0c9a2e --verbose",
        "dissent show 1f0c9a2e --output json | jq .synthesis.content",
        "dissent show 1f0c9a2e --file debate.md",
    ),
)
@click.argument("name", metavar="ID", shell_complete=completing.debate)
@shown
def command(name: str, output: str | None, file: Path | None, force: bool, verbose: bool) -> None:
    """Show a stored debate."""
    with record() as md:
        showing = Showing.chosen(md, output, file, force=force, verbose=verbose)
        showing.show(md.store.transcript(md.store.find(name)))
