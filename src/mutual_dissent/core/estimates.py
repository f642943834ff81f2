"""Estimates: a round's answers in figures that name nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mutual_dissent.core.response import Response


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """How sure the panel is, and which way it leans.

    Attributes:
        answers: how many there are.
        confidence: lowest, median and highest; None if nobody said how sure it is.
        stances: stance -> how many take it.
    """

    answers: int
    confidence: tuple[float, float, float] | None
    stances: Mapping[str, int]


def estimates(responses: Sequence[Response]) -> Estimates:
    """The figures of some answers."""
    return Estimates(
        answers=len(responses),
        confidence=_spread(sorted(r.confidence for r in responses if r.confidence is not None)),
        stances=Counter(r.stance for r in responses if r.stance),
    )


def _spread(values: Sequence[float]) -> tuple[float, float, float] | None:
    if not values:
        return None
    middle = (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
    return values[0], middle, values[-1]
