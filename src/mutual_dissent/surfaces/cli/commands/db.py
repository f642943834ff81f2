"""`dissent db`: the database that several machines share."""

from __future__ import annotations

import shlex

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.options import examples
from mutual_dissent.views.phrases import plural


@click.group(
    "db",
    epilog=examples("dissent --db postgresql://dissent@db.lan/dissent db upgrade"),
)
def command() -> None:
    """Look after the PostgreSQL database that several machines share."""


@command.command("upgrade", epilog=examples("dissent db upgrade"))
def upgrade_command() -> None:
    """Make the tables of this program, or bring them up to date.

    Run it once after installing or upgrading, before any worker or server is started anew.
    Nothing else changes tables, and what is up to date is left as it is.
    """
    server = MutualDissent().server
    db = server.connect()
    from mutual_dissent.store.postgres.schema import queue_leftovers, upgrade

    try:
        left = queue_leftovers(db)
        before, now = upgrade(db, str(server))
    finally:
        db.close()
    if before == now:
        click.echo(f"{server} is up to date (version {now}).")
    else:
        click.echo(f"{server} went from version {before} to {now}.")
    for name, number in sorted(left.items()):
        click.echo(
            f"{plural(number, 'debate')} of {name} waited in a queue that is gone; nothing on "
            f"record is lost, go on with: dissent experiment resume {shlex.quote(name)} --cluster"
        )
