"""An app served by a real server on a port of its own, in the same process and loop."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

from mutual_dissent.surfaces.http.app import Surface, create_app
from mutual_dissent.surfaces.http.auth import CookieEntry
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.http.run.uvicorn_server import server_of


@asynccontextmanager
async def served(
    hosted: HostedBackend,
    surfaces: Sequence[Surface],
    *,
    entry: CookieEntry | None = None,
    **limits: Any,
) -> AsyncIterator[str]:
    """Serve these surfaces; the address, without a slash at its end.

    Args:
        entry: the secrets of the page's start address and cookie.
        limits: fields of ServerOptions that differ from the configured ones.
    """
    options = replace(hosted.md.settings.server, **limits)
    server = server_of(create_app(hosted, surfaces, entry=entry, options=options), options)
    sock = socket.create_server(("127.0.0.1", 0))
    running = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        await server.ready.wait()
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    finally:
        server.stop()
        with suppress(asyncio.CancelledError):
            await running
