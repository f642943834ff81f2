"""The program as a user meets it: in this process where that is cheap, as a real one elsewhere."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from click.testing import CliRunner, Result

from fakes.vendor import Arrival, FakeVendor
from mutual_dissent.surfaces.cli import cli

PROGRAM = (sys.executable, "-m", "mutual_dissent")


class Vendor:
    """A fake vendor in a thread of its own, so that it answers while a command runs."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.fake = FakeVendor()

    @property
    def arrivals(self) -> list[Arrival]:
        return self.fake.arrivals

    @property
    def env(self) -> dict[str, str]:
        """What makes the program reach this vendor, and nobody else."""
        return {"OPENROUTER_API_KEY": "sk-or-test-key-000001", "OPENROUTER_BASE_URL": self.url}

    @property
    def url(self) -> str:
        return self.fake.base_url()

    def reset(self) -> None:
        self.fake.script({})
        self.fake.arrivals.clear()

    def __enter__(self) -> Self:
        self._thread.start()
        self._do(self.fake.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self._do(self.fake.__aexit__())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(10)


def dissent(*words: str, stdin: str | bytes | None = None, **env: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(cli, list(words), input=stdin, env=env)


def program(
    *words: str, stdin: bytes = b"", timeout: float = 20, **env: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command as a process of its own."""
    return subprocess.run(
        [*PROGRAM, *words],
        input=stdin,
        capture_output=True,
        timeout=timeout,
        env={**os.environ, **env},
        check=False,
    )


@contextmanager
def started(*words: str, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A running process, which does not outlive the test."""
    env = {**os.environ, **more.pop("env", {})}
    process = subprocess.Popen([*PROGRAM, *words], env=env, **more)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()
