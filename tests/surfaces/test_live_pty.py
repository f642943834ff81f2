"""The live view in a real terminal, of any size and of none."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path
from subprocess import Popen

import pytest

from fakes.screens import Terminal

pty = pytest.importorskip("pty", reason="SKIPPED: this system has no pseudo-terminals")

WATCH = """
import asyncio
from fakes.debates import Fault, debate, streamed
from mutual_dissent.surfaces.cli.live.view import show, watch

async def slowly():
    answers = {"claude": ["Canberra it is."], "gpt": ["Sydney, no doubt."], "grok": [Fault()]}
    for item in streamed(debate(answers)):
        yield item
        await asyncio.sleep(0.01)

show(asyncio.run(watch(slowly(), live=True)))
"""


def in_terminal(rows: int, columns: int) -> str:
    """What a program writes that runs in a terminal of that size."""
    import fcntl
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    tests = str(Path(__file__).resolve().parents[1])
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR")}
    env |= {"PYTHONPATH": tests, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    with Popen(
        [sys.executable, "-c", WATCH], stdin=theirs, stdout=theirs, stderr=theirs, env=env
    ) as p:
        os.close(theirs)
        written = b"".join(iter(lambda: _read(ours), b""))
    os.close(ours)
    assert p.returncode == 0, written.decode()
    return written.decode()


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65_536)
    except OSError:  # how Linux says that the other side is closed
        return b""


@pytest.mark.parametrize(("rows", "columns"), [(24, 100), (10, 40), (0, 0)])
def test_the_view_runs_in_a_real_terminal_and_leaves_the_answer(rows, columns):
    written = in_terminal(rows, columns)
    assert "writing" in written
    assert "synthesis by claude" in written
    terminal = Terminal()
    terminal.write(written)
    assert terminal.cursor_shown
    assert terminal.shown.lstrip("\n").startswith("What is the capital of Australia?")
    assert "Canberra is the capital." in terminal.shown
    assert "writing" not in terminal.shown
