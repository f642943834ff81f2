"""`dissent rate`: the user's rating of a stored debate."""

from __future__ import annotations

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.options import DEBATE, examples


@click.command(
    "rate",
    epilog=examples(
        "dissent rate 1f0c9a2e 5", "dissent rate 1f0c9a2e none", "dissent list --order rating"
    ),
)
@click.argument("name", metavar="ID", type=DEBATE)
@click.argument("rating", type=click.Choice(["1", "2", "3", "4", "5", "none"]))
def command(name: str, rating: str) -> int:
    """Rate a stored debate from 1 to 5, or take your rating back with none."""
    md = MutualDissent()
    try:
        full = md.store.find(name)
        md.store.rate(full, None if rating == "none" else int(rating))
    finally:
        md.close()
    outcome = "has no rating any more" if rating == "none" else f"is rated {rating} of 5"
    click.echo(f"{full[:8]} {outcome}.")
    return 0
