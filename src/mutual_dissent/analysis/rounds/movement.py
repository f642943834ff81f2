"""Movement: everything that changed over the rounds of a debate, and whom that is owed to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mutual_dissent.analysis.rounds.confidence import ConfidenceChange, confidence_change
from mutual_dissent.analysis.rounds.convergence import Convergence, Flip, convergence, flips
from mutual_dissent.analysis.rounds.exposure import previous, seats_read
from mutual_dissent.analysis.rounds.groupthink import groupthink
from mutual_dissent.core.measures import Consensus, Groupthink
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript

WEIGHT = {"yes": 1.0, "detail": 0.5}
"""Credit for a change that a panelist owes to another: of its bottom line, or of a detail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Influence:
    """Share of readings after which readers say that a source moved them; stated, not proved.

    Attributes:
        seats: the panel, in its order: rows and columns.
        matrix: reader -> source -> the share of its readings after which it changed because of
            the source, details counted half; None if it read nothing or did not say.
        most_influential: the source that moved other panelists most, if one did.
    """

    seats: tuple[str, ...]
    matrix: dict[str, dict[str, float | None]]
    most_influential: str | None


def influence(t: Transcript) -> Influence:
    """Influence of each seat on each other one, over all rounds."""
    seats = tuple(p.seat for p in t.panelists)
    moves: dict[tuple[str, str], list[float]] = {}
    for response in t.turns():
        # A first answer cannot have been changed by anybody.
        if not response.usable or previous(t, response) is None:
            continue
        for source in seats_read(t, response):
            if (owed := _credit(response, source)) is not None:
                moves.setdefault((response.model_alias, source), []).append(owed)
    matrix = {r: {s: _mean(moves.get((r, s))) for s in seats if s != r} for r in seats}
    return Influence(seats=seats, matrix=matrix, most_influential=_leader(matrix))


def _credit(response: Response, source: str) -> float | None:
    """Credit that a response gives a source for its change; None if it says nothing of a change."""
    change = response.closing.change if response.closing else None
    if change is None:
        return None
    return WEIGHT.get(change.kind, 0.0) if source in change.because_of else 0.0


def _mean(values: list[float] | None) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _leader(matrix: dict[str, dict[str, float | None]]) -> str | None:
    """The source with the greatest sum of changes owed to it; None if several are equal."""
    total: dict[str, float] = {}
    for row in matrix.values():
        for source, moved in row.items():
            total[source] = total.get(source, 0.0) + (moved or 0.0)
    most = max(total.values(), default=0.0)
    first = [s for s in total if total[s] == most]
    return first[0] if most > 0 and len(first) == 1 else None


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
