"""Debates against a fake vendor, beside the same calls made by the floor."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import aiohttp
import psutil

from bench import floor
from bench.report import Table
from mutual_dissent import MutualDissent

TIMES = 5
"""How often each is measured, in turns with the floor; the median counts."""


@dataclass(frozen=True)
class Crowd:
    """So many debates at once, and the goals for them: over the floor's wall, and in MB."""

    number: int
    times: int
    ratio: float
    memory: float


CROWD = Crowd(200, TIMES, 1.5, 120)
THRONG = Crowd(1000, 2, 1.6, 350)

PACED = ["v200x800", "v400x800", "v800x800", "v1000x800"]
QUICK = ["v5x800", "v5x800", "v5x800", "v5x800"]


@contextmanager
def vendor(at_once: int | None = None):
    """A vendor process, which may serve so many calls at once alone; yields its base URL."""
    server = Path(__file__).with_name("vendor.py")
    process = subprocess.Popen(
        [sys.executable, str(server), *([str(at_once)] if at_once else [])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.stdin.close()
        process.wait(10)


@asynccontextmanager
async def panel(url: str):
    """The app as it is installed, on a home that has been used, with the fake vendor as OpenAI."""
    with tempfile.TemporaryDirectory() as home:
        env = {"OPENAI_API_KEY": "sk-bench", "OPENAI_BASE_URL": url, "HOME": home}
        _use(home, env)
        async with MutualDissent(home=home, env=env) as md:
            yield md


def _use(home: str, env: dict[str, str]) -> None:
    """Hold a first debate with all models in a process of its own: their prices are known then."""
    names = [f"openai:{m}" for m in {*PACED, *QUICK}]
    first = [
        sys.executable,
        "-m",
        "mutual_dissent",
        "ask",
        "Tabs or spaces?",
        "--analyst",
        "none",
        "-q",
    ]
    subprocess.run(
        [*first, "--panel", ",".join(names), "--synthesizer", names[0]],
        env={**os.environ, **env, "MUTUAL_DISSENT_HOME": home},
        stdout=subprocess.DEVNULL,
        check=True,
    )


async def ours(md: MutualDissent, models: list[str], *, save: bool = True) -> None:
    names = [f"openai:{m}" for m in models]
    transcript = await md.debate(
        "Tabs or spaces?", panel=names, synthesizer=names[-1], analyst="none", save=save
    )
    assert transcript.synthesis is not None, transcript.closed_text


async def measure(table: Table) -> None:
    with vendor() as url:
        async with panel(url) as md, aiohttp.ClientSession(connector=_wide()) as session:
            await ours(md, QUICK)
            await floor.debate(session, url, QUICK)
            await _paced(table, md, session, url)
            await _cpu(table, md, session, url)
            await _connections(table, md, session, url)
            await _crowd(table, md, session, url, CROWD)
            await _crowd(table, md, session, url, THRONG)


async def _paced(table: Table, md: MutualDissent, session, url: str) -> None:
    """One debate of slow models: how much longer than its slowest calls."""
    walls, bare = [], []
    for _ in range(TIMES):
        walls.append(await _wall(ours(md, PACED)))
        bare.append(await _wall(floor.debate(session, url, PACED)))
    table.add(
        "wall of a debate over its critical path, journal on", median(walls) / 3.0, 1.02,
        note=f"floor {median(bare) / 3.0:.3f} x",
    )  # fmt: skip


async def _cpu(table: Table, md: MutualDissent, session, url: str, n: int = 20) -> None:
    """CPU time of debates one after the other, without the vendor's."""
    mine, theirs = [], []
    for _ in range(TIMES):
        mine.append(await _cpu_of(lambda: ours(md, QUICK), n))
        theirs.append(await _cpu_of(lambda: floor.debate(session, url, QUICK), n))
    ratio = median(m / t for m, t in zip(mine, theirs, strict=True))
    note = f"{median(mine) * 1000:.1f} ms over {median(theirs) * 1000:.1f} ms"
    table.add("CPU of a debate over the floor's, journal on", ratio, 3.0, note=note)


async def _connections(table: Table, md: MutualDissent, session, url: str) -> None:
    """Connections that a warm process opens for one more debate."""

    async def count() -> int:
        async with session.get(url.replace("/v1", "/connections")) as answer:
            return int(await answer.text())

    before = await count()
    await ours(md, QUICK)
    table.add("new connections in a warm process", await count() - before, 0, unit="")


async def _crowd(table: Table, md: MutualDissent, session, url: str, crowd: Crowd) -> None:
    """Many debates at once, against the floor doing the same."""
    n = crowd.number
    resident = psutil.Process().memory_info().rss
    mine, bare = [], []
    peak = 0.0
    for _ in range(crowd.times):
        mine.append(await _wall(asyncio.gather(*(ours(md, PACED) for _ in range(n)))))
        peak = peak or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        bare.append(
            await _wall(asyncio.gather(*(floor.debate(session, url, PACED) for _ in range(n))))
        )
    ratio = median(m / b for m, b in zip(mine, bare, strict=True))
    note = f"{median(mine):.1f} s over {median(bare):.1f} s"
    table.add(f"{n:,} debates at once over the floor's wall", ratio, crowd.ratio, note=note)
    table.add(f"peak memory of {n:,} debates at once", peak, crowd.memory, unit="MB",
              note=f"{resident / 2**20:.0f} MB before")  # fmt: skip


async def _wall(work) -> float:
    start = time.perf_counter()
    await work
    return time.perf_counter() - start


async def _cpu_of(make, n: int) -> float:
    start = time.process_time()
    for _ in range(n):
        await make()
    return (time.process_time() - start) / n


def _wide() -> aiohttp.TCPConnector:
    return aiohttp.TCPConnector(limit=0)
