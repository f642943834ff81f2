"""Watch on the configuration file: a running server takes what was changed in it meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import DissentError

log = logging.getLogger("mutual_dissent.server")

LOOK = 1.0
"""Seconds between two looks at the file."""

Trace = tuple[int, int, int] | None


@asynccontextmanager
async def watch_config(md: MutualDissent) -> AsyncGenerator[None, None]:
    """Read the file again whenever it has changed, inside the context."""
    task = asyncio.create_task(_watch(md, _trace(md)))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _watch(md: MutualDissent, read: Trace) -> None:
    """Look until cancelled. A file that cannot be used leaves all as it is, and that is logged."""
    seen = read
    while True:
        await asyncio.sleep(LOOK)
        now = await asyncio.to_thread(_trace, md)
        # The same twice: some editors write a file piece by piece.
        if now == seen != read:
            read = now
            await asyncio.to_thread(_take, md)
        seen = now


def _take(md: MutualDissent) -> None:
    try:
        md.reload()
    except (DissentError, OSError) as e:
        log.warning(
            "the configuration was changed and cannot be used, so that it is as it was: %s", e
        )
    else:
        log.info("the configuration was changed and is read again")


def _trace(md: MutualDissent) -> Trace:
    """Return what changes with the file."""
    try:
        found = md.home.config.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
