"""Movement: everything that changed over the rounds of a debate, in one piece."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mutual_dissent.analysis.rounds.confidence import ConfidenceChange, confidence_change
from mutual_dissent.analysis.rounds.convergence import Convergence, Flip, convergence, flips
from mutual_dissent.analysis.rounds.groupthink import groupthink
from mutual_dissent.analysis.rounds.influence import Influence, influence
from mutual_dissent.core.measures import Consensus, Groupthink
from mutual_dissent.core.transcript import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement:
    """Changes of a panel over its rounds; `groupthink` is about the last round."""

    convergence: Convergence
    influence: Influence
    flips: tuple[Flip, ...]
    confidence: tuple[ConfidenceChange, ...]
    groupthink: Groupthink


def movement(t: Transcript, by_round: Mapping[int, Consensus]) -> Movement:
    """Changes so far, given the consensus of each round."""
    moved = convergence(t, by_round)
    changed = flips(t, moved)
    return Movement(
        convergence=moved,
        influence=influence(t),
        flips=changed,
        confidence=tuple(change for r in t.turns() if (change := confidence_change(t, r, changed))),
        groupthink=warning(t, by_round),
    )


def warning(t: Transcript, by_round: Mapping[int, Consensus]) -> Groupthink:
    """The groupthink warning of the last round that has answers."""
    now = t.last_round
    consensus = by_round.get(now.round_number) if now else None
    if now is None or consensus is None:
        return Groupthink(detected=False)
    earlier = [r for r in t.rounds if r.round_number < now.round_number]
    before = by_round.get(earlier[-1].round_number) if earlier else None
    return groupthink(now, consensus, earlier, before)
