"""Movement in words: what each panelist says that it changed, and because of whom."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.analysis.convergence import Shift
from mutual_dissent.analysis.flips import Flip
from mutual_dissent.analysis.movement import Movement
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.measures import latest_shifts, moved
from mutual_dissent.views.phrases import listed
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
            seat=one_line(p.seat, 40),
            words=_words(steps[p.seat], _flip(found, steps[p.seat])),
        )
        for p in t.panelists
        if p.seat in steps
    ]


def leader(t: Transcript) -> str:
    """Towards whom the others moved most, as a sentence; empty where nobody did."""
    found = moved(t)
    name = found.influence.most_influential if found else None
    return f"The others moved most towards {one_line(name, 40)}." if name else ""


def _flip(found: Movement, step: Shift) -> Flip | None:
    same = (step.seat, step.round_number)
    return next((f for f in found.flips if (f.seat, f.round_number) == same), None)


def _words(step: Shift, flip: Flip | None) -> str:
    if flip:
        near = listed([one_line(s, 40) for s in flip.towards])
        whom = f", because of {near}" if near else ""
        return f"changed from {one_line(flip.before, 120)} to {one_line(flip.after, 120)}{whom}"
    return {"nothing": "changed nothing", "detail": "changed a detail"}.get(
        step.change, "whether it changed was not measured"
    )
