"""Clusters: panelists with the same position, by every pair; and the conflicts between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from mutual_dissent.core.errors import clip
from mutual_dissent.core.measures import (
    AGREE,
    DISAGREE,
    PARTLY,
    Cluster,
    Conflict,
    HeldPosition,
    Pair,
)
from mutual_dissent.core.response import Response

SAID, BY_CLAIM = "said", "claim"
IMPLIED = "implied"
CREDIT = {AGREE: 1.0, PARTLY: 0.5, DISAGREE: 0.0}
"""Credit of a measured pair towards the agreement of a round."""
_TOGETHER = 0.75  # mean credit: each partial pair needs a full agreement beside it
_SEEN_DIFFERENTLY = 0.4  # less than a partial pair: one side sees a contradiction
_LONGEST_THEME = 80


Links = Mapping[tuple[str, str], Pair]


def opinions(responses: Iterable[Response]) -> dict[str, Response]:
    """Seat -> its answer, of those that say something, by name."""
    known = [r for r in responses if r.usable and r.text.strip()]
    # The dict keeps the last of each seat: its latest answer, the same one in any order of input.
    known.sort(key=lambda r: (r.model_alias, r.round_number, r.text))
    return {r.model_alias: r for r in known}


def clusters(
    seats: Sequence[str], pairs: Sequence[Pair], lines: Mapping[str, str]
) -> tuple[Cluster, ...]:
    """The positions of a round, the largest group first.

    Args:
        lines: seat -> its bottom line.
    """
    return tuple(_describe(g, pairs, lines) for g in groups(seats, pairs))


def groups(seats: Sequence[str], pairs: Iterable[Pair]) -> tuple[tuple[str, ...], ...]:
    """Group the seats by what they hold; no two members of a group contradict each other."""
    links = {(p.a, p.b): p for p in pairs}
    merged: list[tuple[str, ...]] = [(s,) for s in sorted(seats)]
    while merge := _best_merge(merged, links):
        rest = [g for g in merged if g not in merge]
        merged = sorted([*rest, tuple(sorted(merge[0] + merge[1]))])
    return tuple(sorted(merged, key=lambda g: (-len(g), g)))


def cluster_of(seat: str, clusters_: Iterable[Cluster]) -> Cluster | None:
    """The cluster that a seat is in."""
    return next((c for c in clusters_ if seat in c.members), None)


def pair_of(a: str, b: str, pairs: Iterable[Pair]) -> Pair | None:
    """The pair of two seats, if there is one."""
    return next((p for p in pairs if (p.a, p.b) == (min(a, b), max(a, b))), None)


def spokesman(members: Sequence[str], pairs: Sequence[Pair], lines: Mapping[str, str]) -> str:
    """The member that most of its group agree with; of equals, the one with the shortest line."""
    agreed = dict.fromkeys(members, 0)
    for pair in pairs:
        if pair.relation == AGREE and pair.a in agreed and pair.b in agreed:
            agreed[pair.a] += 1
            agreed[pair.b] += 1
    stated = [m for m in members if lines.get(m)] or list(members)
    return min(stated, key=lambda m: (-agreed[m], len(lines.get(m, "")), m))


def _best_merge(
    groups_: Sequence[tuple[str, ...]], links: Links
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The two groups that belong together most, if any two do."""
    best = None
    for g, h in combinations(groups_, 2):
        strength = _strength(g, h, links)
        if strength is not None and (best is None or strength > best[0]):
            best = (strength, (g, h))
    return best[1] if best else None


def _strength(g: tuple[str, ...], h: tuple[str, ...], links: Links) -> tuple[float, int] | None:
    """Strength of the link between two groups; None if there is none, or if members contradict.

    Unmeasured pairs neither link nor separate: only measured ones link two groups.
    """
    between = [p for a in g for b in h if (p := links.get((min(a, b), max(a, b)))) and p.measured]
    if not between or any(p.relation == DISAGREE for p in between):
        return None
    mean = sum(_link(p) for p in between) / len(between)
    # Rounded: the sum depends on the order of its terms, and which groups merge must not.
    return (round(mean, 9), len(between)) if mean >= _TOGETHER else None


def _link(pair: Pair) -> float:
    """Partial agreement alone does not bind, least of all where one sees a contradiction."""
    if DISAGREE in (pair.a_says, pair.b_says):
        return _SEEN_DIFFERENTLY
    return CREDIT[pair.relation]


def _describe(members: tuple[str, ...], pairs: Sequence[Pair], lines: Mapping[str, str]) -> Cluster:
    speaks = spokesman(members, pairs, lines)
    line = lines.get(speaks, "")
    theme = clip(line, _LONGEST_THEME)
    return Cluster(theme=theme, members=members, summary=line, spokesman=speaks)


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
