"""OpenRouter's public list of models, kept in a file and fetched again at most once a day."""

from __future__ import annotations

import contextlib
import math
import os
import stat
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from mutual_dissent.core.errors import UserError

DAY = 86_400.0
MAX_BYTES = 20_000_000
FETCH_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Listing:
    """OpenRouter's entry of a model; prices in dollars a token.

    `sees` says whether it takes pictures; None where the entry does not tell.
    """

    prompt: float
    completion: float
    cached: float | None = None
    request: float = 0.0
    window: int | None = None
    sees: bool | None = None

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
        """Return the dollars for a call."""
        cheaper = self.prompt if self.cached is None else self.cached
        fresh = input_tokens - cached_tokens
        return (
            fresh * self.prompt
            + cached_tokens * cheaper
            + output_tokens * self.completion
            + self.request
        )


def read_listings(path: Path) -> Mapping[str, Listing]:
    """Return the models in a cache file; none if it is missing, a link or unreadable."""
    try:
        return parse_listings(orjson.loads(read_bounded(path)))
    except (OSError, ValueError):
        return {}


def parse_listings(body: Any) -> dict[str, Listing]:
    """Return the models in OpenRouter's answer; those without a usable price are left out."""
    rows = body.get("data") if isinstance(body, dict) else None
    listings = {}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and isinstance(row.get("id"), str) and (one := _listing(row)):
            listings[row["id"]] = one
    return listings


def is_stale(path: Path) -> bool:
    """Return whether the file is older than a day, or missing; one from the future is stale too."""
    try:
        status = path.lstat()
    except OSError:
        return True
    return not (stat.S_ISREG(status.st_mode) and 0 <= time.time() - status.st_mtime < DAY)


def write_time(path: Path) -> float | None:
    """Return when the file was written; None if it is missing."""
    try:
        return path.lstat().st_mtime
    except OSError:
        return None


async def fetch(base_url: str, path: Path) -> bool:
    """Fetch the list into the file, without any key; return whether that succeeded.

    It fails quietly: a missing list only means that the table inside the package is used.
    """
    import aiohttp

    from mutual_dissent.providers.http.pool import proxy_for

    limit = aiohttp.ClientTimeout(total=FETCH_SECONDS)
    try:
        async with (
            aiohttp.ClientSession(timeout=limit) as session,
            session.get(f"{base_url}/models", proxy=proxy_for(base_url)) as answer,
        ):
            if answer.status != 200:
                return False
            body = bytearray()
            async for piece in answer.content.iter_any():
                body += piece
                if len(body) > MAX_BYTES:
                    return False
        if not parse_listings(orjson.loads(body)):
            return False
        replace_file(path, bytes(body))
    except (TimeoutError, aiohttp.ClientError, OSError, ValueError, UserError):
        return False
    return True


def read_bounded(path: Path) -> bytes:
    """Read a file of our own. A link's target is not ours; a pipe is not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError("not a file")
        body = file.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise OSError("too large")
    return body


def replace_file(path: Path, body: bytes) -> None:
    """Write a file in one step, its folder made for its owner alone if it is missing."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".prices-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
        # In one step: other processes may be reading the file.
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _listing(row: Mapping[str, Any]) -> Listing | None:
    pricing = row.get("pricing")
    if not isinstance(pricing, dict):
        return None
    prompt, completion = _price(pricing.get("prompt")), _price(pricing.get("completion"))
    if prompt is None or completion is None:
        return None
    window = row.get("context_length")
    return Listing(
        prompt,
        completion,
        _price(pricing.get("input_cache_read")),
        _price(pricing.get("request")) or 0.0,
        window if isinstance(window, int) and window > 0 else None,
        _sees(row.get("architecture")),
    )


def _sees(architecture: Any) -> bool | None:
    taken = architecture.get("input_modalities") if isinstance(architecture, dict) else None
    return "image" in taken if isinstance(taken, list) else None


def _price(value: Any) -> float | None:
    """Parse OpenRouter's price, a decimal text; its router models say -1: it depends."""
    try:
        price = float(value)
    except (TypeError, ValueError):
        return None
    # No model costs a dollar a token: such a number is a mistake.
    return price if math.isfinite(price) and 0 <= price < 1 else None
