"""`dissent tag`: the user's own tags on stored debates."""

from __future__ import annotations

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.options import DEBATE, examples
from mutual_dissent.text.sanitize import one_line


@click.command(
    "tag",
    epilog=examples(
        "dissent tag 1f0c9a2e energy 'to show'",
        "dissent tag 1f0c9a2e energy --remove",
        "dissent tag 1f0c9a2e",
        "dissent list --tag energy",
    ),
)
@click.argument("name", metavar="ID", type=DEBATE)
@click.argument("tags", nargs=-1, metavar="[TAG]...")
@click.option("--remove", is_flag=True, help="Take these tags off.")
def command(name: str, tags: tuple[str, ...], remove: bool) -> int:
    """Put tags on a stored debate, or say which it has."""
    md = MutualDissent()
    try:
        full = md.store.find(name)
        left = md.store.untag(full, *tags) if remove else md.store.tag(full, *tags)
    finally:
        md.close()
    click.echo("\n".join(one_line(t, 60) for t in left) or f"{full[:8]} has no tags.")
    return 0
