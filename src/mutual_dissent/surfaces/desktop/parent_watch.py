"""Ends this process with the parent at the other end of a pipe, even if the parent crashes."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

PATIENCE = 4.0
"""Seconds that the work has to end by itself once the pipe is closed."""


@asynccontextmanager
async def until_eof(fd: int) -> AsyncIterator[None]:
    """Cancel the block, without an error, when the pipe at `fd` is closed from the other side."""
    loop, task, gone = asyncio.get_running_loop(), asyncio.current_task(), threading.Event()
    assert task is not None

    def wait() -> None:
        with suppress(OSError):
            while os.read(fd, 4096):
                pass
        gone.set()
        late = threading.Timer(PATIENCE, os._exit, (1,))  # no parent is left to end us
        late.daemon = True
        late.start()
        with suppress(RuntimeError):  # the loop is over already
            loop.call_soon_threadsafe(task.cancel)

    threading.Thread(target=wait, daemon=True).start()
    try:
        yield
    except asyncio.CancelledError:
        if not gone.is_set() or task.uncancel() > 0:
            raise
