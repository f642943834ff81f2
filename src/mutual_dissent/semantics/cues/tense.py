"""Phases and times: something lasts or is over, is done or still to come, and when."""

from __future__ import annotations

import re

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
