"""The text under review: its documents, their lines, and parts that a reviewer takes at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal

from mutual_dissent.core.brief import Attachment, Brief

LEAST_PART = 2_000
"""Characters that a part may have, however small a context is."""

PROSE = (".md", ".markdown", ".txt", ".rst", ".pdf", ".docx", ".html", ".htm", ".tex", ".adoc")
_FILE = re.compile(r"^diff --git ", re.MULTILINE)
_NEW_NAME = re.compile(r"^\+\+\+ (?:b/)?([^\t\n]{1,500})", re.MULTILINE)
_OLD_NAME = re.compile(r"^--- (?:a/)?([^\t\n]{1,500})", re.MULTILINE)
# For files without "+++" lines: binary ones, renames, changes of mode.
_GIT_NAMES = re.compile(r"^diff --git a/.{1,500}? b/(.{1,500})$", re.MULTILINE)
_HUNK = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")
# "## Scope", "§ 4 Liability", "Article 3 ...", "2.1 Deadlines"
_HEADING = re.compile(
    r"#{1,6}\s{1,9}(\S.{0,200})|((?:§|Article|Section|\d{1,3}(?:\.\d{1,3}){0,4}\.?)\s\S.{0,100})$"
)


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of a document: its number there, and what it says without the sign of a diff."""

    number: int | None
    text: str
    heading: str = ""
    sign: Literal["", "+", "-"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewText:
    """One document under review, as it was attached and line by line."""

    name: str
    text: str
    is_diff: bool
    lines: tuple[TextLine, ...] = field(repr=False)


def documents(brief: Brief) -> tuple[ReviewText, ...]:
    """Documents under review: what is attached, a diff file by file; else the query itself."""
    attached = brief.context or (Attachment(name="the query", text=brief.query),)
    return tuple(_document(piece) for a in attached for piece in files_of(a))


def files_of(attached: Attachment) -> Iterator[Attachment]:
    """The files of a diff, each under its name; anything else as it is."""
    starts = [m.start() for m in _FILE.finditer(attached.text)]
    if not starts:
        yield attached
        return
    if attached.text[: starts[0]].strip():
        yield Attachment(name=attached.name, text=attached.text[: starts[0]])
    for start, end in zip(starts, [*starts[1:], len(attached.text)], strict=True):
        text = attached.text[start:end]
        yield Attachment(name=_name_in(text) or attached.name, text=text)


def parts(brief: Brief) -> tuple[tuple[Attachment, ...], ...]:
    """Parts that reviewers are shown at once: all of it, or as many as contexts make necessary."""
    if not brief.context:
        return ((),)
    most = brief.part_size
    if most is None or sum(len(a.text) for a in brief.context) <= most:
        return (brief.context,)
    packed: list[list[Attachment]] = []
    room = 0
    pieces = (p for a in brief.context for file in files_of(a) for p in _pieces(file, most))
    for piece in pieces:
        if not packed or len(piece.text) > room:
            packed.append([])
            room = most
        packed[-1].append(piece)
        room -= len(piece.text)
    return tuple(tuple(part) for part in packed)


def _name_in(diff: str) -> str:
    for pattern in (_NEW_NAME, _OLD_NAME):
        found = pattern.search(diff)
        if found and found[1].strip() != "/dev/null":
            return found[1].strip()
    names = _GIT_NAMES.search(diff)
    return names[1].strip() if names else ""


def _document(attached: Attachment) -> ReviewText:
    # At the beginning of a line: prose may speak of "@@ -1 +1 @@".
    is_diff = bool(_HUNK.search(attached.text)) and "\n@@" in f"\n{attached.text}"
    lines = _diff_lines(attached.text) if is_diff else _plain_lines(attached)
    return ReviewText(name=attached.name, text=attached.text, is_diff=is_diff, lines=tuple(lines))


def _diff_lines(text: str) -> Iterator[TextLine]:
    number = 0
    for line in text.splitlines():
        if hunk := _HUNK.match(line):
            number = int(hunk[1])
        elif not number:
            continue  # the head of a file
        elif line.startswith("-"):
            # A line that is gone has the number of the one that stands there now.
            yield TextLine(number, line[1:], sign="-")
        # "\ No newline at end of file" is no line.
        elif not line.startswith("\\"):
            yield TextLine(number, line[1:], sign="+" if line.startswith("+") else "")
            number += 1


def _plain_lines(attached: Attachment) -> Iterator[TextLine]:
    name, heading = attached.name.lower(), ""
    # In code, "# note" is a remark and no heading. Pasted text and the query have no ending.
    prose = name.endswith(PROSE) or "." not in name
    for number, line in enumerate(attached.text.splitlines(), start=1):
        if prose and (found := _HEADING.match(line.strip())):
            heading = (found[1] or found[2]).strip()
        yield TextLine(number, line, heading)


def _pieces(file: Attachment, most: int) -> Iterator[Attachment]:
    """A file that is too long in pieces, cut where a hunk, a heading or a line begins."""
    if len(file.text) <= most:
        yield file
        return
    lines = [piece for line in file.text.splitlines(keepends=True) for piece in _cut(line, most)]
    head = _head_of_diff(lines, most)
    blocks = _blocks(lines[head:], most)
    starts = list(accumulate((b.count("\n") for b in blocks), initial=1 + head))
    for n, block in enumerate(blocks):
        # Every piece of a diff begins with its head: without it, a piece has no file name.
        begin = "" if n == 0 and not head else "".join(lines[:head])
        span = f"{starts[n]:,}-{max(starts[n], starts[n + 1] - 1):,}"
        of = "lines of the diff" if head else "lines"
        yield Attachment(name=f"{file.name} ({of} {span})", text=begin + block)


def _head_of_diff(lines: list[str], most: int) -> int:
    """Number of lines before the first hunk, which every piece of a diff begins with."""
    head = next((n for n, line in enumerate(lines) if _HUNK.match(line)), 0)
    return head if sum(map(len, lines[:head])) < most // 4 else 0


def _blocks(lines: list[str], most: int) -> list[str]:
    """Lines in blocks of at most so many characters, which rather begin with a hunk or heading."""
    # A quarter of a part is left for the head of a diff (see `_head_of_diff`).
    most = max(LEAST_PART, most * 3 // 4)
    blocks: list[str] = []
    block: list[str] = []
    size = best = 0
    for line in lines:
        if size + len(line) > most and block:
            keep = best or len(block)
            blocks.append("".join(block[:keep]))
            block = block[keep:]
            size, best = sum(map(len, block)), 0
        if block and (_HUNK.match(line) or _HEADING.match(line)):
            best = len(block)
        block.append(line)
        size += len(line)
    return [*blocks, "".join(block)] if block else blocks


def _cut(line: str, most: int) -> Iterator[str]:
    """A line, or pieces of one that is longer than a part."""
    room = max(LEAST_PART, most * 3 // 4)
    yield from (line[at : at + room] for at in range(0, len(line), room))
