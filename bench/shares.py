"""Where the processor time of a debate goes, by the parts of the product."""

from __future__ import annotations

import asyncio
import cProfile
import pstats
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

from bench import debates
from bench.report import Table

DEBATES = 30
PARTS = (
    ("network", ("aiohttp", "asyncio", "uvloop", "selectors", "yarl", "multidict",
                 "providers/http/pool")),
    ("reading what vendors send", ("mutual_dissent/providers",)),
    ("record", ("mutual_dissent/store", "mutual_dissent/engine/event_log", "mutual_dissent/parts",
                "mutual_dissent/core/codec", "mutual_dissent/core/transcript")),
    ("prompts", ("mutual_dissent/prompts", "mutual_dissent/engine/context_fit")),
    ("judgement", ("mutual_dissent/analysis", "mutual_dissent/engine/measures",
                   "mutual_dissent/semantics")),
    ("views", ("mutual_dissent/views",)),
    ("procedure", ("mutual_dissent",)),
)  # fmt: skip
"""What a part is called, and how the paths of its files go; the first that fits counts."""


class Profiled(ThreadPoolExecutor):
    """Threads whose work is profiled, each piece by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.profiles: list[cProfile.Profile] = []

    def submit(self, work, /, *args, **kwargs):
        def profiled():
            profile = cProfile.Profile(time.thread_time)
            self.profiles.append(profile)
            return profile.runcall(work, *args, **kwargs)

        return super().submit(profiled)


async def measure(table: Table) -> None:
    """Print the shares; they are no ratio to anything, so that none can be missed."""
    del table
    with debates.vendor() as url:
        async with debates.panel(url) as md:
            await debates.ours(md, debates.QUICK)
            threads = Profiled()
            asyncio.get_running_loop().set_default_executor(threads)
            main, began = cProfile.Profile(time.thread_time), time.process_time()
            main.enable()
            for _ in range(DEBATES):
                await debates.ours(md, debates.QUICK)
            main.disable()
            whole = time.process_time() - began
    found = parts(pstats.Stats(main, *threads.profiles))
    found["record"] += max(0.0, whole - sum(found.values()))  # the thread that writes
    print("\n| part of a debate's CPU | share |\n|---|---|", file=sys.stderr)
    for name, seconds in sorted(found.items(), key=lambda item: -item[1]):
        print(f"| {name} | {seconds / whole:.0%} |", file=sys.stderr)


def parts(stats: pstats.Stats) -> dict[str, float]:
    """Seconds by part. What Python itself does counts for whoever had it done."""
    found: dict[str, float] = defaultdict(float)
    for (path, _, _), (_, _, own, _, callers) in stats.stats.items():  # type: ignore[attr-defined]
        if part := _part(path):
            found[part] += own
            continue
        for (caller, _, _), (_, _, seconds, _) in callers.items():
            found[_part(caller) or "other"] += seconds
    return found


def _part(path: str) -> str | None:
    return next((name for name, places in PARTS if any(p in path for p in places)), None)
