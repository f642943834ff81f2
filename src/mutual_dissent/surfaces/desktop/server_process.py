"""The window's server, in its own process, which runs this module.

It writes the start address of the page to stdout, and ends when its stdin does.
"""

from __future__ import annotations

import sys
from logging import WARNING

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.desktop.parent_watch import until_eof
from mutual_dissent.surfaces.process.failure import report_failure
from mutual_dissent.surfaces.process.signals import run

PORT = 8421
"""Preferred port, else the next free one: a browser's storage belongs to a port."""


def main() -> None:
    """Serve until stdin ends; every error is one line."""
    try:
        run(_serve())
    except BaseException as e:  # noqa: BLE001 - a traceback is never shown
        sys.exit(report_failure(e))


async def _serve() -> None:
    from mutual_dissent.surfaces import catalogue
    from mutual_dissent.surfaces.http.run import sockets, uvicorn_server
    from mutual_dissent.surfaces.http.telemetry import logs

    md = MutualDissent(remote=True)
    sock = sockets.bind_socket("127.0.0.1", PORT, md.tokens)
    url = sockets.address_of(sock)

    def begun(start: str) -> None:
        sys.stdout.write(f"{url}/?token={start}\n")
        sys.stdout.flush()

    with logs.json_lines(WARNING):
        async with md, until_eof(sys.stdin.fileno()):
            await uvicorn_server.serve(md, sock, catalogue.SURFACES, begun, _nobody_asks)


def _nobody_asks(under_way: int) -> None:
    """Print nothing: the next window's pages resume the running debates."""


if __name__ == "__main__":
    main()
