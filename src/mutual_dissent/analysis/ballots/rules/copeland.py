"""Copeland: every pair is a match, and wins are counted."""

from __future__ import annotations

from mutual_dissent.analysis.ballots.profile import Profile
from mutual_dissent.analysis.ballots.rules.rule import Rule, RuleTally


def tally(profile: Profile) -> RuleTally:
    """A point for each candidate that more voters place below it than above it, half for a tie."""
    return RuleTally.of(
        {
            a: sum(_point(profile.margin(a, b)) for b in profile.candidates if b != a)
            for a in profile.candidates
        }
    )


def _point(margin: int) -> float:
    return 1.0 if margin > 0 else 0.5 if margin == 0 else 0.0


COPELAND = Rule(
    name="copeland",
    summary="The most direct comparisons won wins; a drawn one is half a win.",
    unit="comparisons won",
    tally=tally,
)
