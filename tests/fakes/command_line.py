"""The program as a user meets it: in this process where that is cheap, as a real one elsewhere."""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from click.testing import CliRunner, Result

from fakes.patience import LONG
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
        self.release()
        self.fake.gate = asyncio.Event()
        self.fake.script({})
        self.fake.arrivals.clear()

    def release(self) -> None:
        """Let go on who was held in the middle of an answer."""
        self._loop.call_soon_threadsafe(self.fake.gate.set)

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
        asyncio.run_coroutine_threadsafe(work, self._loop).result(LONG)


def dissent(*words: str, stdin: str | bytes | None = None, **env: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(cli, list(words), input=stdin, env=env)


def program(
    *words: str, stdin: bytes = b"", timeout: float = LONG, **env: str
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
        process.wait(LONG)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()


def wait_until(check, seconds: float = LONG, step: float = 0.01) -> None:
    """Wait for something that another process does; `step` is for looks that cost something."""
    until = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < until, "it did not come"
        select.select([], [], [], step)


ON_A_TERMINAL = (
    "import os, pty, sys\n"
    "os.environ['TERM'] = 'xterm-256color'\n"
    "sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))\n"
)


class Terminal:
    """A process on a terminal of its own, with everything that it draws."""

    def __init__(self, *command: str, env: dict[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", ON_A_TERMINAL, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
        )
        self.drawn = b""

    def read(self) -> None:
        out = self._process.stdout
        if select.select([out], [], [], 0.02)[0]:
            self.drawn += os.read(out.fileno(), 65_536)

    def until(self, words: bytes) -> None:
        wait_until(lambda: (self.read(), words in self.drawn)[1])

    def type(self, text: bytes) -> None:
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def ended(self) -> int:
        wait_until(lambda: (self.read(), self._process.poll() is not None)[1])
        rest, _ = self._process.communicate(timeout=LONG)
        self.drawn += rest
        return self._process.returncode
