"""Borda: places count, and no candidate loses by not having voted for itself."""

from __future__ import annotations

from mutual_dissent.analysis.ballots.profile import Profile
from mutual_dissent.analysis.ballots.rules.rule import Rule, RuleTally


def tally(profile: Profile) -> RuleTally:
    """The mean place of each candidate, from 0 (last) to 1 (first).

    A voter with n candidates to judge (its own is not among them) gives each of them
    (those placed below it + half of those tied with it) / (n - 1). A candidate's score is the mean
    over the voters that could judge it. So every ballot weighs the same however many it is about,
    and a candidate that votes is not behind one whose voter failed. A voter with one candidate
    to judge compares nothing and is left out.
    """
    points = dict.fromkeys(profile.candidates, 0.0)
    voters = dict.fromkeys(profile.candidates, 0)
    for vote in profile.votes:
        below = size = vote.size
        if size < 2:
            continue
        for level in vote.levels:
            below -= len(level)
            share = (below + (len(level) - 1) / 2) / (size - 1)
            for candidate in level:
                points[candidate] += share * vote.weight
                voters[candidate] += vote.weight
    return RuleTally.of({c: points[c] / (voters[c] or 1) for c in points})


BORDA = Rule(
    name="borda",
    summary="The best mean place wins; nobody's vote counts for its own answer.",
    unit="mean place, 0 to 1",
    tally=tally,
)
