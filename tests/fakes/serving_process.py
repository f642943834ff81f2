"""`dissent serve` as a process of its own, to be talked to and killed."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

REST = re.compile(rb"REST\s+(http://\S+)/api")


@dataclass
class Serving:
    """A server that runs; `url` is where."""

    process: asyncio.subprocess.Process
    url: str

    async def kill(self) -> None:
        """End it without a word of warning."""
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()


@asynccontextmanager
async def serving(home: Path, port: int = 21_000, **env: str) -> AsyncIterator[Serving]:
    """Serve from a home; the port is the next free one from there."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "mutual_dissent", "serve", "--no-open", "--port", str(port),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "MUTUAL_DISSENT_HOME": str(home), **env},
    )  # fmt: skip
    try:
        async for line in process.stdout:
            if found := REST.search(line):
                yield Serving(process, found[1].decode())
                break
        else:
            raise AssertionError("the server did not start")
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
