"""The window's server: a child process that ends with a pipe, which the kernel closes for us."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mutual_dissent.core.errors import DissentError

COMMAND = (sys.executable, "-P", "-m", "mutual_dissent.surfaces.desktop.server_process")
PATIENCE = 5.0
"""Seconds that the server has to end once its pipe is closed."""


class NotServed(DissentError):
    """The server did not start, or ended before the window did."""


@contextmanager
def run_server() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start the server; yield the start address of the pages, and the process.

    Raises:
        NotServed: if it does not start; it has printed the reason.
    """
    # A session of its own: Ctrl-C is for the window, which then closes the pipe.
    process = subprocess.Popen(  # noqa: S603 - this very program
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert process.stdout is not None
        page = process.stdout.readline().decode().strip()
        if not page:
            raise NotServed("the server did not start, so there is no window; try: dissent serve")
        yield page, process
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
