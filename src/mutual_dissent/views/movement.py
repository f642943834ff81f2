"""Movement in words: the changes that each panelist states, and their causes."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.analysis.rounds.convergence import DETAIL, NOTHING, Flip
from mutual_dissent.analysis.rounds.movement import Movement
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.findings import find_movement
from mutual_dissent.views.panel.names import letters, name, names, replace_letters
from mutual_dissent.views.phrases import clip

UNMEASURED = "whether it changed was not measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Changes of one panelist over the whole debate, in its own words."""

    seat: str
    words: str


def moves(t: Transcript) -> list[Move]:
    """Every panelist's changes, in panel order; empty if none answered twice."""
    movement = find_movement(t)
    if movement is None:
        return []
    return [
        Move(seat=name(t, p.seat), words=_words(t, movement, p.seat))
        for p in t.panelists
        if any(s.seat == p.seat for s in movement.convergence.shifts)
    ]


def leader(t: Transcript) -> str:
    """The panelist that moved others most, as they say themselves; empty if none did."""
    movement = find_movement(t)
    first = movement.influence.most_influential if movement else None
    moved_by = (
        [r for r, row in movement.influence.matrix.items() if row.get(first)]
        if movement and first
        else []
    )
    if not first or not moved_by:
        return ""
    if len(moved_by) == 1:
        return f"{name(t, moved_by[0])} says that {name(t, first)} moved it."
    return f"{name(t, first)} moved others most, as they say."


def _words(t: Transcript, movement: Movement, seat: str) -> str:
    """The last change of its bottom line; else whether it changed anything in any round."""
    if flips := [f for f in movement.flips if f.seat == seat]:
        then = _details(t, seat, after=flips[-1].round_number)
        return f"{_flip_sentence(t, flips[-1])}{f'; then a detail: {then}' if then else ''}"
    shifts = [s for s in movement.convergence.shifts if s.seat == seat]
    changes = {s.change for s in shifts}
    if DETAIL in changes:
        details = _details(t, seat)
        return f"says that it changed a detail{f': {details}' if details else ''}"
    if changes != {NOTHING}:
        return UNMEASURED
    is_said = all(s.source == "said" for s in shifts)
    return "says that it changed nothing" if is_said else "gives the same bottom line as before"


def _details(t: Transcript, seat: str, after: int = -1) -> str:
    """Details that a panelist changed after a round, in its own words, round by round."""
    own = (r for r in t.turns() if r.model_alias == seat and r.round_number > after and r.closing)
    made = (r.closing.change for r in own if r.closing)
    changes = [
        replace_letters(c.what, letters(t)).rstrip(" .") for c in made if c and c.kind == "detail"
    ]
    return clip("; then: ".join(filter(None, changes)), 400)


def _flip_sentence(t: Transcript, flip: Flip) -> str:
    who = letters(t)
    before, after = (one_line(replace_letters(x, who), 120) for x in (flip.before, flip.after))
    whom = f", because of {names(t, flip.towards)}" if flip.towards else ""
    return f"changed from {before} to {after}{whom}"
