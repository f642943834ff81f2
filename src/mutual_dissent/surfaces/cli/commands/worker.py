"""`dissent worker`: hold the debates that wait in the queue of all machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.faults import say
from mutual_dissent.surfaces.cli.options import examples
from mutual_dissent.surfaces.cli.running import Course, run

if TYPE_CHECKING:
    from mutual_dissent.hosting.worker import Worker


@dataclass
class Shift(Course):
    """What is done and said when a worker is stopped."""

    worker: Worker | None = None

    def winds_up(self) -> bool:
        """The first signal lets the calls in flight end."""
        if self.worker is None:
            return False
        self.worker.leave()
        say("leaving: calls in flight may end and are recorded; again, to give them up")
        return True

    @property
    def way_on(self) -> str:
        """Its debates are left to the others."""
        return "stopped; its debates are left to the other workers"


@click.command(
    "worker",
    epilog=examples(
        "dissent --db postgresql://dissent@db.lan/dissent worker",
        "dissent worker --concurrency 20",
        "dissent worker --until-empty",
    ),
)
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
@click.option("--until-empty", is_flag=True, help="End when nothing waits any more.")
def command(concurrency: int, grace: int, until_empty: bool) -> int:
    """Hold the debates that wait in the queue, on any number of machines.

    It needs the same configuration and keys as whoever put them there. Ctrl-C or SIGTERM lets the
    calls in flight end, then puts its debates back, and others go on with them at once; a second
    one gives those calls up. If it dies, others take over. No recorded answer is bought twice.
    """
    shift = Shift()
    return run(_work(shift, concurrency, grace, until_empty=until_empty), shift)


async def _work(shift: Shift, concurrency: int, grace: int, *, until_empty: bool) -> int:
    from mutual_dissent.hosting.worker import Worker

    async with MutualDissent() as md:
        worker = shift.worker = Worker(md, concurrency, grace)
        say(f"{worker.name} takes debates from {md.server}, {concurrency} at once")
        await worker.work(until_empty=until_empty)
    rest = shift.way_on if worker.state == "leaving" else "nothing waits any more"
    say(f"{worker.held:,} held; {rest}")
    return 0
