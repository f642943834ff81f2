"""Lines of Markdown that a renderer would spoil: breaks that matter, tables that are too wide."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 60
"""Most lines of a text whose breaks may be part of it; a longer one is an essay."""

_WRAPPED = (50, 110)
"""Between these lengths, lines that end amid a sentence were wrapped to fit a page."""

_BLOCK = re.compile(r"^\s*(?:#{1,6}\s|>|[-*+]\s|\d{1,9}[.)]\s|\||(?:-{3,}|={3,}|_{3,}|\*{3,})\s*$)")
_BARE_NUMBER = re.compile(r"[-+]?\d{1,30}[.)]?")
_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})")
_MARKS = re.compile(r"\*\*|__|`|\[[^\]\n]{1,200}\]\(|^\s*(?:#{1,6}\s|>|[-*+]\s|\d{1,9}[.)]\s|\|)")


def is_verbatim(text: str) -> bool:
    """Return whether a text is to be shown as it stands, such as a poem: it has no Markdown."""
    lines = text.strip("\n").split("\n")
    if _BARE_NUMBER.fullmatch(text.strip()):
        return True  # "42." is an answer, and would be drawn as a list without items
    if not 1 < len(lines) <= LONGEST or any(_MARKS.search(line) for line in lines):
        return False
    return any(p for p in _paragraphs(lines) if len(p) > 1 and not _is_wrapped(p))


def keep_breaks(markdown: str) -> str:
    """The Markdown with marks at the ends of lines whose breaks matter."""
    lines = markdown.split("\n")
    if len(lines) > LONGEST:
        return markdown
    blocks: list[str] = []
    inside = False
    for paragraph in _blocks(lines):
        if _FENCE.match(paragraph[0]):
            inside = not inside
        plain = not inside and not any(_BLOCK.match(x) or _FENCE.match(x) for x in paragraph)
        if plain and len(paragraph) > 1 and not _is_wrapped(paragraph):
            blocks += [f"{x.rstrip()}  " for x in paragraph[:-1]]
            blocks.append(paragraph[-1])
        else:
            blocks += paragraph
    return "\n".join(blocks)


def _is_wrapped(lines: list[str]) -> bool:
    """Return whether the breaks of a paragraph are only those of a page."""
    low, high = _WRAPPED
    broken = lines[:-1]
    amid = sum(not line.rstrip().endswith((".", "!", "?")) for line in broken)
    # Verse has shorter lines; prose that was wrapped mostly breaks amid a sentence.
    return all(low <= len(line.rstrip()) <= high for line in broken) and amid * 2 >= len(broken)


def _paragraphs(lines: list[str]) -> list[list[str]]:
    return [p for p in _blocks(lines) if p[0].strip()]


def _blocks(lines: list[str]) -> list[list[str]]:
    """The lines between empty ones; each fence and each empty line is a list of its own."""
    blocks: list[list[str]] = []
    for line in lines:
        alone = not line.strip() or bool(_FENCE.match(line))
        if alone or not blocks or not blocks[-1][0].strip() or _FENCE.match(blocks[-1][0]):
            blocks.append([line])
        else:
            blocks[-1].append(line)
    return blocks


MOST_COLUMNS = 12
_RULE = frozenset("|-: \t>")


def undrawn(markdown: str) -> str:
    """Output of `inert` with its wide tables as lines of text."""
    return "\n".join(_lines(markdown.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    fence = ""
    for line in lines:
        if line.startswith("```"):
            run = line[: len(line) - len(line.lstrip("`"))]
            fence = "" if line == fence else fence or run
        if fence or line.count("|") <= MOST_COLUMNS:
            yield line
        elif _RULE.issuperset(line):
            # Escaped, or the row above it would become the head of a table after all.
            yield "\\" + line.strip() + "  "
        else:
            yield line + "  "  # a new line after it, as it was written
