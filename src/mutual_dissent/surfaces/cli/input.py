"""Text from files and stdin: bounded, decoded with a clear error, with unified line ends."""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mutual_dissent.core.brief import Attachment, FileBytes
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.process.failure import say

MAX_BYTES = 2_000_000
MAX_PICTURE = 4_000_000
"""Bytes of a pipe that may be a picture, which has its own limit."""
LONG = 1.0
"""Seconds after which the command says what it waits for."""


def query_from(argument: str | None) -> str:
    """Return the query: the argument, or stdin for `-`.

    Raises:
        BadInput: if it is missing, or cannot be read as text.
    """
    if argument == "-" or (argument is None and not is_terminal(sys.stdin)):
        if is_terminal(sys.stdin):
            say("type the query, and end it with Ctrl-D on a line of its own")
        return from_stdin()
    if argument is None:
        raise BadInput('there is no query; try: dissent ask "What is worth knowing?"')
    # A byte of an argument that is not UTF-8 arrives as a lone surrogate, which is made visible.
    return argument


def piped_attachment(argument: str | None) -> list[Attachment | FileBytes]:
    """Return piped input as an attachment where the query is an argument; else an empty list."""
    if argument in (None, "-") or not _is_piped():
        return []
    with _patience("waiting for the end of stdin, which is attached; to go without: < /dev/null"):
        raw = _bounded(_stdin(), MAX_PICTURE)
    if _is_picture(raw):
        return [FileBytes(name="stdin", raw=raw, shown=True)]
    text = _text("the input", _short("the input", raw))
    return [Attachment(name="stdin", text=text)] if text.strip() else []


def _is_picture(raw: bytes) -> bool:
    """Return whether bytes are a picture's; what begins as text does is none."""
    if raw[:16].isascii() and not raw.startswith((b"GIF8", b"RIFF", b"BM")):
        return False
    from mutual_dissent.briefing.inputs.pictures import is_picture

    return is_picture(raw)


def _is_piped() -> bool:
    """Return whether stdin is a pipe or a file; terminals and devices are not read."""
    if sys.stdin is None or is_terminal(sys.stdin):
        return False
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return getattr(sys.stdin, "buffer", None) is not None and not sys.stdin.closed
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


@contextmanager
def _patience(sentence: str) -> Iterator[None]:
    """Print a sentence if the block takes long."""
    late = threading.Timer(LONG, say, [sentence])
    late.daemon = True
    late.start()
    try:
        yield
    finally:
        late.cancel()


def from_stdin() -> str:
    """Return the text on stdin.

    Raises:
        BadInput: if it is too long or not text.
    """
    return _text("the input", _short("the input", _bounded(_stdin())))


def _stdin() -> BinaryIO:
    stream: BinaryIO | None = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise BadInput("there is no input to read the query from; give it as an argument")
    return stream


def text_of(path: Path) -> str:
    """The text of a file.

    Raises:
        BadInput: if it cannot be read, is too long or is not text.
    """
    name = str(path)
    try:
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            return _text(name, _short(name, _bounded(file)))
    except OSError as e:
        raise BadInput(f"{name} cannot be read: {e.strerror or e}") from None


def _bounded(stream: BinaryIO, most: int = MAX_BYTES) -> bytes:
    """Read the whole stream, or a little more of it than the maximum."""
    pieces: list[bytes] = []
    size = 0
    # `read` fills its buffer: at a terminal it would take a second Ctrl-D to end the input.
    read = getattr(stream, "read1", stream.read)
    while piece := read(65_536):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            break
    return b"".join(pieces)


def _short(name: str, raw: bytes) -> bytes:
    if len(raw) > MAX_BYTES:
        raise BadInput(
            f"{name} is longer than {MAX_BYTES // 1_000_000} MB, the most that is read; shorten it"
        )
    return raw


def _text(name: str, raw: bytes) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise BadInput(
            f"{name} is not UTF-8 text (byte {e.start + 1:,} is 0x{raw[e.start]:02x}); convert it "
            "first, for example with: iconv -t utf-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def can_ask_user() -> bool:
    """Return whether the user is at a terminal where it can read and type."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def is_terminal(stream: object) -> bool:
    """Return whether a stream is a terminal."""
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except ValueError:
        return False
