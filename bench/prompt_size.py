"""How much more is sent than has to be: five panelists, three rounds."""

from __future__ import annotations

import asyncio

from bench.report import Table
from mutual_dissent import MutualDissent
from mutual_dissent.providers.scripted import Scripted

SEATS = [f"p{i}" for i in range(5)]
QUERY = "How should a small company protect the data of its customers? " * 4
ANSWER = (
    "Encrypt what is stored, limit who can read it, and rehearse what to do when it leaks. " * 14
)


def measure(table: Table) -> None:
    asyncio.run(_measure(table))


async def _measure(table: Table) -> None:
    import tempfile

    cast = Scripted(dict.fromkeys(SEATS, lambda _: ANSWER))
    with tempfile.TemporaryDirectory() as home:
        async with MutualDissent(home=home, env={"HOME": home}, provider=cast) as md:
            await md.debate(
                QUERY, panel=SEATS, synthesizer="p0", rounds=3, analyst="none", save=False
            )
    sent = sum(len(a.system) + len(a.text) for a in cast.asks)
    bare = sum(_bare(a) for a in cast.asks)
    table.add("prompt text over the bare content, 5 panelists, 3 rounds", sent / bare, 1.35)
    heads = {(a.system, a.head) for a in cast.asks}
    table.add("different beginnings of the requests of a debate", len(heads), 1, unit="")


def _bare(ask) -> int:
    """What has to be sent: the query, and every answer that this reader is to see."""
    return len(QUERY) + ask.text.count(ANSWER.strip()) * len(ANSWER)
