"""Requests to the user, marked as such in a panelist's text; a bounded number of them."""

from __future__ import annotations

import re

from mutual_dissent.analysis.answers.own_words import own_words

MARK = "NEEDED FROM THE USER"
MOST = 3
MOST_LINE = 300
_MARKED = re.compile(rf"{MARK}\b[\s*_`]{{0,4}}:[\s*_`]{{0,4}}([^\n]{{1,2000}})", re.IGNORECASE)
_ASKS = re.compile(rf"[\s*_`#>\-•]{{0,8}}{MARK}\b", re.IGNORECASE)
_NOTHING = re.compile(r"(?:nothing|none|n/a|no)\W{0,3}", re.IGNORECASE)


def requests_in(text: str) -> tuple[str, ...]:
    """Questions that a text asks of the user, in its order."""
    if MARK.casefold() not in text.casefold():
        return ()  # as in nearly every answer, and found sooner than by a pattern
    questions = (
        " ".join(m[1].split()).strip("*_` ")[:MOST_LINE] for m in _MARKED.finditer(own_words(text))
    )
    asked = dict.fromkeys(f for f in questions if f and not _NOTHING.fullmatch(f))
    return tuple(asked)[:MOST]


def without_requests(text: str) -> str:
    """The text without the lines that ask something of the user: they have a place of their own."""
    if MARK.casefold() not in text.casefold():
        return text
    kept = [line for line in text.splitlines() if not _ASKS.match(line)]
    return "\n".join(kept).rstrip()
