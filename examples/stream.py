"""Watch a debate as it happens; the panel is scripted, so that this runs anywhere."""

from __future__ import annotations

import asyncio

from mutual_dissent import MutualDissent, Token
from mutual_dissent.core.events import RoundEnded
from mutual_dissent.providers.scripted import Scripted

CAST = {
    "ada": [
        "Tabs: one key, one level.",
        "Tabs, but agree on a width.",
        "Agree on one and move on.",
    ],
    "bob": ["Spaces: they look the same everywhere.", "Spaces, unless the team says otherwise."],
}


async def main() -> None:
    """Print every piece of text with its author."""
    async with MutualDissent(provider=Scripted(CAST)) as md:
        stream = md.stream("Tabs or spaces?", panel=["ada", "bob"], synthesizer="ada", save=False)
        async for event in stream:
            if isinstance(event, Token):
                print(f"[{event.round_number}] {event.panelist}: {event.text}")
            elif isinstance(event, RoundEnded) and event.measures.consensus:
                print(f"--- round {event.round_number}: {event.measures.consensus.reasoning}")


if __name__ == "__main__":
    asyncio.run(main())
