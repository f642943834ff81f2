"""Ollama on this machine or network: which models it has."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from aiohttp import StreamReader

PROBE_SECONDS = 0.3
MAX_BYTES = 4_000_000


async def ollama_models(base_url: str) -> list[str]:
    """The names of its models, the largest first; none if nothing answers at once.

    Args:
        base_url: as in the endpoint table, with or without `/v1` at the end.
    """
    import aiohttp

    address = base_url.rstrip("/").removesuffix("/v1") + "/api/tags"
    try:
        async with (
            asyncio.timeout(PROBE_SECONDS),
            aiohttp.ClientSession(trust_env=False) as session,
            session.get(address, allow_redirects=False) as answer,
        ):
            if answer.status != 200:
                return []
            return _by_size(orjson.loads(await _bounded(answer.content)))
    except (TimeoutError, aiohttp.ClientError, OSError, ValueError):
        return []


async def _bounded(content: StreamReader) -> bytes:
    body = bytearray()
    async for piece in content.iter_any():
        body += piece
        if len(body) > MAX_BYTES:
            return b""
    return bytes(body)


def _by_size(body: Any) -> list[str]:
    models = body.get("models") if isinstance(body, dict) else None
    sized = [
        (m.get("size"), m["name"])
        for m in (models if isinstance(models, list) else ())
        if isinstance(m, dict) and isinstance(m.get("name"), str) and _can_chat(m["name"])
    ]
    sized.sort(key=lambda pair: -pair[0] if isinstance(pair[0], int) else 0)
    return [name for _, name in sized]


def _can_chat(name: str) -> bool:
    """Embedding models are listed too, and cannot sit on a panel."""
    return "embed" not in name.lower()
