"""Dissent: who stands where besides the largest group, who was made to, and who is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.measures import Findings
from mutual_dissent.views.phrases import listed, reason, round_name
from mutual_dissent.views.safe import one_line

LONGEST = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What a group of panelists holds; `how` says in which way it stands apart."""

    members: tuple[str, ...]
    names: tuple[str, ...]
    how: str
    text: str

    @property
    def line(self) -> str:
        """The position in one line."""
        return f"{listed(list(self.names))} ({self.how}): {self.text}"


def minorities(t: Transcript, found: Findings) -> list[Position]:
    """Every position other than that of the largest group; all of them where none is larger."""
    groups = found.consensus.clusters
    largest = max((len(g.members) for g in groups), default=0)
    has_majority = len(groups) > 1 and len(groups[1].members) < largest
    shown = groups[1:] if has_majority else groups if len(groups) > 1 else ()
    against = found.contradictors | _in_conflict(found)
    return [
        Position(
            members=g.members,
            names=tuple(_name(t, m) for m in g.members),
            how="contradicted" if against.intersection(g.members) else "apart, not contradicted",
            text=one_line(g.summary, LONGEST),
        )
        for g in shown
    ]


def dissent_title(found: Findings) -> str:
    """What the minority positions are called: dissent only where somebody contradicts."""
    return "dissent" if found.split else "other positions"


def reservations(t: Transcript) -> list[str]:
    """Stances that were not the assigned ones, and members that are missing, in a line each."""
    return list(dict.fromkeys((*_stances(t), *_absences(t))))


def _name(t: Transcript, seat: str) -> str:
    """A seat with the part it was given: who has to oppose does not dissent of its own accord."""
    part = next((p.role or p.team for p in t.panelists if p.seat == seat), None)
    return one_line(f"{seat} as {part}" if part else seat, 60)


def _in_conflict(found: Findings) -> frozenset[str]:
    return frozenset(p.seat for c in found.consensus.conflicts for p in c.positions)


def _stances(t: Transcript) -> Iterator[str]:
    for r in t.turns():
        for flag in r.flags:
            if flag.startswith("stance"):
                who = one_line(r.model_alias, 40)
                yield f"{who} ({round_name(r.round_number)}): {one_line(flag, 120)}"


def _absences(t: Transcript) -> Iterator[str]:
    for r in t.absent:
        where = round_name(r.round_number, r.role)
        yield f"{one_line(r.model_alias, 40)} was not heard in {where} ({reason(r)})"
