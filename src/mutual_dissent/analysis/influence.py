"""Influence: who moved towards whom, of those whose answers it had read."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.analysis.convergence import likeness
from mutual_dissent.analysis.reading import previous, said_before, seats_read
from mutual_dissent.core.transcript import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Influence:
    """How much nearer a reader came to what a source had said, -1 to 1; a correlation, no cause.

    Attributes:
        seats: the panel, in its order: rows and columns.
        matrix: reader -> source -> mean change in similarity; None where nothing was read.
        most_influential: the source that readers moved towards most, if any did.
    """

    seats: tuple[str, ...]
    matrix: dict[str, dict[str, float | None]]
    most_influential: str | None


def influence(t: Transcript) -> Influence:
    """Who moved towards whom, over all rounds."""
    seats = tuple(p.seat for p in t.panelists)
    moves: dict[tuple[str, str], list[float]] = {}
    for response in t.turns():
        before = previous(t, response) if response.usable else None
        if before is None:
            continue
        for source in seats_read(t, response):
            if said := said_before(t, source, response):
                nearer = likeness(response, said) - likeness(before, said)
                moves.setdefault((response.model_alias, source), []).append(nearer)
    matrix = {r: {s: _mean(moves.get((r, s))) for s in seats if s != r} for r in seats}
    return Influence(seats=seats, matrix=matrix, most_influential=_leader(matrix))


def _mean(values: list[float] | None) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _leader(matrix: dict[str, dict[str, float | None]]) -> str | None:
    """The source with the greatest sum of moves towards it; the first by name of equals."""
    total: dict[str, float] = {}
    for row in matrix.values():
        for source, moved in row.items():
            total[source] = total.get(source, 0.0) + (moved or 0.0)
    best = min(total, key=lambda s: (-round(total[s], 6), s), default=None)
    return best if best is not None and total[best] > 0 else None
