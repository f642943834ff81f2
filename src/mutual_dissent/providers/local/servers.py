"""Model servers on this machine or network: which of them run, and which models they have."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from mutual_dissent.providers.endpoints import SERVERS, Endpoint

if TYPE_CHECKING:
    from aiohttp import StreamReader

PROBE_SECONDS = 0.3
MAX_BYTES = 4_000_000
MAX_NAME = 200
OURSELVES = "mutual-dissent"


async def running_models(endpoints: Mapping[str, Endpoint]) -> list[str]:
    """The models of the first server that runs, as `vendor:model`; none if nobody answers at once.

    Args:
        endpoints: vendor -> endpoint; those of `SERVERS` are asked, in that order of preference.
    """
    here = [endpoints[vendor] for vendor in SERVERS if vendor in endpoints]
    found = await asyncio.gather(*(_models(e) for e in here))
    of_each = ([f"{e.vendor}:{m}" for m in models] for e, models in zip(here, found, strict=True))
    return next((models for models in of_each if models), [])


async def _models(endpoint: Endpoint) -> list[str]:
    """What it can chat with: of Ollama the largest first, of others as they list them."""
    base_url = endpoint.base_url.rstrip("/")
    if endpoint.vendor == "ollama":
        return _by_size(await _answer(base_url.removesuffix("/v1") + "/api/tags"))
    return _listed(await _answer(base_url + "/models"))


async def _answer(address: str) -> Any:
    """What is said at an address in JSON; None if nothing is said at once."""
    import aiohttp

    try:
        async with (
            asyncio.timeout(PROBE_SECONDS),
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


def _listed(body: Any) -> list[str]:
    """The models of an OpenAI-compatible server, unless it is one of ours: we ask no panel."""
    rows = _rows(body, "data")
    return [m["id"] for m in rows if _can_chat(m.get("id")) and m.get("owned_by") != OURSELVES]


def _rows(body: Any, name: str) -> list[dict[str, Any]]:
    rows = body.get(name) if isinstance(body, dict) else None
    return [r for r in rows if isinstance(r, dict)] if isinstance(rows, list) else []


def _can_chat(name: object) -> bool:
    """Embedding models are listed too, and cannot sit on a panel."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME:
        return False
    return name.isprintable() and "embed" not in name.lower()
