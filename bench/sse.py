"""Live events: what it costs the server to show debates to many clients as they happen.

The server runs as a process of its own, whose CPU time is what is measured.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import replace

import psutil

from bench.report import Table

CLIENTS, DEBATES, PANELISTS, PACE = 20, 5, 4, 50
WARM_UP, SECONDS = 2.0, 6.0
SEATS = [f"seat{i}" for i in range(PANELISTS)]


class Talkers:
    """Panelists that say so many words a second for as long as anybody looks."""

    async def ask(self, ask, on_text):
        from mutual_dissent.providers.responses import blank

        for _ in range(60 * PACE):
            on_text("token ")
            await asyncio.sleep(1 / PACE)
        return replace(blank(ask), content="token " * 60 * PACE)

    async def warm_up(self, routes):
        pass


async def serve(home: str) -> None:
    """Serve debates that are under way; print the port and their ids."""
    from mutual_dissent.app import MutualDissent
    from mutual_dissent.hosting.sessions import Sessions
    from mutual_dissent.surfaces.http.app import create_app
    from mutual_dissent.surfaces.http.backend import HostedBackend
    from mutual_dissent.surfaces.http.run.uvicorn_server import server_of
    from mutual_dissent.surfaces.rest import router

    async with MutualDissent(home=home, env={}, provider=Talkers()) as md:
        hosted = HostedBackend(md=md, sessions=Sessions(md))
        start = hosted.sessions.start
        ids = [await start("Tabs or spaces?", panel=SEATS, analyst="none") for _ in range(DEBATES)]
        options = md.settings.server
        server = server_of(create_app(hosted, [router], options=options), options)
        sock = socket.create_server(("127.0.0.1", 0))
        print(sock.getsockname()[1], *ids, flush=True)
        await server.serve(sockets=[sock])


@contextmanager
def server():
    """The server as a process; yields it with its port and the ids."""
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "bench.sse", home]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            port, *ids = process.stdout.readline().split()
            yield psutil.Process(process.pid), int(port), ids
        finally:
            process.kill()
            process.wait(10)


async def client(port: int, name: str, counted: list[int]) -> None:
    """Read one stream as fast as it comes, and count bytes and tokens."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET /api/sessions/{name}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
    writer.write(head.encode())
    while data := await reader.read(65_536):
        counted[0] += len(data)
        counted[1] += data.count(b"token ")


async def followed(process: psutil.Process, port: int, ids: list[str]) -> tuple[float, list[int]]:
    """The share of a core that the server takes, and the bytes and tokens that arrive a second."""
    counted = [0, 0]
    tasks = [
        asyncio.create_task(client(port, name, counted)) for name in ids for _ in range(CLIENTS)
    ]
    await asyncio.sleep(WARM_UP)
    counted[:] = [0, 0]
    cpu, wall = process.cpu_times(), time.perf_counter()
    await asyncio.sleep(SECONDS)
    now, wall = process.cpu_times(), time.perf_counter() - wall
    assert not any(t.done() for t in tasks), "a stream ended"
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    spent = now.user + now.system - cpu.user - cpu.system
    return spent / wall, [int(n / wall) for n in counted]


def measure(table: Table) -> None:
    with server() as (process, port, ids):
        share, (size, tokens) = asyncio.run(followed(process, port, ids))
    wanted = CLIENTS * DEBATES * PANELISTS * PACE
    note = f"{tokens:,} of {wanted:,} tokens/s arrive, {size / 1000:,.0f} kB/s"
    what = (
        f"CPU of {CLIENTS} clients that follow {DEBATES} debates of {PANELISTS} x {PACE} tokens/s"
    )
    table.add(what, share, 1.0, unit="cores", note=note)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
