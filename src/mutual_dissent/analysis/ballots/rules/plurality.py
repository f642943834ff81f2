"""Plurality: only first places count."""

from __future__ import annotations

from mutual_dissent.analysis.ballots.profile import Profile
from mutual_dissent.analysis.ballots.rules.rule import Rule, RuleTally


def tally(profile: Profile) -> RuleTally:
    """One vote a voter, in equal parts for those that it ties for the first place."""
    votes = dict.fromkeys(profile.candidates, 0.0)
    for vote in profile.votes:
        top = vote.levels[0]
        for candidate in top:
            votes[candidate] += vote.weight / len(top)
    return RuleTally.of(votes)


PLURALITY = Rule(
    name="plurality",
    summary="The most first places win; a tied first place is split.",
    unit="first places",
    tally=tally,
)
