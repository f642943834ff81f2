"""Own words: what the author of a reply says itself, without what it quotes from others.

Two kinds of quotation are known: Markdown quotes, lines that begin with `>`, and the fences in
which other answers are shown, `[label | code]` to `[end | code]`. Every reader of a reply (for a
ballot, a mark, a closing line, a field) reads it without them. A block of code counts as a
quotation if the reply says the same thing outside of it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_TEXT = 200_000
"""The most characters of a reply that are looked at, counted from its end."""

# A quotation may stand in a list: "- > BOTTOM LINE: ...".
_QUOTED_LINE = re.compile(r"^[ \t]{0,8}(?:[-*] )?>.*$", re.MULTILINE)
# As `prompts/fences.py` writes them, and with other blanks or a code of another length.
_FENCE = re.compile(r"\[([^\[\]|\n]{1,80})\|[ \t]{0,8}([0-9A-Za-z]{4,64})[ \t]{0,8}\]")
_CODE = re.compile(r"^[ \t]{0,8}(?:`{3,}|~{3,}).*$", re.MULTILINE)


def own_words(reply: str) -> str:
    """The reply without quotations, each replaced by a line that says nothing.

    A fence that is opened and never closed hides nothing but itself. Of a reply that is too long
    the end is kept, without a quotation that began before it.
    """
    text = _QUOTED_LINE.sub("", _cut(reply).replace("\r\n", "\n"))
    kept, at = [], 0
    for start, end in _fence_spans(text):
        kept.append(text[at:start])
        at = end
    return "\n\n".join([*kept, text[at:]])


def own_object(reply: str) -> str:
    """The same for a reply that may be one JSON object, which is its author's own as it stands.

    Nothing inside its strings can pass for a field, so it needs no search for quotations.
    """
    from mutual_dissent.analysis.answers.json_in_text import whole_object

    return own_words(reply) if whole_object(reply) is None else reply


def without_code(text: str) -> str:
    """The text without its blocks of code; one that is never closed reaches to the end."""
    kept, at = [], 0
    for start, end in _code_spans(text):
        kept.append(text[at:start])
        at = end
    return "\n".join([*kept, text[at:]])


def last_code(text: str) -> str:
    """Content of the code block that ends a text; empty if the text does not end with one."""
    blocks = list(_code_spans(text))
    if not blocks or text[blocks[-1][1] :].strip():
        return ""
    return _CODE.sub("", text[slice(*blocks[-1])])


def quoted_lines(lines: list[str]) -> set[int]:
    """The numbers of the lines that are quotations, or stand in one."""
    quoted = {n for n, line in enumerate(lines) if ">" in line and _QUOTED_LINE.match(line)}
    spans, at = list(_fence_spans("\n".join(lines))), 0
    for number, line in enumerate(lines if spans else ()):
        while spans and spans[0][1] <= at:
            del spans[0]
        if spans and spans[0][0] <= at:
            quoted.add(number)
        at += len(line) + 1
    return quoted


def _fence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each quotation between fences."""
    fences = list(_FENCE.finditer(text))
    ends: dict[str, list[re.Match[str]]] = {}
    # Last ones first, so that the next end of a code is popped from the end of its list.
    for fence in reversed(fences):
        if _is_end(fence):
            ends.setdefault(fence[2], []).append(fence)
    at = 0
    for fence in fences:
        if fence.start() < at:
            continue
        # An end without a beginning hides nothing but itself.
        at = fence.end() if _is_end(fence) else _after(fence, ends.get(fence[2], []))
        yield fence.start(), at


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each code block, marks included."""
    marks = list(_CODE.finditer(text))
    for opened, closed in zip(marks[::2], [*marks[1::2], None], strict=False):
        yield opened.start(), closed.end() if closed else len(text)


def _after(fence: re.Match[str], ends: list[re.Match[str]]) -> int:
    """End of the quotation that begins with this fence. Drops earlier ends from `ends`."""
    while ends and ends[-1].start() < fence.end():
        ends.pop()
    return ends[-1].end() if ends else fence.end()


def _is_end(fence: re.Match[str]) -> bool:
    return fence[1].strip().casefold() == "end"


def _cut(reply: str) -> str:
    if len(reply) <= MOST_TEXT:
        return reply
    text = reply[-MOST_TEXT:].partition("\n")[2]  # half a line may be half a quotation
    opened = set()
    for fence in _FENCE.finditer(text):
        if not _is_end(fence):
            opened.add(fence[2])
        elif fence[2] not in opened:
            return text[fence.end() :]
    return text
