"""Files that a user attaches: the text of plain text, code, html, pdf and docx, and pictures."""

from __future__ import annotations

import logging
import os
import re
import stat
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

from mutual_dissent.briefing.inputs.pictures import SUFFIXES, check_size, is_picture, picture_of
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import BadInput

MAX_BYTES = 20_000_000
MAX_UNPACKED = 200_000_000
LEFT_OVER = 2_000
_TAG = re.compile(r"<[^<>]*>")
EXTRA = "pip install 'mutual-dissent[documents]'"
PACKED = frozenset({".zip", ".xlsx", ".pptx", ".doc", ".xls", ".ppt", ".gz", ".tar", ".7z"})
DOCUMENTS = frozenset({".pdf", ".docx"})


def attachment(path: Path) -> Attachment:
    """The text of a file, under its own name.

    Raises:
        BadInput: if it cannot be read, or there is no text in it.
    """
    found = contents(path)[0]
    if found.picture:
        raise BadInput(f"{path} is a picture, and only text is read here; leave it out")
    return found


def contents(path: Path) -> tuple[Attachment, ...]:
    """The text of a file, the picture that it is, or the pictures that its pages are.

    Raises:
        BadInput: if it cannot be read, or there is nothing in it that models can be shown.
    """
    return _attached(path, _bytes(path))


def contents_of(name: str, raw: bytes) -> tuple[Attachment, ...]:
    """The same of a file that somebody sent, under the name it has there.

    Raises:
        BadInput: if there is nothing in it that models can be shown.
    """
    _check_bytes(name, raw, len(raw))
    return _attached(Path(Path(name).name or "file"), raw)


def _attached(path: Path, raw: bytes) -> tuple[Attachment, ...]:
    kind = path.suffix.lower()
    # By its bytes, whatever it is called; a name alone makes no picture of a text.
    if kind in SUFFIXES or is_picture(raw):
        return (replace(picture_of(str(path), raw), name=path.name),)
    if kind in PACKED:
        raise BadInput(f"{path}: no text can be taken from {kind} files; save it as pdf or text")
    found = DOCUMENT_READERS[kind](path, raw) if kind in DOCUMENTS else _read(path, raw)
    clean = tuple(replace(a, text=with_line_feeds(a.text)) for a in found)
    if not any(a.picture or a.text.strip() for a in clean):
        raise BadInput(f"{path} has no text in it, nor a picture; attach something else")
    return clean


def _read(path: Path, raw: bytes) -> tuple[Attachment, ...]:
    return (Attachment(name=path.name, text=READERS.get(path.suffix.lower(), _decoded)(path, raw)),)


