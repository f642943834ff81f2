"""Options rated on criteria, as one panelist says it."""

from __future__ import annotations

from dataclasses import dataclass

WORST, BEST = 1, 5
"""Scores of an option on a criterion."""
MOST_OPTIONS = MOST_CRITERIA = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A criterion of a decision, and its weight beside its author's other ones."""

    name: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionScore:
    """A score of one option on one criterion, and what it rests on."""

    option: str
    criterion: str
    score: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """One panelist's part of a decision.

    Attributes:
        options: the options that it names.
        criteria: its criteria with their weights.
        scores: its scores of the options of the whole panel.
        same: pairs of options, or of criteria, that it takes for the same.
    """

    options: tuple[str, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    scores: tuple[OptionScore, ...] = ()
    same: tuple[tuple[str, str], ...] = ()
