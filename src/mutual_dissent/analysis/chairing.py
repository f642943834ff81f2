"""Chairing: what the chairman of a council is told, the votes counted for it."""

from __future__ import annotations

from dataclasses import replace

from mutual_dissent.analysis.decisions import decide
from mutual_dissent.analysis.elections import election
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.sight import Seen, Votes, council
from mutual_dissent.core.transcript import Transcript


def council_with_votes(so_far: Transcript, reader: Panelist) -> Seen:
    """The first answers, what the panel said about them, and what the ballots came to."""
    return replace(council(so_far, reader), votes=votes(so_far))


def votes(so_far: Transcript) -> Votes:
    """The count of a debate's ballots, nobody's vote for itself among them."""
    held = election(so_far)
    outcome = decide(held.ballots, held.candidates, resample=False)
    ranked = sorted(outcome.scores.items(), key=lambda row: -row[1])
    return Votes(
        rule=outcome.rule,
        ballots=outcome.voters,
        points=tuple(ranked),
        winners=outcome.winners,
    )
