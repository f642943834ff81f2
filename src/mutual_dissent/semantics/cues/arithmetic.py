"""Amounts to be worked out: 'from 9 to 11' is two hours, 2010 and four years make 2014."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from mutual_dissent.semantics.cues.quantities import MeasuredQuantity, quantities

_YEAR, _HOUR, _MINUTE = 31_557_600.0, 3600.0, 60.0  # seconds
_SPAN = {  # the size of a step from one to the next, and its unit
    "year": ("time", _YEAR),
    "clock": ("time", _MINUTE),
    "count": ("time", _HOUR),
    "share": ("points", 100.0),
}
_NEAR = 0.01  # of a span; a year is met or missed
_DOWN = re.compile(r"\b(?:fell|falls?|fallen|drop\w*|declin\w+|decreas\w+|lower\w*|lost|down)\b")
_FROM_TO = re.compile(r"\s*(?:to|until|till|-|–)\s*")


def works_out(a: str, b: str) -> bool:
    """Return whether the amounts of one text follow from those of the other."""
    return _follows(a, b) or _follows(b, a)


def _follows(text: str, other: str) -> bool:
    down = _DOWN.search(other.lower()) is not None
    spans = [] if down else [*_spans(text)]
    reckoned = [*spans, *_years(quantities(text))]
    return any(
        q.dimension == dimension and abs(q.value - value) <= _slack(dimension, value)
        for dimension, value in reckoned
        for q in quantities(other)
    )


def _slack(dimension: str, value: float) -> float:
    return 0.0 if dimension == "year" else _NEAR * value


def _spans(text: str) -> Iterator[tuple[str, float]]:
    """'From 4 to 6 percent': how far up."""
    for p, q in pairwise(quantities(text)):
        opened = text[max(0, p.start - 6) : p.start].lower().endswith("from ")
        linked = _FROM_TO.fullmatch(text[p.end : q.start])
        alike = q.dimension in _SPAN and p.dimension in ("count", q.dimension)
        if opened and linked and alike:
            dimension, size = _SPAN[q.dimension]
            start = p.value / 100 if q.dimension == "share" and p.value > 1 else p.value
            yield dimension, (q.value - start) * size


def _years(quantities_: list[MeasuredQuantity]) -> Iterator[tuple[str, float]]:
    """'In 2010, four years later': the year that is meant."""
    for p in quantities_:
        for q in quantities_:
            if p.dimension == "year" and q.dimension == "time" and q.value >= _YEAR:
                yield "year", p.value + round(q.value / _YEAR)
                yield "year", p.value - round(q.value / _YEAR)
