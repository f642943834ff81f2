"""`dissent workers`: who holds debates, since when, and which; and a pause of all of them."""

from __future__ import annotations

import socket
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.engine import configured, engine_option, roster_as_text
from mutual_dissent.surfaces.cli.faults import say
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.running import run
from mutual_dissent.surfaces.cli.tables import echo_json, table

if TYPE_CHECKING:
    from mutual_dissent.config.cluster_options import ClusterOptions
    from mutual_dissent.hosting.engine import Roster
    from mutual_dissent.store.postgres.queue import Pause, Worker


@click.group(
    "workers",
    invoke_without_command=True,
    epilog=examples(
        "dissent workers",
        "dissent workers --output json",
        "dissent workers --engine temporal://temporal.lan:7233",
        "dissent workers pause",
        "dissent workers resume",
    ),
)
@as_list
@engine_option
@click.pass_context
def command(ctx: click.Context, output: str, engine: str | None) -> None:
    """List the workers of all machines, or pause and resume all of them.

    Without a further word it says who works, what waits and when each was last heard.
    """
    ctx.obj = engine
    if ctx.invoked_subcommand is not None:
        return
    md = MutualDissent()
    try:
        if found := configured(md, engine):
            _show_engine(run(_roster(found)), md.clock(), output)
        else:
            _show_queue(md, output)
    finally:
        md.close()


def _show_engine(known: Roster, now: datetime, output: str) -> None:
    """What an engine knows."""
    if output == "json":
        echo_json(asdict(known))
        return
    if known.workers:
        click.echo(roster_as_text(known, now))
    else:
        say("There is no worker; start one with: dissent worker --engine ...")
    say(f"{known.waiting or 0:,} waiting, {known.running or 0:,} under way")
    if known.experiments:
        say(f"experiments under way: {', '.join(known.experiments)}")


def _show_queue(md: MutualDissent, output: str) -> None:
    """What the queue of the database knows."""
    found, lengths, pause = md.queue.workers(), md.queue.lengths(), md.queue.paused()
    if output == "json":
        paused = asdict(pause) if pause else None
        echo_json({"workers": [asdict(w) for w in found], "jobs": lengths, "paused": paused})
        return
    if found:
        headings = ("NAME", "STATE", "SINCE (UTC)", "HEARD", "DEBATES", "HOLDS")
        click.echo(table(headings, [_cells(w, md.clock()) for w in found]))
    else:
        say("There is no worker; start one with: dissent worker")
    say(f"{lengths['waiting']:,} waiting, {lengths['running']:,} running")
    if pause:
        say(told(pause))


@command.command("pause", epilog=examples("dissent workers pause"))
@click.pass_obj
def pause_command(engine: str | None) -> None:
    """Let all workers come to rest, wherever they are; they stay where they are.

    No further debate is taken, and none asks anything more: the answers that are being written are
    still taken, then each debate waits. It holds for workers that are started later, too. With an
    engine, it holds for the experiments that are under way.
    """
    md = MutualDissent()
    try:
        if found := configured(md, engine):
            names = run(_signalled(found, "pause"))
            click.echo(_which(names, "pauses after its running calls", "pause"))
            return
        md.queue.pause(socket.gethostname())
    finally:
        md.close()
    click.echo("All workers pause after their running calls; go on with: dissent workers resume")


@command.command("resume", epilog=examples("dissent workers resume"))
@click.pass_obj
def resume_command(engine: str | None) -> None:
    """Let all workers go on where their debates came to rest."""
    md = MutualDissent()
    try:
        if found := configured(md, engine):
            click.echo(_which(run(_signalled(found, "resume")), "goes on", "resume"))
            return
        was_paused = md.queue.resume()
    finally:
        md.close()
    click.echo("All workers go on." if was_paused else "The workers were not paused.")


async def _roster(found: ClusterOptions) -> Roster:
    from mutual_dissent.hosting.engines import reached

    return await (await reached(found)).roster()


async def _signalled(found: ClusterOptions, word: str) -> list[str]:
    """Pause or resume every experiment that is under way; their names."""
    from mutual_dissent.hosting.engines import reached

    engine = await reached(found)
    names = list((await engine.roster()).experiments)
    for name in names:
        await (engine.pause(name) if word == "pause" else engine.resume(name))
    return names


def _which(names: list[str], what: str, word: str) -> str:
    if not names:
        return f"No experiment is under way: there is nothing to {word}."
    return "\n".join(f"{name} {what}" for name in names)


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
