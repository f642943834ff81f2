"""One process, one worker, one app: uvicorn as we run it."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING

import uvicorn

from mutual_dissent.config.server_options import ServerOptions
from mutual_dissent.surfaces.server.wire import wire

if TYPE_CHECKING:
    from fastapi import FastAPI

TICK = 0.1
"""Seconds between two looks at the clock: every tenth, the date in our answers is renewed."""

PARTING = 1
"""Seconds that connections have to end by themselves when the server ends."""


class Server(uvicorn.Server):
    """A server that leaves signals to whoever runs it, and ends when it is told to."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """End, as soon as those who are being answered have their answers."""
        self.should_exit = True
        self._stopped.set()

    async def main_loop(self) -> None:
        """Serve until the end."""
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await self._stopped.wait()

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Nothing is captured."""
        return nullcontext()


def server_of(app: FastAPI, options: ServerOptions) -> Server:
    """The server of an app; its sockets are given when it is run."""
    return Server(
        uvicorn.Config(
            app,
            workers=1,
            http=wire(options),
            ws="websockets-sansio",
            ws_max_size=options.max_body_bytes,
            limit_concurrency=options.connections,
            timeout_keep_alive=options.idle_timeout,  # type: ignore[arg-type]  # a delay
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=PARTING,
        )
    )
