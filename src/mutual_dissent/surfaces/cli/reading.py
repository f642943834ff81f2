"""Text from the outside: bounded, decoded with a clear error, with unified line ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli.faults import say

MAX_BYTES = 2_000_000


def query_from(argument: str | None) -> str:
    """The query: as given, or from stdin for `-`.

    Raises:
        BadInput: if there is none, or it cannot be read as text.
    """
    if argument == "-" or (argument is None and not is_terminal(sys.stdin)):
        if is_terminal(sys.stdin):
            say("type the query, and end it with Ctrl-D on a line of its own")
        return from_stdin()
    if argument is None:
        raise BadInput('there is no query; try: dissent ask "What is worth knowing?"')
    # A byte of an argument that is no UTF-8 arrives as a lone surrogate, which is made visible.
    return argument


def from_stdin() -> str:
    """What was piped in.

    Raises:
        BadInput: if it is too long or not text.
    """
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise BadInput("there is no input to read the query from; give it as an argument")
    return _text("the input", _bounded("the input", stream))


def text_of(path: Path) -> str:
    """The text of a file.

    Raises:
        BadInput: if it cannot be read, is too long or is not text.
    """
    name = str(path)
    try:
        # Without O_NONBLOCK, opening a pipe would wait for somebody to write into it.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            return _text(name, _bounded(name, file))
    except OSError as e:
        raise BadInput(f"{name} cannot be read: {e.strerror or e}") from None


def _bounded(name: str, stream: BinaryIO) -> bytes:
    """All there is, without ever holding much more than is accepted."""
    pieces: list[bytes] = []
    size = 0
    # `read` fills its buffer: at a terminal it would take a second Ctrl-D to end the input.
    read = getattr(stream, "read1", stream.read)
    while piece := read(65_536):
        pieces.append(piece)
        size += len(piece)
        if size > MAX_BYTES:
            raise BadInput(
                f"{name} is longer than {MAX_BYTES // 1_000_000} MB, the most that is read; "
                "shorten it"
            )
    return b"".join(pieces)


def _text(name: str, raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise BadInput(
            f"{name} is not UTF-8 text (byte {e.start + 1:,} is 0x{raw[e.start]:02x}); convert it "
            "first, for example with: iconv -t utf-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_terminal(stream: object) -> bool:
    """Whether somebody sits at a stream."""
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except ValueError:
        return False
