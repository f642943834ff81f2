"""Flips: changes of a bottom line, and the panelists that caused them, in its author's words."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.analysis.rounds.convergence import YES, Convergence
from mutual_dissent.analysis.rounds.exposure import previous, seats_read
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A change of mind.

    Attributes:
        kind: how it is known: `said` by the panelist, or by `value` of its two bottom lines.
        read: the seats whose answers it had read.
        towards: those of them that it says moved it.
        reason: the reason, in its own words.
    """

    seat: str
    round_number: int
    kind: str
    before: str
    after: str
    read: tuple[str, ...]
    towards: tuple[str, ...]
    reason: str


def flips(t: Transcript, moved: Convergence) -> tuple[Flip, ...]:
    """Every change of a bottom line, round by round."""
    left = {(s.seat, s.round_number): s.source for s in moved.shifts if s.change == YES}
    found = []
    for response in t.turns():
        source = left.get((response.model_alias, response.round_number))
        before = previous(t, response) if source and response.usable else None
        if source and before:
            found.append(_flip(t, before, response, source))
    return tuple(found)


def _flip(t: Transcript, before: Response, after: Response, source: str) -> Flip:
    change = after.closing.change if after.closing else None
    return Flip(
        seat=after.model_alias,
        round_number=after.round_number,
        kind=source,
        before=(change.before if change else "") or position(before, t.query),
        after=(change.after if change else "") or position(after, t.query),
        read=seats_read(t, after),
        towards=change.because_of if change else (),
        reason=change.what if change else "",
    )
