"""Days of the week, months and seasons that differ, where only one can be meant."""

from __future__ import annotations

import re

_KINDS = (
    "monday tuesday wednesday thursday friday saturday sunday",
    # Without May, which is more often a verb.
    "january february march april june july august september october november december",
    "spring summer autumn winter",
)
_SAME = {"fall": "autumn"}
_ON = re.compile(
    r"\b(?:on|in|this|next|every|each|during|for|late|early|until|by)\s+(?:the\s+)?([a-z]+)\b"
)
_MOVED = re.compile(r"\b(?:after|before|from|since|moved|instead|not|rather)\b")


def dates_differ(a: str, b: str) -> bool:
    """Return whether each text names one day, month or season, and the two differ."""
    low = (a.lower(), b.lower())
    if any(_MOVED.search(t) for t in low):
        return False
    one, two = (_dates(t) for t in low)
    return any(len(x) == 1 == len(y) and x != y for x, y in zip(one, two, strict=True))


def _dates(low: str) -> list[set[str]]:
    """The days, months and seasons in the place of a date."""
    words = {_SAME.get(w, w).removesuffix("s") for w in _ON.findall(low)}
    return [words & set(kind.split()) for kind in _KINDS]
