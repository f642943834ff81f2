"""A debate in a few lines: on your keys, on Ollama, or on the embedded model."""

from __future__ import annotations

import asyncio
import sys

from mutual_dissent import MutualDissent


async def main(query: str) -> None:
    """Ask, and print the answer with what stands behind it."""
    async with MutualDissent() as md:
        transcript = await md.debate(query, rounds=1)
    if transcript.synthesis is None:
        sys.exit(f"no answer: {transcript.closed_text}")
    print(transcript.synthesis.content)
    print(f"\n{len(transcript.standing)} of {len(transcript.panel)} panelists stood to the end")


if __name__ == "__main__":
    asyncio.run(main(" ".join(sys.argv[1:]) or "What is the capital of Australia?"))
