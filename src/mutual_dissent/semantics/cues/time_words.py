"""Cues of time: days, months and seasons; what lasts or is over, is done or still to come."""

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


_LOOK = 400
_NOT_YET = re.compile(r"\b(?:not|n['’]t|yet to)\b(?: [\w']+){0,5} yet\b|\bnot yet\b|\bstill not\b")
_ALREADY = re.compile(r"\balready\b")
_STILL = re.compile(r"\bstill\b|\bto this day\b|\bcontinues? to\b")
_OVER = re.compile(
    r"\bno longer\b|\bused to\b|\b(?:not|n['’]t) (?:[\w']+ ){0,5}any ?more\b|"
    r"\b(?:stopped|ceased|quit|gave up|given up|formerly)\b|"
    r"\b(?:finished|ended|closed|left|moved)\b.{0,40}\bago\b"
)
_TIMES = re.compile(
    r"\b(first|second|third|fourth|last) (quarter|half|year|month|week|round|season|day)\b|"
    r"\b(?:in|during) (?:the )?(1[6-9]\d\d|20\d\d)\b|"
    r"\b(?:in|during) the (morning|afternoon|evening)\b"
)
_OPPOSED = (frozenset({"still", "over"}), frozenset({"already", "not yet"}))


def phase(text: str) -> str:
    """'still', 'over', 'already' or 'not yet', if a text says so."""
    low = text[:_LOOK].lower()
    # The longer ones first: "still not" has a "still" in it.
    names = {"not yet": _NOT_YET, "already": _ALREADY, "over": _OVER, "still": _STILL}
    return next((name for name, pattern in names.items() if pattern.search(low)), "")


def phases_oppose(a: str, b: str) -> bool:
    """Return whether one text says that something lasts or is done and the other denies it."""
    return frozenset({phase(a), phase(b)}) in _OPPOSED


def at_other_times(a: str, b: str) -> bool:
    """Return whether each text speaks of one time, and the two differ."""
    one, two = (set(_TIMES.findall(t[:_LOOK].lower())) for t in (a, b))
    return len(one) == 1 == len(two) and one != two
