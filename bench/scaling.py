"""Debates on 1, 2 and 4 workers of Temporal: how much faster, and whose CPU it takes.

`python -m bench scaling` runs it; SCALING_DEBATES and SCALING_CAPACITY say how many debates there
are in all, and how many a worker holds at once. Everything is a process of its own: PostgreSQL,
Temporal's server, a vendor whose calls take 0.75 s, and the workers.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.appends import record
from bench.debates import vendor
from bench.report import Table

WORKERS = (1, 2, 4)
GOALS = {2: 1.8, 4: 3.0}
DEBATES = int(os.environ.get("SCALING_DEBATES", "48"))
CAPACITY = int(os.environ.get("SCALING_CAPACITY", "3"))
MODEL = "openai:m750x20"
BUSY = 0.9
"""A machine whose CPUs are busy for more than this share of the time can do no more."""


@dataclass(frozen=True)
class Taken:
    """What a run took: its seconds, and CPU seconds by who used them."""

    seconds: float
    cpu: dict[str, float]
    busy: float

    def __str__(self) -> str:
        cpu = ", ".join(f"{who} {used:.1f}" for who, used in self.cpu.items())
        return f"{self.seconds:.1f} s, CPU {cpu} s, the machine {self.busy:.0%} busy"


def measure(table: Table) -> None:
    """How long the same debates take on several workers, over what they take on one."""
    found = {number: _run(number) for number in WORKERS}
    for number, taken in found.items():
        print(f"{DEBATES} debates on {number}: {taken}", file=sys.stderr)
    for number, goal in GOALS.items():
        faster = found[1].seconds / found[number].seconds
        why = " (no more CPU)" if found[number].busy > BUSY else ""
        table.add(
            f"time of {number} workers over that of one", 1 / faster, 1 / goal,
            note=f"{faster:.2f} x as fast{why}; {found[number]}",
        )  # fmt: skip


def _run(number: int) -> Taken:
    """What the debates take on so many workers, on a record and a server of their own."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        base, database = stack.enter_context(vendor()), stack.enter_context(record())
        server, engine = stack.enter_context(_temporal(home))
        env = {
            "OPENAI_API_KEY": "sk-bench", "OPENAI_BASE_URL": base, "HOME": str(home),
            "MUTUAL_DISSENT_HOME": str(home), "MUTUAL_DISSENT_DB": database,
            "MUTUAL_DISSENT_ENGINE": engine,
        }  # fmt: skip
        workers = [stack.enter_context(_worker(env)) for _ in range(number)]
        parts = {
            "vendor": [p for p in psutil.Process().children() if "vendor.py" in str(p.cmdline())],
            "server": [server], "database": _postgres(database), "workers": workers,
        }  # fmt: skip
        asyncio.run(_held(env, home, "warm-up", 2 * number))
        return _taken(parts, lambda: asyncio.run(_held(env, home, "scaling", DEBATES)))


def _taken(parts, work) -> Taken:
    before, times, start = _cpu(parts), psutil.cpu_times(), time.perf_counter()
    work()
    seconds, after = time.perf_counter() - start, _cpu(parts)
    later = psutil.cpu_times()
    idle = (later.idle + later.iowait) - (times.idle + times.iowait)
    busy = 1 - idle / (seconds * psutil.cpu_count())
    return Taken(seconds, {who: after[who] - before[who] for who in parts}, busy)


def _cpu(parts) -> dict[str, float]:
    """CPU seconds so far by who used them, their children among them."""
    return {who: sum(map(_used, found)) for who, found in parts.items()}


def _used(process: psutil.Process) -> float:
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        try:
            used = one.cpu_times()
        except psutil.NoSuchProcess:  # a connection's, which has ended
            continue
        total += used.user + used.system
        if one == process:  # those of its children that have ended
            total += used.children_user + used.children_system
    return total


def _postgres(url: str) -> list[psutil.Process]:
    """The server of a database, which is not our child."""
    import psycopg

    with psycopg.connect(url) as db:
        (backend,) = db.execute("SELECT pg_backend_pid()").fetchone()
        return [psutil.Process(backend).parent()]


async def _held(env: dict[str, str], home: Path, name: str, debates: int) -> None:
    """Have debates dealt out, and wait for the last of them."""
    from mutual_dissent import MutualDissent
    from mutual_dissent.experiments.design.file import parse_experiment
    from mutual_dissent.experiments.run.registry import save_experiment
    from mutual_dissent.hosting.engines import connect_engine, options

    queries = "".join(f'[[query]]\ntext = "Tabs or spaces, {n}?"\n' for n in range(debates))
    text = (
        f'name = "{name}"\n{queries}[defaults]\npanel = ["{MODEL}", "{MODEL}"]\n'
        "allow_unpriced = true\n"
    )
    async with MutualDissent(home=home, env=env) as md:
        engine = await connect_engine(options(md))
        save_experiment(md, parse_experiment(text, "scaling.toml", Path()))
        await engine.begin(name)
        done = await engine.wait_for_end(name, 900)
        assert done is not None
        assert (done.done, done.failed) == (debates, 0), done.problems


@contextmanager
def _temporal(home: Path) -> Iterator[tuple[psutil.Process, str]]:
    from mutual_dissent.hosting.temporal.dev_server import DevServer

    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    server = DevServer(port, None, home / "temporal.db")
    server.start()
    try:
        yield psutil.Process(server._process.pid), f"temporal://127.0.0.1:{port}"
    finally:
        server.stop()


@contextmanager
def _worker(env: dict[str, str]) -> Iterator[psutil.Process]:
    command = [sys.executable, "-m", "mutual_dissent", "worker", "--concurrency", str(CAPACITY)]
    process = subprocess.Popen(command, env={**os.environ, **env}, stderr=subprocess.PIPE)
    try:
        assert b"takes debates" in process.stderr.readline()
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.communicate(timeout=60)
