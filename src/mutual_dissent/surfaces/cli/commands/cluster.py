"""`dissent cluster dev`: an engine, its pages and a worker on this machine, for trying."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli.commands.worker import WorkerStop, work_for
from mutual_dissent.surfaces.cli.options import examples
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import run

if TYPE_CHECKING:
    from mutual_dissent.hosting.temporal.dev_server import DevServer

PORT = 7233
FILE = "temporal.db"
_PORTS = click.IntRange(1, 65_535)


@click.group("cluster", epilog=examples("dissent cluster dev"))
def command() -> None:
    """Try many machines on this one: an engine, its pages and a worker."""


@command.command("dev", epilog=examples("dissent cluster dev", "dissent cluster dev --port 7300"))
@click.option("--port", type=_PORTS, default=PORT, show_default=True, help="Of the engine.")
@click.option("--ui-port", type=_PORTS, help="Of its pages; by default 1000 above the engine's.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Debates that the worker holds at once.",
)
@click.option(
    "--grace",
    type=click.IntRange(0, 86_400),
    default=20,
    show_default=True,
    metavar="SECONDS",
    help="How long calls in flight may take when it is stopped.",
)
def dev_command(port: int, ui_port: int | None, concurrency: int, grace: int) -> int:
    """Start Temporal's server, its pages and one worker on this machine, until Ctrl-C.

    The record is the usual one; on this machine a file will do. More workers can be added in
    other terminals. What the server knows is kept in the home folder. It is not for production.
    """
    pages = ui_port or port + 1000
    if not port < 2**16 > pages or port == pages:
        raise BadInput("--port and --ui-port must be two different ports below 65536")
    shift = WorkerStop()
    return run(_dev(shift, port, pages, concurrency, grace), shift)


async def _dev(shift: WorkerStop, port: int, pages: int, concurrency: int, grace: int) -> int:
    from mutual_dissent.hosting.engines import options

    address = f"temporal://127.0.0.1:{port}"
    async with MutualDissent() as md:
        found = options(md, address)
        server = _server(port, pages, md)
        try:
            await asyncio.to_thread(server.start)
            say(f"Temporal's server is at {address}, its pages at http://127.0.0.1:{pages}")
            say(f"the record is {md.place}")
            say(f"try it with: dissent experiment run FILE --cluster --engine {address}")
            say(f"add a worker with: dissent worker --engine {address}")
            return await work_for(md, found, shift, concurrency, grace)
        finally:
            server.stop()
            say("Temporal's server has ended")


def _server(port: int, pages: int, md: MutualDissent) -> DevServer:
    try:
        from mutual_dissent.hosting.temporal.dev_server import DevServer
    except ImportError as e:
        raise BadInput(
            "an engine needs more than is installed; run: pip install 'mutual-dissent[cluster]'"
        ) from e
    return DevServer(port, pages, md.home.ensure() / FILE)
