"""Movement in words: what each panelist says that it changed, and because of whom."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.analysis.convergence import Shift
from mutual_dissent.analysis.flips import Flip
from mutual_dissent.analysis.movement import Movement
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.aliases import letters, named
from mutual_dissent.views.measures import latest_shifts, moved
from mutual_dissent.views.names import name, names
from mutual_dissent.views.safe import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One panelist's last step, as it says itself."""

    seat: str
    words: str


def moves(t: Transcript) -> list[Move]:
    """Everyone's last step, in panel order; empty where nobody answered twice."""
    found = moved(t)
    if found is None:
        return []
    steps = latest_shifts(found)
    return [
        Move(
            seat=name(t, p.seat),
            words=_words(t, steps[p.seat], _flip(found, steps[p.seat])),
        )
        for p in t.panelists
        if p.seat in steps
    ]


def leader(t: Transcript) -> str:
    """Who moved others most, as they say themselves; empty where nobody did."""
    found = moved(t)
    first = found.influence.most_influential if found else None
    return f"{name(t, first)} moved others most, as they say." if first else ""


def _flip(found: Movement, step: Shift) -> Flip | None:
    same = (step.seat, step.round_number)
    return next((f for f in found.flips if (f.seat, f.round_number) == same), None)


def _words(t: Transcript, step: Shift, flip: Flip | None) -> str:
    if flip:
        who = letters(t)
        before, after = (one_line(named(x, who), 120) for x in (flip.before, flip.after))
        whom = f", because of {names(t, flip.towards)}" if flip.towards else ""
        return f"changed from {before} to {after}{whom}"
    return {"nothing": "says that it changed nothing", "detail": "changed a detail"}.get(
        step.change, "whether it changed was not measured"
    )
