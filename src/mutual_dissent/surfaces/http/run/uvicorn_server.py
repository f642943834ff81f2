"""One process, one worker, one app: uvicorn as we run it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress

import uvicorn
from fastapi import FastAPI

from mutual_dissent.app import MutualDissent
from mutual_dissent.config.sections import ServerOptions
from mutual_dissent.providers.http.limits import most_open
from mutual_dissent.surfaces.http.app import Surface, create_app
from mutual_dissent.surfaces.http.auth import CookieEntry
from mutual_dissent.surfaces.http.backend import host
from mutual_dissent.surfaces.http.run.protocol import wire

Begun = Callable[[str], None]
Left = Callable[[int], None]

TICK = 0.1
"""Seconds between two ticks; every tenth renews the Date header of our answers."""

PARTING = 1
"""Seconds that connections have to close by themselves when the server ends."""

WIDE = 65_536
"""Files that a server may need to have open at once."""


class UvicornServer(uvicorn.Server):
    """A server that leaves signals to its caller, and ends on request."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready, self._stopped = asyncio.Event(), asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to answer, and set `ready` even where that fails."""
        try:
            await super().startup(sockets)
        finally:
            self.ready.set()

    def stop(self) -> None:
        """End after the requests in progress."""
        self.should_exit = True
        self._stopped.set()

    async def main_loop(self) -> None:
        """Serve until the end."""
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            # An event instead of uvicorn's sleep, so that `stop` takes effect at once.
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await self._stopped.wait()

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Capture nothing."""
        return nullcontext()


def server_of(app: FastAPI, options: ServerOptions) -> UvicornServer:
    """Return the server of an app; its sockets are passed when it is run."""
    return UvicornServer(
        uvicorn.Config(
            app,
            # Sessions and their watchers are in this process: a second worker would not know them.
            workers=1,
            http=wire(options),
            ws="websockets-sansio",
            ws_max_size=options.max_body_bytes,
            # The other half of the files is for the calls to vendors and the store.
            limit_concurrency=min(options.connections, most_open() // 2),
            timeout_keep_alive=options.idle_timeout,  # type: ignore[arg-type]  # a delay
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=PARTING,
        )
    )


async def serve(
    md: MutualDissent,
    sock: socket.socket,
    surfaces: Sequence[Surface],
    begun: Begun,
    left: Left,
) -> None:
    """Serve surfaces at a socket until this is cancelled; then end the running debates.

    Args:
        begun: called with the token of the start address once the server answers.
        left: called with the number of running debates when it ends.
    """
    widen()
    options, hosted, entry = md.settings.server, host(md), CookieEntry()
    server = server_of(create_app(hosted, surfaces, entry=entry), options)
    running = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        await server.ready.wait()
        if server.started:
            begun(entry.start)
        await asyncio.shield(running)
    except asyncio.CancelledError:
        left(len(hosted.sessions.live))
        server.stop()
        # Debates first: their watchers get the closing event and disconnect by themselves.
        await hosted.sessions.aclose()
        await running
        raise


def widen() -> None:
    """Have as many files open as the system lets us: each connection is one."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = WIDE if most == resource.RLIM_INFINITY else min(WIDE, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
