"""Consoles that print text literally, and never fail on a character."""

from __future__ import annotations

import errno
import sys
from contextlib import suppress
from typing import NoReturn, TextIO

from rich.console import Console

GONE = (OSError, ValueError)
"""Errors of a terminal that was closed."""


class Screen(Console):
    """A console that leaves a closed pipe to its caller."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise instead: Rich would end the process, and with it a paid debate."""
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
