"""`dissent serve`: the panel for programs and browsers, in one process."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli.options import examples
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import Interruption, run
from mutual_dissent.views.phrases import plural


@dataclass
class _Watch(Interruption):
    """State of a server, for the message when it is interrupted."""

    under_way: int = 0

    @property
    def way_on(self) -> str:
        """Return the message for an interruption."""
        if not self.under_way:
            return "the server has ended"
        debates = plural(self.under_way, "debate")
        return f"the server has ended; {debates} can be resumed: dissent list --status interrupted"


@click.command(
    "serve",
    epilog=examples(
        "dissent serve",
        "dissent serve --port 9000 --no-open",
        "dissent token new laptop && dissent serve --host 0.0.0.0",
    ),
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Where to listen. One that other machines reach needs a token first.",
)
@click.option(
    "--port",
    type=click.IntRange(1, 65_535),
    default=8080,
    show_default=True,
    help="The port; the next free one if it is taken.",
)
@click.option("--no-open", is_flag=True, help="Do not open the page in a browser.")
def command(host: str, port: int, no_open: bool) -> int:
    """Serve the panel to programs and browsers: REST, OpenAI-compatible, MCP and a web page.

    It runs until Ctrl-C. Debates that are under way then can be resumed. The log goes to stderr, a
    JSON object a line.
    """
    try:
        from mutual_dissent.hosting.handover import elsewhere
        from mutual_dissent.surfaces import catalogue
        from mutual_dissent.surfaces.http.run import browser, sockets, uvicorn_server
        from mutual_dissent.surfaces.http.telemetry import logs
    except ModuleNotFoundError as e:
        raise BadInput(
            f"the server needs {e.name}; run: pip install 'mutual-dissent[web]'"
        ) from None

    md, watch = MutualDissent(remote=True), _Watch()
    elsewhere(md)  # fails now, not at the first request
    sock = sockets.bind_socket(host, port, md.tokens)
    url = sockets.address_of(sock)
    if (chosen := sock.getsockname()[1]) != port:
        say(f"port {port} is taken; using {chosen}")

    def left(count: int) -> None:
        watch.under_way = count

    async def work(stack: ExitStack) -> None:
        def begun(start: str) -> None:
            page = f"{url}/?token={start}"
            _announce(url, page, catalogue.PLACES, needs_token=bool(md.tokens.active()))
            if not no_open and browser.can_open(os.environ):
                stack.enter_context(browser.open_browser(page, md.home))

        async with md:
            await uvicorn_server.serve(md, sock, catalogue.SURFACES, begun, left)

    with logs.json_lines(), ExitStack() as stack:
        run(work(stack), watch, many_debates=True)
    return 0


def _announce(url: str, page: str, places: dict[str, str], *, needs_token: bool) -> None:
    """Print the addresses, and flush at once for programs that read them."""
    rows = {"page": page, **{name: url + path for name, path in places.items()}}
    width = max(map(len, rows))
    click.echo("Mutual Dissent is served here; Ctrl-C ends it.")
    for name, where in rows.items():
        click.echo(f"  {name:<{width}}  {where}")
    click.echo(
        "Programs need a token: Authorization: Bearer TOKEN"
        if needs_token
        else "Programs on this machine need no token; to ask for one: dissent token new NAME"
    )
