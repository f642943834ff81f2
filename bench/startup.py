"""Starting the command, and the first token on the screen."""

from __future__ import annotations

import os
import pty
import re
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from bench.debates import vendor
from bench.report import Table

DISSENT = shutil.which("dissent", path=str(Path(sys.executable).parent)) or "dissent"


def measure(table: Table) -> None:
    """CPU that commands take to start."""
    _help(table)
    _ask(table)


def _help(table: Table) -> None:
    """CPU of `dissent --help` over that of a bare interpreter with click."""
    click, ours = [sys.executable, "-c", "import click"], [DISSENT, "--help"]
    _cpu(click), _cpu(ours)
    pairs = [(_cpu(ours), _cpu(click)) for _ in range(10)]
    mine, bare = min(p[0] for p in pairs), min(p[1] for p in pairs)
    note = f"{mine * 1000:.0f} ms over {bare * 1000:.0f} ms"
    table.add("CPU of `dissent --help` over `import click`", mine / bare, 1.5, note=note)


def _ask(table: Table) -> None:
    """CPU of a whole `dissent ask`, saved, whose vendor answers at once, over `import click`."""
    bare = [sys.executable, "-c", "import click"]
    with vendor() as url, tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "MUTUAL_DISSENT_HOME": home,
               "OPENAI_API_KEY": "sk-bench", "OPENAI_BASE_URL": url}  # fmt: skip
        panel = "openai:m0x20,openai:m0x20"
        ours = [DISSENT, "ask", "Tabs or spaces?", "--panel", panel, "--no-analyst"]
        _cpu(ours, env)
        pairs = [(_cpu(ours, env), _cpu(bare)) for _ in range(5)]
    mine, other = min(p[0] for p in pairs), min(p[1] for p in pairs)
    note = f"{mine * 1000:.0f} ms over {other * 1000:.0f} ms"
    table.add("CPU of a short `dissent ask` over `import click`", mine / other, 20.0, note=note)


def first_token(table: Table) -> None:
    """From the vendor's first token to the screen, in a real terminal."""
    with vendor() as url, tempfile.TemporaryDirectory() as home:
        delays = [_first_token(url, home) for _ in range(3)]
    table.add("first token to the screen", min(delays) * 1000, 50, unit="ms")


def _first_token(url: str, home: str) -> float:
    """The vendor answers 3 s after the request arrives, so its first token's time is known."""
    env = {**os.environ, "HOME": home, "MUTUAL_DISSENT_HOME": home, "TERM": "xterm-256color",
           "OPENAI_API_KEY": "sk-bench", "OPENAI_BASE_URL": url}  # fmt: skip
    args = [DISSENT, "ask", "q", "--panel", "openai:m3000x20,openai:m3000x20", "--no-save"]
    pid, fd = pty.fork()
    if pid == 0:
        os.execvpe(args[0], args, env)
    shown, seen = None, b""
    deadline = time.monotonic() + 30
    while shown is None and time.monotonic() < deadline:
        if select.select([fd], [], [], 0.001)[0]:
            try:
                seen += os.read(fd, 65536)
            except OSError:
                break
            if re.search(rb"token", seen.split(b"ask", 1)[-1]):
                shown = time.time()
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    os.close(fd)
    first = float(_stamp(url))
    return (shown or float("inf")) - first


def _stamp(url: str) -> str:
    import urllib.request

    with urllib.request.urlopen(url.replace("/v1", "/first_token")) as answer:
        return answer.read().decode()


def _cpu(command: list[str], more: Mapping[str, str] = MappingProxyType({})) -> float:
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | dict(more)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
