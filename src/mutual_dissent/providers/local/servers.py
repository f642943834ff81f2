"""Model servers on this machine or network: which of them run, and which models they have."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from mutual_dissent.providers.endpoints import SERVERS, Endpoint

if TYPE_CHECKING:
    from aiohttp import StreamReader

# What does not answer at once is not there: whoever has no key waits for this at the start.
PROBE_SECONDS = 0.3
MAX_BYTES = 4_000_000
MAX_NAME = 200
OURSELVES = "mutual-dissent"


async def running_models(endpoints: Mapping[str, Endpoint]) -> list[str]:
    """Return the models of the first running server, as `vendor:model`; none if none answers.

    Args:
        endpoints: vendor -> endpoint; those of `SERVERS` are asked, in that order of preference.
    """
    here = [endpoints[vendor] for vendor in SERVERS if vendor in endpoints]
    replies = await asyncio.gather(*(_models(e) for e in here))
    of_each = ([f"{e.vendor}:{m}" for m in models] for e, models in zip(here, replies, strict=True))
    return next((models for models in of_each if models), [])


async def _models(endpoint: Endpoint) -> list[str]:
    """Return its chat models: of Ollama the largest first, of others as they list them."""
    base_url = endpoint.base_url.rstrip("/")
    if endpoint.vendor == "ollama":
        return _by_size(await _answer(base_url.removesuffix("/v1") + "/api/tags"))
    return _chat_models(await _answer(base_url + "/models"))


async def _answer(address: str) -> Any:
    """Return the JSON at an address; None if it does not answer at once."""
    import aiohttp

    try:
        async with (
            asyncio.timeout(PROBE_SECONDS),
            # A proxy of the environment is not for what runs on this machine.
            aiohttp.ClientSession(trust_env=False) as session,
            session.get(address, allow_redirects=False) as answer,
        ):
            return orjson.loads(await _bounded(answer.content)) if answer.status == 200 else None
    except (TimeoutError, aiohttp.ClientError, OSError, ValueError):
        return None


async def _bounded(content: StreamReader) -> bytes:
    body = bytearray()
    async for piece in content.iter_any():
        body += piece
        if len(body) > MAX_BYTES:
            return b""
    return bytes(body)


def _by_size(body: Any) -> list[str]:
    sized = [(m.get("size"), m["name"]) for m in _rows(body, "models") if _can_chat(m.get("name"))]
    sized.sort(key=lambda pair: -pair[0] if isinstance(pair[0], int) else 0)
    return [name for _, name in sized]


def _chat_models(body: Any) -> list[str]:
    """Return the models of an OpenAI-compatible server; ours is left out: we ask no panel."""
    rows = _rows(body, "data")
    return [m["id"] for m in rows if _can_chat(m.get("id")) and m.get("owned_by") != OURSELVES]


def _rows(body: Any, name: str) -> list[dict[str, Any]]:
    rows = body.get(name) if isinstance(body, dict) else None
    return [r for r in rows if isinstance(r, dict)] if isinstance(rows, list) else []


def _can_chat(name: object) -> bool:
    """Return whether a model can sit on a panel: embedding models are listed, too."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME:
        return False
    return name.isprintable() and "embed" not in name.lower()
