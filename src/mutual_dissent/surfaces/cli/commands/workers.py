"""`dissent workers`: who holds debates, since when, and which."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.faults import say
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json, table

if TYPE_CHECKING:
    from mutual_dissent.store.postgres.queue import Worker


@click.command("workers", epilog=examples("dissent workers", "dissent workers --output json"))
@as_list
def command(output: str) -> None:
    """List the workers of all machines: since when, what they hold, when they were last heard."""
    md = MutualDissent()
    try:
        found, lengths = md.queue.workers(), md.queue.lengths()
        now = md.clock()
    finally:
        md.close()
    if output == "json":
        echo_json({"workers": [asdict(w) for w in found], "jobs": lengths})
        return
    if found:
        headings = ("NAME", "SINCE (UTC)", "HEARD", "DEBATES", "HOLDS")
        click.echo(table(headings, [_cells(w, now) for w in found]))
    else:
        say("There is no worker; start one with: dissent worker")
    say(f"{lengths['waiting']:,} waiting, {lengths['running']:,} running")


def _cells(worker: Worker, now: datetime) -> tuple[str, ...]:
    silent = max(0, round((now - worker.beat).total_seconds()))
    return (
        worker.name,
        f"{worker.started:%Y-%m-%d %H:%M}",
        f"{silent} s ago" if worker.alive else "silent",
        f"{len(worker.debates)} of {worker.capacity}",
        " ".join(i[:8] for i in worker.debates[:4]) + (" …" if len(worker.debates) > 4 else ""),
    )
