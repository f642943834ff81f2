"""Agent programs under a test's control: small scripts that lie on a PATH of their own."""

from __future__ import annotations

import asyncio
import os
import select
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

from fakes.patience import LONG
from mutual_dissent.providers.agents.provider import Programs
from mutual_dissent.providers.agents.table import PROGRAMS, Program, ProgramOptions

RECORDED = Path(__file__).parents[1] / "fixtures" / "programs"


def install(folder: Path, name: str, body: str) -> str:
    """Put a script of that name into a folder; returns the PATH that leads to it."""
    folder.mkdir(exist_ok=True)
    script = folder / name
    script.write_text(f"#!{sys.executable} -IS\nimport os, sys\n{textwrap.dedent(body)}")
    script.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def recorded(name: str, code: int = 0) -> str:
    """A script that writes what a real program wrote, after it has read its prompt."""
    text = (RECORDED / f"{name}.jsonl").read_text()
    return f"sys.stdin.read()\nsys.stdout.write({text!r})\nsys.stdout.flush()\nos._exit({code})"


def programs(folder: Path, body: str, *, name: str = "claude", **more) -> Programs:
    """A provider whose only installed program does what the script says.

    With `output`, what it writes is read in another way than its own.
    """
    env = {"HOME": str(folder), **more.pop("env", {})}
    text = more.pop("most_text", 2_000_000)
    path = install(folder / "bin", name, body)
    known = {**PROGRAMS, "plain": Program(name="plain", command=("plain", "--quietly"))}
    if output := more.pop("output", None):
        known[name] = replace(known[name], output=output)
    options = ProgramOptions(known=known, path=path, **more)
    return Programs(options, {"PATH": path, **env}, most_text=text)


class Witness:
    """Knows when a script is at work, and when it is gone with all that it started.

    A script that runs `code` holds a pipe open, and so do its children: it closes with the last.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "witness"
        os.mkfifo(self._path)
        self._fd = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK)

    @property
    def code(self) -> str:
        return (
            f"held = os.open({str(self._path)!r}, os.O_WRONLY)\n"
            "os.set_inheritable(held, True)\n"
            "os.write(held, b'here')\n"
        )

    async def at_work(self) -> None:
        """Wait until the script has begun."""
        assert await asyncio.to_thread(self._next) == b"here", "the script never began"

    async def gone(self) -> None:
        """Wait until nobody holds the pipe any more."""
        assert await asyncio.to_thread(self._next) == b"", "something is still there"

    def close(self) -> None:
        os.close(self._fd)

    def _next(self) -> bytes:
        assert select.select([self._fd], [], [], LONG)[0], "waited for ever"
        return os.read(self._fd, 4)
