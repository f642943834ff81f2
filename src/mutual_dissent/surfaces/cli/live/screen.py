"""The terminal as it is: consoles that take text literally, and never fail for a character."""

from __future__ import annotations

import errno
import sys
from contextlib import suppress
from typing import NoReturn, TextIO

from rich.console import Console


class Screen(Console):
    """A console that leaves it to its user what a closed pipe means."""

    def on_broken_pipe(self) -> NoReturn:
        """Rich would end the process here, and with it a debate that is still being paid for."""
        raise BrokenPipeError(errno.EPIPE, "the reader is gone")


def console(*, stderr: bool = False) -> Console:
    """A console on stdout or stderr."""
    stream = sys.stderr if stderr else sys.stdout
    _forgiving(stream)
    return Screen(stderr=stderr, markup=False, emoji=False, highlight=False)


def _forgiving(stream: TextIO | None) -> None:
    """Substitute characters that the terminal's encoding lacks, instead of failing."""
    with suppress(AttributeError, ValueError, OSError):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
