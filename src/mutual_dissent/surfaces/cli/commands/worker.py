"""`dissent worker`: hold the debates that wait in the queue of all machines."""

from __future__ import annotations

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.faults import say
from mutual_dissent.surfaces.cli.options import examples
from mutual_dissent.surfaces.cli.running import Course, run


class Shift(Course):
    """What is said when a worker is stopped."""

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
@click.option("--until-empty", is_flag=True, help="End when nothing waits any more.")
def command(concurrency: int, until_empty: bool) -> int:
    """Hold the debates that wait in the queue, on any number of machines.

    It needs the same configuration and keys as whoever put them there. Ctrl-C or SIGTERM puts its
    debates back; if it dies, others take them over. No recorded answer is bought twice.
    """
    return run(_work(concurrency, until_empty=until_empty), Shift())


async def _work(concurrency: int, *, until_empty: bool) -> int:
    from mutual_dissent.hosting.worker import Worker

    async with MutualDissent() as md:
        worker = Worker(md, concurrency)
        say(f"{worker.name} takes debates from {md.server}, {concurrency} at once")
        await worker.work(until_empty=until_empty)
    say(f"{worker.held:,} held, and nothing waits any more")
    return 0
