"""Many debates at once against a vendor that takes only so many calls, and does not say so."""

from __future__ import annotations

import asyncio

import aiohttp

from bench import debates
from bench.report import Table

AT_ONCE = 40
SETTLED = 10.0
"""Seconds in which the limit has to be found."""


async def measure(table: Table, n: int = 200) -> None:
    with debates.vendor(AT_ONCE) as url:
        async with debates.panel(url) as md:
            await asyncio.gather(*(debates.ours(md, debates.PACED) for _ in range(n)))
        async with aiohttp.ClientSession() as session:
            load = await (await session.get(url.replace("/v1", "/load"))).json()
    served, refused = sorted(load["served"]), sorted(load["refused"])
    begun = min(served[0][0], refused[0] if refused else served[0][0])
    late = begun + SETTLED
    used = _used(served, begun)
    table.add(f"room for {AT_ONCE} calls at once over what was used of it", 1 / used, 1 / 0.85,
              note=f"{used:.0%} used")  # fmt: skip
    calls = sum(start >= late for start, _ in served)
    turned_away = sum(at >= late for at in refused)
    table.add("calls refused once the limit was found", 100 * turned_away / (calls + turned_away),
              2, unit="%", note=f"{len(refused)} of {len(served)} in all")  # fmt: skip


def _used(served: list[list[float]], begun: float) -> float:
    """The share of places that were taken, as long as there were calls enough for all of them."""
    last = sorted(start for start, _ in served)[-2 * AT_ONCE]
    busy = sum(max(0.0, min(end, last) - start) for start, end in served)
    return busy / (AT_ONCE * (last - begun))
