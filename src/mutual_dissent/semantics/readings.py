"""What the model reads of two answers, and how much of a round's time each reading may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mutual_dissent.semantics.claims import claims, gist

FULL = 126  # pieces a side; more was not seen in training
SHORT = 40  # words; a longer answer is also read by its gist
_LEAST = 24
_GIST = 2  # sentences
_ROUND_TOKENS = 6_000  # what one core reads in some two seconds; a round of answers gets no more
_ROUND_PAIRS = 28  # of eight panelists; more pairs get more time
_PIECE = 4.4  # characters, on average


@dataclass(frozen=True)
class Reading:
    """Two texts as the model will read them, how much the reading counts, and where it is cut."""

    pair: int
    a: str
    b: str
    weight: float = 1.0
    longest: int = FULL


def of_answers(pair: int, a: str, b: str) -> list[Reading]:
    """A short answer is one claim; a long one is read as a whole and by its gist."""
    read = Reading(pair, a, b)
    if not is_long(read):
        return [read]
    return [
        Reading(pair, _prose(a), _prose(b)),
        Reading(pair, _gist(a), _gist(b)),
    ]


def is_long(read: Reading) -> bool:
    """Whether one of the two is longer than a claim."""
    return max(len(read.a.split(None, SHORT)), len(read.b.split(None, SHORT))) > SHORT


def within_budget(readings: list[Reading], pairs: int) -> list[Reading]:
    """As many readings as the time of a round allows; where it is short, the gists, cut."""
    budget = _ROUND_TOKENS * max(1.0, pairs / _ROUND_PAIRS)
    if _cost(readings) <= budget:
        return readings
    last = list({r.pair: r for r in readings}.values())
    longest = FULL
    while longest > _LEAST and _cost(last) > budget:
        longest -= 4
        last = [replace(r, longest=longest) for r in last]
    return last


@lru_cache(64)
def _prose(answer: str) -> str:
    """An answer without code, marks and list signs."""
    return " ".join(c.text for c in claims(answer))


@lru_cache(64)
def _gist(answer: str) -> str:
    return gist(answer, _GIST)


def _cost(readings: Sequence[Reading]) -> float:
    """Pieces to be read, both directions."""
    return sum(
        2 * (min(r.longest, len(r.a) / _PIECE) + min(r.longest, len(r.b) / _PIECE))
        for r in readings
    )
