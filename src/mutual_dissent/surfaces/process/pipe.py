"""stdin and stdout as the pipe of a protocol. All other output goes to stderr."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Pipe:
    """Streams of a stdio connection; one message a line."""

    incoming: BinaryIO
    outgoing: BinaryIO


@contextmanager
def claim_stdio() -> Iterator[Pipe]:
    """Reserve the process's stdin and stdout for the protocol, until the context ends.

    Prints, warnings and the output of child processes go to stderr; child processes read no input.
    """
    sys.stdout.flush()
    kept_in, kept_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        # Not closed: a thread may still wait for a line when the process ends.
        yield Pipe(
            os.fdopen(kept_in, "rb", closefd=False),
            os.fdopen(kept_out, "wb", buffering=0, closefd=False),
        )
    finally:
        sys.stdout.flush()
        os.dup2(kept_in, 0)
        os.dup2(kept_out, 1)


class LineReader:
    """Lines of a stream, read by a daemon thread, so that exit does not wait for it.

    A line that is too long is cut off.
    """

    def __init__(self, stream: BinaryIO, longest: int) -> None:
        """Read lines of at most `longest` bytes from `stream`."""
        self._stream, self._longest = stream, longest
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._wanted = threading.Semaphore(0)
        threading.Thread(target=self._read, daemon=True, name="stdin-lines").start()

    async def next(self) -> bytes | None:
        """The next line, None at the end."""
        self._wanted.release()
        return await self._ready.get()

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop is closed, and with it the reader
            while line := self._line():
                self._wanted.acquire()
                self._loop.call_soon_threadsafe(self._ready.put_nowait, line)
            self._loop.call_soon_threadsafe(self._ready.put_nowait, None)

    def _line(self) -> bytes:
        line = rest = self._stream.readline(self._longest + 1)
        while rest and not rest.endswith(b"\n"):
            rest = self._stream.readline(self._longest)
        return line


class Sink:
    """Writes to a stream in a thread, so that a client that does not read blocks no other task."""

    def __init__(self, stream: BinaryIO) -> None:
        """Write to an unbuffered `stream`."""
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._waiting: SimpleQueue[tuple[bytes, asyncio.Event]] = SimpleQueue()
        threading.Thread(target=self._write, daemon=True, name="stdout-lines").start()

    async def write(self, data: bytes) -> None:
        """Wait until the data is written, or the client has left."""
        written = asyncio.Event()
        self._waiting.put((data, written))
        await written.wait()

    def _write(self) -> None:
        with suppress(RuntimeError):  # the loop is gone
            while True:
                data, written = self._waiting.get()
                view = memoryview(data)
                with suppress(OSError):  # the client is gone; the end of stdin will follow
                    while view:
                        view = view[self._stream.write(view) :]
                self._loop.call_soon_threadsafe(written.set)