def with_line_feeds(text: str) -> str:
    """The text with one character for each line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _bytes(path: Path) -> bytes:
    try:
        # Without O_NONBLOCK, opening a pipe would wait for somebody to write into it.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise BadInput(f"{path} is not a plain file; attach files one by one")
            raw = file.read(MAX_BYTES + 1)
            size = os.fstat(handle).st_size
    except IsADirectoryError:
        raise BadInput(f"{path} is a folder; attach its files one by one") from None
    except OSError as e:
        raise BadInput(f"{path} cannot be read: {e.strerror or e}") from None
    _check_bytes(path, raw, size)
    return raw


def _check_bytes(name: str | Path, raw: bytes, size: int) -> None:
    if len(raw) <= MAX_BYTES:
        return
    if is_picture(raw):
        check_size(str(name), size)
    raise BadInput(f"{name} is larger than {MAX_BYTES // 1_000_000} MB; attach a part of it")


def _decoded(path: Path, raw: bytes) -> str:
    """Text as UTF-8, or as UTF-16 where its first bytes say so."""
    wide = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return raw.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as e:
        raise BadInput(
            f"{path} is not UTF-8 text (byte {e.start + 1:,}); attach txt, md, code, csv, json, "
            "html, pdf or docx"
        ) from None


def _html(path: Path, raw: bytes) -> str:
    page = _Page()
    page.feed(_decoded(path, raw))
    page.end()
    lines = ("".join(page.pieces)).splitlines()
    return "\n".join(line.strip() for line in lines if line.strip())


class _Page(HTMLParser):
    """Text of a page, as far as a reader would see it."""

    HIDDEN = frozenset({"script", "style", "head", "template", "noscript", "svg"})
    BREAKS = frozenset(
        "p div br li tr h1 h2 h3 h4 h5 h6 section article header footer pre blockquote".split()
    )

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._hidden = 0

    def end(self) -> None:
        """Take what is left after a tag or comment that never ends.

        The parser itself would look for the end again from each `<`, for hours in a long page.
        """
        if len(self.rawdata) > LEFT_OVER:
            self.pieces.append(_TAG.sub(" ", self.rawdata))
            self.rawdata = ""
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self._hidden += tag in self.HIDDEN
        if tag in self.BREAKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in self.HIDDEN))
        if tag in self.BREAKS:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.pieces.append(data if data.strip() else " ")


def _pdf(path: Path, raw: bytes) -> tuple[Attachment, ...]:
    try:
        import pypdf  # noqa: F401 - whether it is there
    except ImportError:
        raise _missing("pdf") from None
    from mutual_dissent.briefing.inputs.scans import pages

    return _taken(path, lambda: pages(path.name, raw))


def _docx(path: Path, raw: bytes) -> tuple[Attachment, ...]:
    try:
        from docx import Document
    except ImportError:
        raise _missing("docx") from None
    from mutual_dissent.briefing.inputs.scans import media_pictures

    _check_unpacked(path, raw)

    def read() -> tuple[Attachment, ...]:
        text = "\n\n".join(_blocks(Document(BytesIO(raw))))
        document = (Attachment(name=path.name, text=text),)
        return document if text.strip() else media_pictures(path.name, raw) or document

    return _taken(path, read)


def _check_unpacked(path: Path, raw: bytes) -> None:
    """Refuse a small file that would become huge."""
    from zipfile import BadZipFile, ZipFile

    try:
        size = sum(entry.file_size for entry in ZipFile(BytesIO(raw)).infolist())
    except (BadZipFile, ValueError, NotImplementedError):
        return  # its reader says what is wrong with it
    if size > MAX_UNPACKED:
        raise BadInput(
            f"{path} would take {size // 1_000_000:,} MB unpacked, {MAX_UNPACKED // 1_000_000} are "
            "accepted; attach a part of it"
        )


def _blocks(document: Any) -> list[str]:
    rows = (row for table in document.tables for row in table.rows)
    cells = [" | ".join(cell.text for cell in row.cells) for row in rows]
    return [p.text for p in document.paragraphs if p.text.strip()] + cells


def _taken(path: Path, read: Callable[[], tuple[Attachment, ...]]) -> tuple[Attachment, ...]:
    try:
        with _unheard("pypdf"):
            return read()
    except BadInput:
        raise
    except Exception:  # noqa: BLE001 - a damaged file breaks its reader in any way
        raise BadInput(
            f"{path} is not a readable {path.suffix[1:].upper()}; if it is damaged or protected, "
            "save it anew or as text"
        ) from None


@contextmanager
def _unheard(library: str) -> Iterator[None]:
    """Within it, what a library remarks on a file goes nowhere: there is one sentence for it."""
    log, nowhere = logging.getLogger(library), logging.NullHandler()
    passed_on, log.propagate = log.propagate, False
    log.addHandler(nowhere)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.removeHandler(nowhere)
        log.propagate = passed_on


def _missing(kind: str) -> BadInput:
    return BadInput(f"reading {kind} files needs another package; install it with: {EXTRA}")


DOCUMENT_READERS: dict[str, Callable[[Path, bytes], tuple[Attachment, ...]]] = {
    ".pdf": _pdf,
    ".docx": _docx,
}
"""Suffix -> how text and pictures are taken from a document."""

READERS: dict[str, Callable[[Path, bytes], str]] = {
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
}
"""Suffix -> how its text is taken; every other file is read as text."""
