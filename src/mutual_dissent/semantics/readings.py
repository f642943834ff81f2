"""Readings of two answers by the model, and the share of a round's time for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mutual_dissent.semantics.claims import claims, ends

FULL = 126  # pieces a side; more was not seen in training
SHORT = 40  # words; a longer answer is also read by its ends
_LEAST = 24
_WORTH_READING = 64  # pieces of a whole answer; cut to fewer it says less than its ends
_ROUND_TOKENS = 6_000  # tokens that one core reads in two seconds; the limit for a whole round
_ROUND_PAIRS = 28  # of eight panelists; more pairs get more time
_PIECE = 4.4  # characters, on average


@dataclass(frozen=True)
class PassagePair:
    """Two texts as the model will read them, the weight of the reading, and where it is cut."""

    pair: int
    a: str
    b: str
    weight: float = 1.0
    longest: int = FULL
    of_long: bool = False  # a part of a long answer, however short it is itself


def of_answers(pair: int, a: str, b: str) -> list[PassagePair]:
    """A short answer is one claim; a long one is read as a whole and by its ends."""
    read = PassagePair(pair, a, b)
    if not is_long(read):
        return [read]
    return [
        PassagePair(pair, _prose(a), _prose(b), of_long=True),
        PassagePair(pair, _ends(a), _ends(b), of_long=True),
    ]


def is_long(read: PassagePair) -> bool:
    """Return whether one of the two is longer than a claim, or was before it was cut."""
    if read.of_long:
        return True
    return max(len(read.a.split(None, SHORT)), len(read.b.split(None, SHORT))) > SHORT


def within_budget(readings: list[PassagePair], pairs: int) -> list[PassagePair]:
    """As much as the time of a round allows: all, all of it cut a little, or the ends, cut."""
    budget = _ROUND_TOKENS * max(1.0, pairs / _ROUND_PAIRS)
    fitting = _cut_to(readings, budget, _WORTH_READING)
    if _cost(fitting) <= budget:
        return fitting
    # The last reading of a pair stays, which is that of its ends (`of_answers`).
    return _cut_to(list({r.pair: r for r in readings}.values()), budget, _LEAST)


def _cut_to(readings: list[PassagePair], budget: float, least: int) -> list[PassagePair]:
    """The readings, each cut until all fit, but not to less than some pieces."""
    longest = FULL
    while longest > least and _cost(readings) > budget:
        longest -= 4
        readings = [replace(r, longest=longest) for r in readings]
    return readings


@lru_cache(64)
def _prose(answer: str) -> str:
    """An answer without code, marks and list signs."""
    return " ".join(c.text for c in claims(answer))


@lru_cache(64)
def _ends(answer: str) -> str:
    return ends(answer)


def _cost(readings: Sequence[PassagePair]) -> float:
    """Pieces to be read, both directions."""
    return sum(
        2 * (min(r.longest, len(r.a) / _PIECE) + min(r.longest, len(r.b) / _PIECE))
        for r in readings
    )
