"""A program at work: its folder, its environment, its pipes, and its end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import cast

from mutual_dissent.providers.agents import supervisor
from mutual_dissent.providers.agents.table import DEPTH, FOLDER, SYSTEM, Program

WARDEN = str(Path(supervisor.__file__))
PATIENCE = 1.4
"""Seconds until a warden that does not end its program is killed, and the program with it."""
NO_SYSTEM = "Answer what you are asked."
"""The text of the file where there is no system text: Codex refuses an empty one."""
MOST_ERRORS = 16_000_000
KEPT_ERRORS = 4_000
COMMON = (
    "PATH HOME USER LOGNAME LANG LC_ALL LC_CTYPE TERM TZ "
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy "
    "SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS"
).split()
"""The variables that every program may read: where things are, and how to reach the network."""

Heard = Callable[[bytes], bool]


@contextmanager
def workplace(program: Program, system: str) -> Iterator[Path]:
    """Make a folder for one call, with an empty one in it to work in; remove both afterwards."""
    with tempfile.TemporaryDirectory(prefix="dissent-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        for name in ("work", "tmp"):
            (folder / name).mkdir(mode=0o700)
        if program.takes_system:
            text = system.strip() or NO_SYSTEM
            (folder / "system.md").write_text(text, encoding="utf-8", errors="replace")
        for name, text in program.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        yield folder


def fill_placeholders(words: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return the words of a command with its placeholders replaced by paths."""
    system = str(folder / "system.md")
    return tuple(w.replace(SYSTEM, system).replace(FOLDER, str(folder)) for w in words)


def surroundings(
    program: Program, env: Mapping[str, str], withheld: frozenset[str], folder: Path
) -> dict[str, str]:
    """Return a program's environment: an allow-list of variables, without any key of ours."""
    names = [n for n in (*COMMON, *program.passes) if n in env and n not in withheld]
    outer = env.get(DEPTH, "")
    depth = int(outer) + 1 if outer.isdecimal() and len(outer) < 4 else 1
    return {
        **{name: env[name] for name in names},
        **dict(
            zip(program.sets, fill_placeholders(tuple(program.sets.values()), folder), strict=True)
        ),
        "TMPDIR": str(folder / "tmp"),
        DEPTH: str(depth),
    }


class Running:
    """A program under its supervisor. Whatever happens, `stop` ends it with all that it started."""

    def __init__(self, transport: asyncio.SubprocessTransport, ears: _Ears, hold: int) -> None:
        self._transport, self._ears, self._hold = transport, ears, hold

    @classmethod
    async def start(
        cls, command: tuple[str, ...], folder: Path, env: Mapping[str, str], heard: Heard
    ) -> Running:
        """Start a command in its folder; `heard` takes its output, until it has enough."""
        loop = asyncio.get_running_loop()
        watched, hold = os.pipe()
        try:
            transport, ears = await loop.subprocess_exec(
                lambda: _Ears(heard),
                sys.executable,
                # Without site packages it starts in about 30 ms.
                *("-I", "-S", WARDEN, str(watched), str(folder), *command),
                cwd=str(folder / "work"),
                env=dict(env),
                pass_fds=(watched,),
                # Ctrl-C at the terminal reaches us alone; a group of its own can be killed as a
                # whole.
                start_new_session=True,
            )
        except BaseException:
            os.close(hold)
            raise
        finally:
            os.close(watched)
        return cls(transport, ears, hold)

    async def finish(self, said: bytes) -> int | None:
        """Write `said` to the program and wait for its end; None if enough was heard before."""
        self.say(said)
        self._mouth.write_eof()
        return await self.end()

    def say(self, words: bytes) -> None:
        """Write to the program, which goes on listening."""
        if not self._mouth.is_closing():
            self._mouth.write(words)

    async def end(self) -> int | None:
        """Wait until the program has ended; None if enough was heard before."""
        await asyncio.shield(self._ears.done)
        return self._transport.get_returncode()

    @property
    def _mouth(self) -> asyncio.WriteTransport:
        return cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))

    async def stop(self) -> None:
        """End the program, if it has not ended. If this is cancelled, the warden does it alone."""
        try:
            self._release()
            await asyncio.wait([self._ears.gone], timeout=PATIENCE)
        finally:
            if self._transport.get_returncode() is None:
                with suppress(OSError):
                    os.killpg(self._transport.get_pid(), signal.SIGKILL)
            self._transport.close()

    @property
    def errors(self) -> str:
        """Return the end of the program's error output."""
        return bytes(self._ears.errors).decode("utf-8", "replace").strip()

    @property
    def is_flooded(self) -> bool:
        """Return whether it wrote too many errors to be read."""
        return self._ears.error_bytes > MOST_ERRORS

    def _release(self) -> None:
        hold, self._hold = self._hold, -1
        if hold >= 0:
            os.close(hold)


class _Ears(asyncio.SubprocessProtocol):
    """Takes in a program's output. `done`: nothing more is needed; `gone`: nothing is left."""

    def __init__(self, heard: Heard) -> None:
        loop = asyncio.get_running_loop()
        self.done: asyncio.Future[None] = loop.create_future()
        self.gone: asyncio.Future[None] = loop.create_future()
        self.errors = bytearray()
        self.error_bytes = 0
        self._heard = heard

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if self.done.done():
            return
        if fd == 1 and self._heard(data):
            self.done.set_result(None)
        elif fd == 2:
            self._complain(data)

    def connection_lost(self, _: Exception | None) -> None:
        for future in (self.done, self.gone):
            if not future.done():
                future.set_result(None)

    def _complain(self, data: bytes) -> None:
        self.error_bytes += len(data)
        self.errors += data[-KEPT_ERRORS:]
        del self.errors[:-KEPT_ERRORS]
        if self.error_bytes > MOST_ERRORS:
            self.done.set_result(None)
