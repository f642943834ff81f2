"""`dissent worker`: hold the debates that wait for workers, on any number of machines."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.config.addresses import build_name
from mutual_dissent.config.values import NotAccepted
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli.engine import engine_option, required_engine
from mutual_dissent.surfaces.cli.options import examples
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import Interruption, run

if TYPE_CHECKING:
    from mutual_dissent.config.sections import ClusterOptions


class Leaving(Protocol):
    """A worker that can be asked to stop."""

    def leave(self) -> None:
        """Take no more debates, and let the calls in flight end."""
        ...


@dataclass
class WorkerStop(Interruption):
    """Stop a worker on a signal, and report how it stopped."""

    worker: Leaving | None = None

    def winds_up(self) -> bool:
        """On the first signal, let the calls in flight end."""
        if self.worker is None:
            return False
        self.worker.leave()
        say("leaving: calls in flight may end and are recorded; again, to give them up")
        return True

    @property
    def way_on(self) -> str:
        """Return the message after a stop."""
        return "stopped; its debates are left to the other workers"


@click.command(
    "worker",
    epilog=examples(
        "dissent worker",
        "dissent worker --engine temporal://temporal.lan:7233",
        "dissent worker --concurrency 20",
    ),
)
@engine_option
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Debates that it holds at once.",
)
@click.option(
    "--grace",
    type=click.IntRange(0, 86_400),
    default=20,  # less than the 30 s after which Kubernetes kills
    show_default=True,
    metavar="SECONDS",
    help="How long calls in flight may take when it is stopped.",
)
@click.option(
    "--build-id",
    metavar="NAME",
    help="Tell the engine which build this is, so that it gives debates to the current one only; "
    "by default MUTUAL_DISSENT_BUILD_ID or [cluster] build_id.",
)
def command(engine: str | None, concurrency: int, grace: int, build_id: str | None) -> int:
    """Hold the debates that wait for workers, on any number of machines.

    It needs the same record, configuration and keys as whoever put them there. Ctrl-C or SIGTERM
    lets the calls in flight end, then leaves its debates to others, which go on with them at once;
    a second one gives those calls up. If it dies, others take over. No recorded answer is bought
    twice.
    """
    shift = WorkerStop()
    return run(_work(shift, engine, concurrency, grace, _build(build_id)), shift, many_debates=True)


def _build(name: str | None) -> str | None:
    if name is None:
        return None
    try:
        return str(build_name().read(name))
    except NotAccepted:
        raise BadInput(f"--build-id must be {build_name().what}") from None


async def _work(
    shift: WorkerStop, engine: str | None, concurrency: int, grace: int, build: str | None
) -> int:
    async with MutualDissent() as md:
        options = required_engine(md, engine)
        if build:
            options = replace(options, build=build, versioning=True)
        return await work_for(md, options, shift, concurrency, grace)


async def work_for(
    md: MutualDissent, options: ClusterOptions, shift: WorkerStop, concurrency: int, grace: int
) -> int:
    """Hold the debates that an engine deals out, until stopped."""
    from mutual_dissent.experiments.run.deal import Dealing
    from mutual_dissent.hosting.engines import connect_engine
    from mutual_dissent.hosting.handover import funds_of_owners
    from mutual_dissent.surfaces.http.token_budget import TokenBudget

    engine = await connect_engine(replace(options, answers=True))
    from mutual_dissent.hosting.temporal.worker import TemporalWorker

    await asyncio.to_thread(md.store.check_writable)  # fails once here, not in every debate
    purse = TokenBudget(md.tokens, md.clock)  # for the tokens whose debates a server hands over
    md.funds_of = funds_of_owners(md, purse.of)
    worker = shift.worker = TemporalWorker(md, engine, Dealing(md), concurrency, grace, say)
    if engine.note:
        say(engine.note)
    sentence = f"{worker.name} takes debates from {engine.address}, {concurrency} at once"
    try:
        await worker.work(lambda: say(worker.note or sentence))
    finally:
        await purse.aclose()
    say(f"{worker.held:,} held; {shift.way_on}")
    return 0
