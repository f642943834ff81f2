"""Verbatim quotes: check that a panelist wrote the words that another one quotes from it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

MOST_ANSWER = 200_000
"""Characters of an answer in which words are looked for."""

MOST_QUOTE = 2_000
"""Longest quote that is looked up; a longer one counts as not found."""

# Characters; shorter parts between dots would be found in any text.
_LEAST_PART = 6
_SPACED = 0x0E00
"""Scripts below this code put blanks between words: there, a quote has to be of whole words."""

_LINK = re.compile(r"!?\[([^\]\n]{1,300})\]\([^()\s]{1,500}\)")
_LINE_START = re.compile(r"^[ \t]{0,20}(?:(?:[-+•*>#]{1,6}|\d{1,3}[.)])[ \t]{1,9})+", re.MULTILINE)
_ALIKE = str.maketrans(
    {**dict.fromkeys("‘’‚‛`´ʼ", "'"), **dict.fromkeys("‐‑‒–—―−", "-"), "…": "...", "|": " "}
)
# Markup and quotation marks, soft hyphens and blanks without width.
_DROPPED = re.compile(r"[*_`\"“”„‟«»‹›「」『』\u00ad\u200b-\u200d\ufeff]|~~")
_GAP = re.compile(r"\s?[\[(]?\s?\.\.\.\s?[\])]?\s?")
_BEFORE, _AFTER = " .,;:", " .,;:!?'-"


def is_in(quote: str, texts: Iterable[str]) -> bool:
    """Return whether a quote stands in one of some texts.

    Whitespace, markup, typographic signs, the case of its first letter and the sign that it ends
    with are passed over. Three dots inside it join parts that stand there in that order.
    """
    parts = _parts(quote) if len(quote) <= MOST_QUOTE else []
    return bool(parts) and any(_in_order(parts, plain(t[:MOST_ANSWER])) for t in texts)


def plain(text: str) -> str:
    """The text without differences that leave the words the same."""
    text = unicodedata.normalize("NFC", text)
    text = _LINE_START.sub(" ", _LINK.sub(r"\1", text))
    return " ".join(_DROPPED.sub("", text.translate(_ALIKE)).split())


def _parts(quote: str) -> list[str]:
    """Parts to find, in order; empty if pieces are too small to mean anything."""
    pieces = (p.lstrip(_BEFORE).rstrip(_AFTER) for p in _GAP.split(plain(quote)))
    parts = [p for p in pieces if p]
    if len(parts) > 1 and any(len(p) < _LEAST_PART for p in parts):
        return []
    return parts


def _in_order(parts: Sequence[str], text: str) -> bool:
    at = 0
    for part in parts:
        # Who quotes amid a sentence writes a small letter where the text begins with a capital.
        ends = [e for p in {part, part[0].swapcase() + part[1:]} if (e := _end(p, text, at))]
        if not ends:
            return False
        at = min(ends)
    return True


def _end(part: str, text: str, at: int) -> int:
    """End of a part that stands as whole words in a text; 0 if it does not."""
    start = text.find(part, at)
    while start >= 0:
        end = start + len(part)
        if not _inside_word(text, start) and not _inside_word(text, end):
            return end
        start = text.find(part, start + 1)
    return 0


def _inside_word(text: str, at: int) -> bool:
    """Return whether a place in a text lies within a word."""
    around = text[max(0, at - 1) : at + 1]
    return 0 < at < len(text) and all(c.isalnum() and ord(c) < _SPACED for c in around)
