"""`dissent show`: a stored debate, in any form."""

from __future__ import annotations

from typing import Any

import click

from mutual_dissent.surfaces.cli.options import DEBATE, examples, shown
from mutual_dissent.surfaces.cli.output import ResultOutput
from mutual_dissent.surfaces.cli.read_only import record


@click.command(
    "show",
    epilog=examples(
        "dissent show 1f0c9a2e",
        "dissent show last --verbose",
        "dissent show last --output answer",
        "dissent show 1f0c9a2e --output json | jq .synthesis.content",
        "dissent show 1f0c9a2e --file debate.md",
    ),
)
@click.argument("name", metavar="ID", type=DEBATE)
@shown
def command(name: str, **given: Any) -> None:
    """Show a stored debate."""
    with record() as md:
        showing = ResultOutput.from_options(md, **given)
        showing.show(md.store.transcript(md.store.find(name)))
