"""Elections: the ballots of a stored debate, and its candidates."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.analysis.ballots.profile import Ranking
from mutual_dissent.core.transcript import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Election:
    """Voter -> its latest ballot, and the seats that stood, in panel order."""

    ballots: dict[str, Ranking]
    candidates: tuple[str, ...]


def election(debate: Transcript) -> Election:
    """Candidates and ballots of a debate's vote; no ballots if there was no vote.

    Candidates are the panelists with a usable answer, and everyone named on a ballot.
    """
    ballots = {
        r.model_alias: r.ballot for _, r in debate.responses() if r.ballot is not None and r.usable
    }
    named = {seat for ballot in ballots.values() for level in ballot for seat in level}
    answered = {r.model_alias for r in debate.turns() if r.usable}
    seats = [p.seat for p in debate.panelists]
    return Election(
        ballots=ballots,
        candidates=tuple(s for s in seats if s in answered | named),
    )
