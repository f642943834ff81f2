"""Untrusted Markdown made inert: it can be part of a document without changing it.

Headings move below the section they stand in, HTML is shown and not run, links and images become
text with their address, so that no renderer fetches anything. Fenced code gets a new fence, longer
than anything in it; elsewhere only code that provably is code keeps its characters untouched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutual_dissent.text.sanitize import plain

_MARKS = r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*"
_FENCE = re.compile(rf"^({_MARKS})(?:(`{{3,}})([^`]*)|(~{{3,}})(.*))$")
_QUOTE = re.compile(r"[ \t]*>")
_LANGUAGE = re.compile(r"^[A-Za-z0-9_+#.-]{1,20}$")
# Languages of blocks that GitHub and others draw instead of showing their code.
_DRAWN = frozenset("mermaid plantuml dot graphviz vega vega-lite geojson topojson stl math".split())
_HEADING = re.compile(rf"^({_MARKS})(#{{1,6}})(?=[ \t]|$)")
_UNDERLINE = re.compile(r"^([ \t>]*)(=+|-+)[ \t]*$")
_LINK = re.compile(
    # Blanks are bounded: a row of them could be divided in too many ways.
    r"(!?)\[([^\[\]]{0,500})\]\([ \t]{0,20}<?([^\s()<>]{0,2000})>?"
    r"(?:[ \t]{1,20}(?:\"[^\"]{0,500}\"|'[^']{0,500}'))?[ \t]{0,20}\)"
)
# What opens HTML, code, a numeric entity, a link or its definition, an image.
_SPECIAL = re.compile(r"\\.|[<`]|&(?=#)|\](?=[(:])|!(?=\[)")
_ENTITIES = {"<": "&lt;", "`": "&#96;", "&": "&amp;", "]": "] ", "!": "! "}
_MARK = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)|#")
_ADDRESS = re.compile(r"https?://[^\s#<>]{1,2000}")
_ACTIVE = re.compile(r"[<\[!&]")


def inert(text: str, below: int = 2) -> str:
    """Untrusted Markdown, safe inside a section whose own heading has the level `below`."""
    return "\n".join(_lines(plain(text).split("\n"), below)).strip("\n")


def inert_line(text: str) -> str:
    """A line of untrusted text inside a sentence, a heading or a table cell of ours."""
    flat = " ".join(plain(text).split())
    flat = _ADDRESS.sub(lambda a: _MARK.sub(lambda m: f"%{ord(m[0]):02X}", a[0]), flat)
    escaped = _MARK.sub(r"\\\g<0>", flat)
    return escaped.replace("&", "&amp;").replace("<", "&lt;")


def _lines(lines: list[str], below: int) -> Iterator[str]:
    at = 0
    while at < len(lines):
        if opened := _FENCE.match(lines[at]):
            end = _end_of_block(lines, at + 1, opened)
            yield from _refence(opened, lines[at + 1 : end])
            at = end + (end < len(lines) and bool(_closing(opened).match(lines[end])))
        else:
            yield from _line(lines[at], below)
            at += 1


def _end_of_block(lines: list[str], start: int, opened: re.Match[str]) -> int:
    """End of a code block: at its closing fence, with its quotation, or with the text."""
    close, quoted = _closing(opened), ">" in opened[1]
    for at in range(start, len(lines)):
        if close.match(lines[at]) or (quoted and not _QUOTE.match(lines[at])):
            return at
    return len(lines)


def _closing(opened: re.Match[str]) -> re.Pattern[str]:
    fence = opened[2] or opened[4]
    return re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[ \t]*$")


def _refence(opened: re.Match[str], body: list[str]) -> Iterator[str]:
    """A code block under a fence of our own."""
    body = [_dedent(line, len(opened[1])) for line in body]
    longest = max((len(run) for line in body for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    language = next(iter((opened[3] or opened[5] or "").split()), "")
    known = _LANGUAGE.match(language) and language.lower() not in _DRAWN
    yield f"{fence}{language if known else 'text' if language else ''}"
    yield from body
    yield fence


def _dedent(line: str, width: int) -> str:
    """The line without the indentation or the quotation marks that its block stands under."""
    return line[:width].lstrip(" \t>") + line[width:]


def _line(line: str, below: int) -> Iterator[str]:
    if under := _UNDERLINE.match(line):
        # A rule would make the line before it a heading; a row of = would, too.
        yield from (under[1].rstrip(), line) if under[2][0] == "-" else (f"{under[1]}\\{under[2]}",)
        return
    if heading := _HEADING.match(line):
        level = min(6, below + len(heading[2]))
        yield heading[1] + "#" * level + _inline(line[heading.end() :])
        return
    yield _inline(line)


def _inline(line: str) -> str:
    """One line outside of code blocks. Backticks that find no partner in it become text."""
    parts, at = [], 0
    for start, end in _code_spans(line):
        parts += [_text(line[at:start]), line[start:end]]
        at = end
    return "".join([*parts, _text(line[at:])])


def _code_spans(line: str) -> list[tuple[int, int]]:
    """Code spans of a line. None at all if renderers could read it otherwise than we do."""
    if "`" not in line or "\\`" in line:
        return []
    spans = list(_pairs([m.span() for m in re.finditer("`+", line)]))
    inside = [line[start:end] for start, end in spans]
    # In a table row a bar ends the cell even in code, and what follows would no longer be code.
    cells_may_cut = any("|" in s for s in inside) and any(_ACTIVE.search(s) for s in inside)
    return [] if cells_may_cut else spans


def _pairs(runs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Each run of backticks with the next of the same length, none within another."""
    following: dict[int, int] = {}
    partner = [0] * len(runs)
    for i in range(len(runs) - 1, -1, -1):
        length = runs[i][1] - runs[i][0]
        partner[i], following[length] = following.get(length, 0), i
    i = 0
    while i < len(runs):
        if partner[i]:
            yield runs[i][0], runs[partner[i]][1]
        i = max(i, partner[i]) + 1


def _text(text: str) -> str:
    text = _LINK.sub(_address, text) if "](" in text else text
    return _SPECIAL.sub(_harmless, text)


def _harmless(match: re.Match[str]) -> str:
    """Replacement for a special character; an escaped one that needs no care stays as it is."""
    escaped = len(match[0]) == 2 and match[0][1] not in "<`&"
    return match[0] if escaped else _ENTITIES[match[0][-1]]


def _address(link: re.Match[str]) -> str:
    kind, label, address = link[1], link[2].strip(), link[3]
    if kind:
        return f"(image: {label}, {address})" if label else f"(image: {address})"
    return f"{label} ({address})" if label and label != address else address
