"""`dissent workers`: who holds debates, since when, and which; and a pause of all of them."""

from __future__ import annotations

import socket
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.faults import say
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json, table

if TYPE_CHECKING:
    from mutual_dissent.store.postgres.queue import Pause, Worker


@click.group(
    "workers",
    invoke_without_command=True,
    epilog=examples(
        "dissent workers",
        "dissent workers --output json",
        "dissent workers pause",
        "dissent workers resume",
    ),
)
@as_list
@click.pass_context
def command(ctx: click.Context, output: str) -> None:
    """List the workers of all machines, or pause and resume all of them.

    Without a further word it says since when each works, what it holds and when it was last heard.
    """
    if ctx.invoked_subcommand is not None:
        return
    md = MutualDissent()
    try:
        found, lengths, pause = md.queue.workers(), md.queue.lengths(), md.queue.paused()
        now = md.clock()
    finally:
        md.close()
    if output == "json":
        paused = asdict(pause) if pause else None
        echo_json({"workers": [asdict(w) for w in found], "jobs": lengths, "paused": paused})
        return
    if found:
        headings = ("NAME", "STATE", "SINCE (UTC)", "HEARD", "DEBATES", "HOLDS")
        click.echo(table(headings, [_cells(w, now) for w in found]))
    else:
        say("There is no worker; start one with: dissent worker")
    say(f"{lengths['waiting']:,} waiting, {lengths['running']:,} running")
    if pause:
        say(told(pause))


@command.command("pause", epilog=examples("dissent workers pause"))
def pause_command() -> None:
    """Let all workers come to rest, wherever they are; they stay where they are.

    No further debate is taken, and none asks anything more: the answers that are being written are
    still taken, then each debate waits. It holds for workers that are started later, too.
    """
    md = MutualDissent()
    try:
        md.queue.pause(socket.gethostname())
    finally:
        md.close()
    click.echo("All workers pause after their running calls; go on with: dissent workers resume")


@command.command("resume", epilog=examples("dissent workers resume"))
def resume_command() -> None:
    """Let all workers go on where their debates came to rest."""
    md = MutualDissent()
    try:
        was_paused = md.queue.resume()
    finally:
        md.close()
    click.echo("All workers go on." if was_paused else "The workers were not paused.")


def told(pause: Pause) -> str:
    """That all workers are paused, and how they go on."""
    return (
        f"all workers are paused since {pause.since:%Y-%m-%d %H:%M} UTC, by {pause.who}; "
        "go on with: dissent workers resume"
    )


def _cells(worker: Worker, now: datetime) -> tuple[str, ...]:
    return (
        worker.name,
        worker.state if worker.alive else "silent",
        f"{worker.started:%Y-%m-%d %H:%M}",
        f"{max(0, round((now - worker.beat).total_seconds()))} s ago",
        f"{len(worker.debates)} of {worker.capacity}",
        " ".join(i[:8] for i in worker.debates[:4]) + (" …" if len(worker.debates) > 4 else ""),
    )
