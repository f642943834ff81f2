"""Result of a vote in words: the winner, and its share of the possible points."""

from __future__ import annotations

from mutual_dissent.analysis.ballots.profile import Profile, profile
from mutual_dissent.core.measures import VoteResult
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.panel.names import names
from mutual_dissent.views.phrases import plural

BORDA, PLURALITY = "borda", "plurality"


def ballot_result(t: Transcript, votes: VoteResult) -> str:
    """The winner, its lead and the rule: `gpt ranked first: 7 of 9 points, borda`."""
    if not votes.winners:
        return "Nobody voted"
    who, rule = names(t, votes.winners), one_line(votes.rule, 30)
    verb = "tied for the first place" if len(votes.winners) > 1 else "ranked first"
    counted = _points(t, votes) or plural(votes.voters, "vote")
    return f"{who} {verb}: {counted}, {rule}"


def _points(t: Transcript, votes: VoteResult) -> str:
    """Points of the winner out of the possible ones; empty if the rule counts no points."""
    first = votes.winners[0]
    if votes.rule == PLURALITY:
        return f"{votes.scores.get(first, 0.0):g} of {plural(votes.voters, 'vote')}"
    ballots = _ballots(t) if votes.rule == BORDA else None
    if ballots is None:
        return ""
    got = most = 0.0
    for vote in ballots.votes:
        below = vote.size
        for level in vote.levels:
            below -= len(level)
            if first in level and vote.size > 1:
                # Candidates of one level share the points of their places.
                got += (below + (len(level) - 1) / 2) * vote.weight
                most += (vote.size - 1) * vote.weight
    return f"{got:g} of {most:g} points" if most else ""


def _ballots(t: Transcript) -> Profile | None:
    """The ballots of the last vote, as they were counted."""
    held = next((r for r in reversed(t.rounds) if r.measures.tally), None)
    if held is None:
        return None
    ballots = {r.model_alias: r.ballot for r in held.usable if r.ballot}
    return profile(ballots, _candidates(t, held))


def _candidates(t: Transcript, held: Round) -> list[str]:
    first = t.round(0)
    return [r.model_alias for r in (first.usable if first else held.usable)]
