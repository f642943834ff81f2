"""Own words: what in a reply its author says itself, and what it only repeats from others.

Two kinds of quotation are known: Markdown quotes, lines that begin with `>`, and the fences in
which others' answers are shown, `[label | code]` to `[end | code]`.
"""

from __future__ import annotations

import re

MOST_TEXT = 200_000
"""The most characters of a reply that are looked at, counted from its end."""

_QUOTED_LINE = re.compile(r"^[ \t]{0,8}(?:[-*] )?>.*$", re.MULTILINE)
_FENCE = re.compile(r"\[([^\[\]|\n]{1,80})\|[ \t]{0,8}([0-9A-Za-z]{4,64})[ \t]{0,8}\]")


def own_words(reply: str) -> str:
    """The reply without quotations, each replaced by a line that says nothing.

    A fence that is opened and never closed hides nothing but itself. Of a reply that is too long
    the end is kept, without a quotation that began before it.
    """
    text = _QUOTED_LINE.sub("", _cut(reply).replace("\r\n", "\n"))
    fences = list(_FENCE.finditer(text))
    ends: dict[str, list[re.Match[str]]] = {}
    for fence in reversed(fences):
        if _is_end(fence):
            ends.setdefault(fence[2], []).append(fence)
    kept, at = [], 0
    for fence in fences:
        if fence.start() < at:
            continue
        kept.append(text[at : fence.start()])
        at = fence.end() if _is_end(fence) else _after(fence, ends.get(fence[2], []))
    return "\n\n".join([*kept, text[at:]])


def _after(fence: re.Match[str], ends: list[re.Match[str]]) -> int:
    """Where a quotation ends that begins with this fence. Earlier ends are used up on the way."""
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
