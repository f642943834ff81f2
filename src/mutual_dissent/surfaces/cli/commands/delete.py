"""`dissent delete`: delete stored debates, with their files and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli.options import DEBATE, examples
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import plural

if TYPE_CHECKING:
    from mutual_dissent.store.store import Store


@click.command(
    "delete", epilog=examples("dissent delete 1f0c9a2e", "dissent delete 1f0c9a2e 77b3d0c4 --yes")
)
@click.argument("names", nargs=-1, required=True, metavar="ID...", type=DEBATE)
@click.option("--yes", "-y", is_flag=True, help="Do not ask first.")
def command(names: tuple[str, ...], yes: bool) -> int:
    """Delete stored debates: their records, their files, and what they cost.

    It cannot be undone; `dissent export` keeps a copy.
    """
    md = MutualDissent()
    try:
        ids = list(dict.fromkeys(md.store.find(n) for n in names))
        if not yes and not _confirm(md.store, ids):
            click.echo("Nothing was deleted.", err=True)
            return 1
        for name in ids:
            md.delete(name)
            click.echo(f"{name[:8]} is deleted.")
    finally:
        md.close()
    return 0


def _confirm(store: Store, names: list[str]) -> bool:
    for name in names:
        click.echo(f"{name[:8]}  {one_line(store.query(name), 60)}", err=True)
    try:
        return click.confirm(f"Delete {plural(len(names), 'debate')} for good?", err=True)
    except click.Abort:
        raise BadInput("nothing was deleted; give --yes where nobody can be asked") from None
