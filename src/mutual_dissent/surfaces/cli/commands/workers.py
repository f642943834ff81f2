"""`dissent workers`: the workers, their queue, and a pause of all experiments."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.engine import engine_option, required_engine, roster_as_text
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import run

if TYPE_CHECKING:
    from mutual_dissent.config.sections import ClusterOptions
    from mutual_dissent.hosting.engine import Roster


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
    """List the workers of all machines, or pause and resume what they hold.

    Without a further word it says who works, what waits and when each was last heard.
    """
    ctx.obj = engine
    if ctx.invoked_subcommand is not None:
        return
    md = MutualDissent()
    try:
        _show(run(_roster(required_engine(md, engine))), md.clock(), output)
    finally:
        md.close()


def _show(known: Roster, now: datetime, output: str) -> None:
    """Print the workers that an engine knows."""
    if output == "json":
        echo_json(asdict(known))
        return
    if known.workers:
        click.echo(roster_as_text(known, now))
    else:
        say("There is no worker; start one with: dissent worker")
    say(f"{known.waiting or 0:,} waiting, {known.running or 0:,} under way")
    if known.experiments:
        say(f"experiments under way: {', '.join(known.experiments)}")


@command.command("pause", epilog=examples("dissent workers pause"))
@click.pass_obj
def pause_command(engine: str | None) -> None:
    """Let all experiments that are under way come to rest, on whichever machines they are.

    No further debate is begun, and none asks anything more: the answers that are being written are
    still taken, then each debate waits. The workers stay; an experiment that is begun later is held
    at once.
    """
    names = _signal(engine, "pause")
    click.echo(_which(names, "pauses after its running calls", "pause"))


@command.command("resume", epilog=examples("dissent workers resume"))
@click.pass_obj
def resume_command(engine: str | None) -> None:
    """Let all experiments go on where their debates came to rest."""
    click.echo(_which(_signal(engine, "resume"), "goes on", "resume"))


async def _roster(options: ClusterOptions) -> Roster:
    from mutual_dissent.hosting.engines import connect_engine

    return await (await connect_engine(options)).roster()


def _signal(engine: str | None, word: str) -> list[str]:
    """Pause or resume every running experiment; return their names."""
    md = MutualDissent()
    try:
        return run(_signal_all(required_engine(md, engine), word))
    finally:
        md.close()


async def _signal_all(options: ClusterOptions, word: str) -> list[str]:
    from mutual_dissent.hosting.engines import connect_engine

    engine = await connect_engine(options)
    names = list((await engine.roster()).experiments)
    for name in names:
        await (engine.pause(name) if word == "pause" else engine.resume(name))
    return names


def _which(names: list[str], what: str, word: str) -> str:
    if not names:
        return f"No experiment is under way: there is nothing to {word}."
    return "\n".join(f"{name} {what}" for name in names)
