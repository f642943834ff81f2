"""`dissent experiment status` and `stop`: progress of experiments, from any terminal."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput, DissentError
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.commands.experiment.elsewhere import shell_quote
from mutual_dissent.surfaces.cli.engine import engine_option
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.read_only import record
from mutual_dissent.surfaces.cli.tables import dollars, echo_json, table
from mutual_dissent.surfaces.process.failure import complain, say
from mutual_dissent.surfaces.process.signals import run

if TYPE_CHECKING:
    from mutual_dissent.config.sections import ClusterOptions
    from mutual_dissent.experiments.run.registry import ExperimentState


@click.command(
    "status",
    epilog=examples("dissent experiment status", "dissent experiment status pilot --output json"),
)
@click.argument("name", metavar="[NAME]", required=False, shell_complete=completion.experiment)
@engine_option
@as_list
def command(name: str | None, output: str, engine: str | None) -> None:
    """Say how far experiments have come: all of them, or the one of that name."""
    from mutual_dissent.experiments.run.registry import standings

    with record() as md:
        rows = standings(md, name, elsewhere=_dealt_out(md, engine))
    if output == "json":
        echo_json([asdict(s) for s in rows])
    elif not rows:
        say("No experiment is on record. Begin with: dissent experiment new NAME")
    else:
        headings = ("STATE", "DEBATES", "FAILED", "COST", "CHANGED (UTC)", "NAME")
        click.echo(table(headings, [_cells(s) for s in rows]))


def _cells(s: ExperimentState) -> tuple[str, ...]:
    return (
        s.state,
        f"{s.completed:,} of {'?' if s.total is None else f'{s.total:,}'}",
        f"{s.failed:,}",
        dollars(s.cost_usd),
        f"{s.updated_at:%Y-%m-%d %H:%M}",
        s.name,
    )


def _dealt_out(md: MutualDissent, engine: str | None) -> Collection[str]:
    """Return the experiments that an engine runs now; none if it does not answer."""
    from mutual_dissent.hosting.engines import options

    try:
        cluster = options(md, engine)
        return run(_running(cluster)) if cluster.engine else ()
    except DissentError as e:
        complain(e.sentence)
        return ()


async def _stop_on_engine(options: ClusterOptions, name: str) -> None:
    """Stop it on the engine, too: during a pause, no worker reads the store."""
    from mutual_dissent.hosting.engines import connect_engine

    with suppress(BadInput):  # it has ended meanwhile
        await (await connect_engine(options)).stop(name)


async def _running_or_none(options: ClusterOptions) -> Collection[str] | None:
    """Return the same; None if the engine does not answer, which is reported."""
    try:
        return await _running(options)
    except DissentError as e:
        complain(e.sentence)
        return None


async def _running(options: ClusterOptions) -> Collection[str]:
    from mutual_dissent.hosting.engines import connect_engine

    return (await (await connect_engine(options)).roster()).experiments


@click.command(
    "stop",
    epilog=examples(
        "dissent experiment stop pilot",
        "dissent experiment stop pilot --finish",
        "dissent experiment stop pilot --now",
    ),
)
@click.argument("name", metavar="NAME", shell_complete=completion.experiment)
@click.option("--finish", "how", flag_value="finish", help="Hold begun debates to their end.")
@click.option("--now", "how", flag_value="now", help="Give up the calls that are in flight.")
@engine_option
def stop_command(name: str, how: str | None, engine: str | None) -> None:
    """Stop an experiment that is under way in any terminal.

    Debates that have begun take the answers that are being written, and pause: nothing that was
    paid for is lost, and `dissent experiment resume` goes on from there.
    """
    from mutual_dissent.experiments.run.registry import stop
    from mutual_dissent.hosting.engines import options
    from mutual_dissent.store.experiments import State

    states = {"finish": State.FINISHING, "now": State.HALTING}
    md = MutualDissent()
    try:
        cluster = options(md, engine)
        dealt = run(_running_or_none(cluster)) if cluster.engine else ()
        silent = dealt is None  # then workers find the stop in the store
        elsewhere = silent or name in (dealt or ())
        stop(md, name, states.get(how or "", State.STOPPING), elsewhere=elsewhere)
        if elsewhere and not silent:
            run(_stop_on_engine(cluster, name))
    finally:
        md.close()
    click.echo(f"{name} {SAID[how]}; go on with: dissent experiment resume {shell_quote(name)}")


SAID = {
    None: "is being stopped: debates that have begun pause after their running calls",
    "finish": "begins no further debate: those that have begun are held to their end",
    "now": "is being stopped at once: calls in flight are given up",
}
