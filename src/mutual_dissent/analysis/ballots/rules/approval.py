"""Approval: the upper half of each ballot counts, and all of it alike."""

from __future__ import annotations

from functools import partial

from mutual_dissent.analysis.ballots.profile import Profile, Vote
from mutual_dissent.analysis.ballots.rules.rule import Rule, RuleTally


def tally(profile: Profile, cut: int | None = None) -> RuleTally:
    """Count the voters that approve of each candidate.

    A voter approves of the first `cut` places, by default half of the candidates that it judges,
    rounded up. Tied candidates stand or fall together: a level counts if it begins within the cut.
    A candidate that a ballot does not name is never approved.
    """
    approvals = dict.fromkeys(profile.candidates, 0.0)
    for vote in profile.votes:
        for candidate in approved_candidates(vote, cut):
            approvals[candidate] += vote.weight
    return RuleTally.of(approvals)


def approved_candidates(vote: Vote, cut: int | None = None) -> list[str]:
    """Candidates that a voter approves of."""
    places = min((vote.size + 1) // 2 if cut is None else cut, vote.named)
    candidates: list[str] = []
    for level in vote.levels:
        if len(candidates) < places:
            candidates += level
    return candidates


def with_cut(cut: int) -> Rule:
    """Approval of the first `cut` places."""
    return Rule(
        name="approval",
        summary=f"The most voters that place it among their first {cut} win.",
        unit="approvals",
        tally=partial(tally, cut=cut),
    )


APPROVAL = Rule(
    name="approval",
    summary="The most voters that place it in the upper half of their ballot win.",
    unit="approvals",
    tally=tally,
)
