"""Conflicts: issues on which the panel contradicts itself, and the holders of each side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mutual_dissent.analysis.rounds.clusters import cluster_of
from mutual_dissent.core.measures import DISAGREE, Cluster, Conflict, HeldPosition, Pair

MOST_ABOUT = 3


def conflicts(
    lines: Mapping[str, str], pairs: Sequence[Pair], clusters: Sequence[Cluster]
) -> tuple[Conflict, ...]:
    """One conflict for each set of clusters that contradict each other.

    Args:
        lines: seat -> its bottom line.
    """
    against = [p for p in pairs if p.relation == DISAGREE]
    sides = _linked_members((cluster_of(p.a, clusters), cluster_of(p.b, clusters)) for p in against)
    return tuple(_conflict(members, lines, against) for members in sides)


def _conflict(
    members: frozenset[str], lines: Mapping[str, str], against: Sequence[Pair]
) -> Conflict:
    within = [p for p in against if p.a in members and p.b in members]
    about = list(dict.fromkeys(words for p in within for words in p.about))
    held = tuple(HeldPosition(seat=s, stance=lines.get(s, "")) for s in sorted(members))
    return Conflict(
        issue="; ".join(about[:MOST_ABOUT]) or "the answer itself",
        reason=within[0].reason,
        positions=held,
    )


def _linked_members(links: Iterable[tuple[Cluster | None, Cluster | None]]) -> list[frozenset[str]]:
    """Members of clusters that are linked, directly or through other clusters."""
    sets: list[frozenset[str]] = []
    for a, b in links:
        both = frozenset((*(a.members if a else ()), *(b.members if b else ())))
        touched = [s for s in sets if s & both]
        sets = [s for s in sets if not s & both] + [both.union(*touched)]
    return sorted(sets, key=sorted)
