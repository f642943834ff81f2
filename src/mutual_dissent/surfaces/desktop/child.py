"""The window's server, in a process of its own: `python -m mutual_dissent.surfaces.desktop.child`.

It writes the start address of the page to stdout, and ends when its stdin does.
"""

from __future__ import annotations

import sys
from logging import WARNING

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.desktop.lifeline import until_eof
from mutual_dissent.surfaces.process.failure import explained
from mutual_dissent.surfaces.process.signals import run

PORT = 8421
"""Taken if it is free, else one after it: what a page keeps in its browser belongs to a port."""


def main() -> None:
    """Serve until stdin ends; whatever goes wrong is one line."""
    try:
        run(_serve())
    except BaseException as e:  # noqa: BLE001 - a traceback is never shown
        sys.exit(explained(e))


async def _serve() -> None:
    from mutual_dissent.surfaces import served
    from mutual_dissent.surfaces.server import binding, logs, serving

    md = MutualDissent(remote=True)
    sock = binding.bound("127.0.0.1", PORT, md.tokens)
    url = binding.address_of(sock)

    def begun(start: str) -> None:
        sys.stdout.write(f"{url}/?token={start}\n")
        sys.stdout.flush()

    with logs.json_lines(WARNING):
        async with md, until_eof(sys.stdin.fileno()):
            await serving.serve(md, sock, served.SURFACES, begun, _nobody_asks)


def _nobody_asks(under_way: int) -> None:
    """What was under way is resumed by the next window's pages, and needs no word here."""


if __name__ == "__main__":
    main()
