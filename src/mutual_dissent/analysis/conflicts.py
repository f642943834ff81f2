"""Conflicts: what the panel contradicts itself about, and who holds what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mutual_dissent.analysis.claims import clipped, keywords
from mutual_dissent.analysis.clusters import Cluster, Pair, cluster_of
from mutual_dissent.analysis.keypoints import position
from mutual_dissent.core.response import Response

_ISSUE_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What one panelist holds on an issue."""

    seat: str
    stance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """An issue on which answers contradict each other, why, and everyone's stance in it."""

    issue: str
    reason: str
    positions: tuple[Held, ...]


def conflicts(
    answers: Mapping[str, Response], pairs: Sequence[Pair], clusters: Sequence[Cluster]
) -> tuple[Conflict, ...]:
    """One conflict for each set of clusters that contradict each other."""
    against = [p for p in pairs if p.relation == "disagree"]
    sides = _joined((cluster_of(p.a, clusters), cluster_of(p.b, clusters)) for p in against)
    return tuple(_conflict(members, answers, against) for members in sides)


def issue(a: Response, b: Response) -> str:
    """What two answers are both about, in the words of one of them."""
    mine = keywords(clipped(a.position or a.text))
    theirs = keywords(clipped(b.position or b.text))
    both = [word for name, word in mine.items() if name in theirs]
    return " ".join(both[:_ISSUE_WORDS])[:120] or "the answer itself"


def _conflict(
    members: frozenset[str], answers: Mapping[str, Response], against: Sequence[Pair]
) -> Conflict:
    within = [p for p in against if p.a in members and p.b in members]
    surest = min(within, key=lambda p: (-p.confidence, p.a, p.b))
    held = tuple(Held(seat=s, stance=position(answers[s])) for s in sorted(members))
    return Conflict(
        issue=issue(answers[surest.a], answers[surest.b]), reason=surest.reason, positions=held
    )


def _joined(links: Iterable[tuple[Cluster | None, Cluster | None]]) -> list[frozenset[str]]:
    """The members of clusters that are linked, directly or through others."""
    found: list[frozenset[str]] = []
    for a, b in links:
        both = frozenset((*(a.members if a else ()), *(b.members if b else ())))
        touched = [s for s in found if s & both]
        found = [s for s in found if not s & both] + [both.union(*touched)]
    return sorted(found, key=sorted)
