"""Estimates compared: two quantities with ranges agree where each lies within the other's."""

from __future__ import annotations

from mutual_dissent.core.closing import Estimate
from mutual_dissent.core.figures.estimates import same_unit

SAME, NEAR, CLOSE, FAR = 1.01, 1.1, 1.25, 2.0
"""Up to the first ratio two estimates are the same number, without regard to their ranges; without
ranges up to the second, with ranges that hold each other's number up to the third; without ranges
they are different ones from the fourth on."""


def overlap(a: Estimate, b: Estimate) -> tuple[str, str] | None:
    """Relation of two estimates, and the reason; None if it cannot be told."""
    if not same_unit(a.unit, b.unit):
        return None
    words = f"{_words(a)} and {_words(b)}"
    ratio = _ratio(a, b)
    if ratio is not None and ratio <= SAME:
        return "agree", words
    mine, theirs = _range(a), _range(b)
    if mine is None or theirs is None:
        return _by_ratio(a, b, words)
    if max(mine[0], theirs[0]) > min(mine[1], theirs[1]):
        return "disagree", f"{words}: the ranges do not overlap"
    held = theirs[0] <= a.value <= theirs[1] and mine[0] <= b.value <= mine[1]
    if held and ratio is not None and ratio <= CLOSE:
        return "agree", f"{words}: each lies in the other's range"
    return "partly", f"{words}: the ranges overlap"


def _by_ratio(a: Estimate, b: Estimate, words: str) -> tuple[str, str] | None:
    if a.value == b.value:
        return "agree", words
    for one, other in ((a, b), (b, a)):
        if (range_ := _range(one)) and range_[0] <= other.value <= range_[1]:
            return "agree", f"{words}: within the range"
    if (ratio := _ratio(a, b)) is None:
        return None
    if ratio <= NEAR:
        return "agree", words
    return ("disagree", words) if ratio >= FAR else None


def _ratio(a: Estimate, b: Estimate) -> float | None:
    # No ratio tells how far -1 is from 1.
    if a.value <= 0 or b.value <= 0:
        return None
    return max(a.value, b.value) / min(a.value, b.value)


def _range(e: Estimate) -> tuple[float, float] | None:
    return None if e.low is None or e.high is None else (e.low, e.high)


def _words(e: Estimate) -> str:
    unit = f" {e.unit}" if e.unit else ""
    return f"{e.value:,.15g}{unit}"
