"""Key points: the points that an answer names itself, or the one that it comes to."""

from __future__ import annotations

from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.core.errors import clip
from mutual_dissent.core.form import MOST_POINTS
from mutual_dissent.core.response import Response

LONGEST_POINT = 240


def key_points(response: Response, query: str = "") -> tuple[str, ...]:
    """At most three points: those that the answer gives, else its bottom line, if any."""
    points = tuple(one_line(p) for p in response.key_points if p.strip())[:MOST_POINTS]
    if points:
        return points
    line = position(response, query)
    return (one_line(line),) if line else ()


def one_line(text: str, limit: int = LONGEST_POINT) -> str:
    """The beginning of a text, on one line."""
    return clip(" ".join(text[: limit * 4].split()), limit)
