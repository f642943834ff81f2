"""The floor: the same streamed calls with bare asyncio, aiohttp and orjson, and nothing else."""

from __future__ import annotations

import asyncio

import aiohttp
import orjson


async def call(session: aiohttp.ClientSession, url: str, model: str, text: str) -> str:
    """One streamed call; the answer's text."""
    body = {
        "model": model,
        "messages": [{"role": "user", "content": text}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    pieces = []
    async with session.post(f"{url}/chat/completions", data=orjson.dumps(body)) as answer:
        async for line in answer.content:
            if line.startswith(b"data: {"):
                choices = orjson.loads(line[6:])["choices"]
                pieces += [c["delta"].get("content") or "" for c in choices]
    return "".join(pieces)


async def debate(session: aiohttp.ClientSession, url: str, models: list[str]) -> str:
    """Ask all, tell each what the others said, and have one sum up: as many calls as a debate."""
    first = await asyncio.gather(*(call(session, url, m, "query") for m in models))
    told = "\n".join(first)
    second = await asyncio.gather(*(call(session, url, m, told) for m in models))
    return await call(session, url, models[-1], told + "\n".join(second))
