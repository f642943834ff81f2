"""Superlatives: 'the fastest', 'nobody is faster than', against 'somebody is faster'."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mutual_dissent.semantics.cues.comparisons import quality, ranking
from mutual_dissent.semantics.cues.rules import content, negations

_LOOK = 400
_FIRST = re.compile(
    r"^(.{2,60}?) (?:is|are|was|were|has|have|had|remains?) (?:by far )?(?:the|its)?\s?"
    r"(?:(most|least) (\w+)|(\w{2,}est|best|worst))\b"
)
_NONE = re.compile(
    r"^(?:no|nobody|none|nothing|no one)\b.{0,60}?\b(?:(more|less) (\w+)|(\w{2,}er|better|worse))"
    r"\b.{0,30}? than (.{2,60})"
)
_WORST = {"best": "better", "worst": "worse"}


@dataclass(frozen=True)
class Top:
    """The thing that comes first in a quality; the sign is -1 if it has the least of it."""

    subject: frozenset[str]
    quality: str
    sign: int


def top(text: str) -> Top | None:
    """The thing that a text puts above or below all others."""
    low = text[:_LOOK].lower()
    if none := _NONE.match(low):
        more, of, word, subject = none.groups()
        name, sign = quality(word or of)
        return Top(content(subject), name, -sign if more == "less" else sign)
    first = _FIRST.match(low)
    if first is None or negations(low):
        return None
    subject, most, of, word = first.groups()
    # "Fastest" is looked up as "faster", which the table has.
    name, sign = quality(of or _WORST.get(word) or f"{word[:-3]}er")
    return Top(content(subject), name, -sign if most == "least" else sign)


def compare_tops(a: str, b: str) -> str | None:
    """Return 'alike' if two texts name the same first one, 'reversed' if another is above it."""
    one, two = top(a), top(b)
    if one is not None and two is not None:
        if one.quality != two.quality or not one.subject & two.subject:
            return None
        return "alike" if one.sign == two.sign else "reversed"
    if one is None and two is None:
        return None
    return "reversed" if _above(one or two, b if one else a) else None


def _above(first: Top | None, text: str) -> bool:
    """Return whether the text ranks another thing above the first one."""
    other = ranking(text)
    if first is None or other is None or other.quality != first.quality or negations(text):
        return False
    if abs(other.sign) != 1:
        return False
    behind, ahead = (
        (other.right, other.left) if other.sign == first.sign else (other.left, other.right)
    )
    return bool(behind & first.subject) and not ahead & first.subject
