"""Clusters: which panelists hold the same position, from verdicts on pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from mutual_dissent.analysis.agreement import alike
from mutual_dissent.analysis.claims import clipped, keywords
from mutual_dissent.analysis.keypoints import position
from mutual_dissent.analysis.relations import Compare, Relation
from mutual_dissent.core.response import Response

CREDIT = {"agree": 1.0, "partial": 0.5, "uncertain": 0.5, "unrelated": 0.25, "disagree": 0.0}
"""How much a pair adds to the agreement of a round."""
LINK = {**CREDIT, "partial": 0.6}
"""How much a pair holds a cluster together: partial agreement binds, not knowing does not."""
_TOGETHER = 0.6
_THEME_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The verdict on two panelists' answers, their seats in alphabetical order."""

    a: str
    b: str
    relation: str
    confidence: float
    reason: str

    @property
    def credit(self) -> float:
        """How much it adds to agreement, 0 to 1."""
        return CREDIT[self.relation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Panelists that hold the same: what about, who, and the answer nearest to all of theirs."""

    theme: str
    members: tuple[str, ...]
    summary: str


Links = Mapping[tuple[str, str], Pair]


def opinions(responses: Iterable[Response]) -> dict[str, Response]:
    """Seat -> its answer, of those that count as opinions and say something, by name."""
    known = [r for r in responses if r.usable and r.text.strip()]
    known.sort(key=lambda r: (r.model_alias, r.round_number, r.text))
    return {r.model_alias: r for r in known}


def judged_pairs(answers: Mapping[str, Response], compare: Compare) -> tuple[Pair, ...]:
    """The verdict on every two answers, each pair compared once, in one order."""
    return tuple(_pair(answers[a], answers[b], compare) for a, b in combinations(answers, 2))


def groups(seats: Sequence[str], pairs: Iterable[Pair]) -> tuple[tuple[str, ...], ...]:
    """The seats in groups that agree on the whole and in which nobody contradicts another."""
    links = {(p.a, p.b): p for p in pairs}
    found: list[tuple[str, ...]] = [(s,) for s in sorted(seats)]
    while merge := _best_merge(found, links):
        rest = [g for g in found if g not in merge]
        found = sorted([*rest, tuple(sorted(merge[0] + merge[1]))])
    return tuple(sorted(found, key=lambda g: (-len(g), g)))


def clusters(answers: Mapping[str, Response], pairs: Sequence[Pair]) -> tuple[Cluster, ...]:
    """The positions of a round, the largest group first."""
    return tuple(_described(g, answers) for g in groups(list(answers), pairs))


def cluster_of(seat: str, found: Iterable[Cluster]) -> Cluster | None:
    """The cluster that a seat is in."""
    return next((c for c in found if seat in c.members), None)


def nearest(members: Sequence[str], answers: Mapping[str, Response]) -> str:
    """The member whose words are nearest to all the others'; the first by name of equals."""
    said = {m: clipped(answers[m].text) for m in members}
    total = {m: round(sum(alike(said[m], said[o]) for o in members if o != m), 9) for m in members}
    return min(sorted(members), key=lambda m: -total[m])


def _pair(a: Response, b: Response, compare: Compare) -> Pair:
    judged = compare(a, b)
    known = judged.relation in CREDIT
    return Pair(
        a=a.model_alias,
        b=b.model_alias,
        relation=str(judged.relation) if known else Relation.UNCERTAIN.value,
        confidence=min(1.0, max(0.0, float(judged.confidence))),
        reason=judged.reason,
    )


def _best_merge(
    found: Sequence[tuple[str, ...]], links: Links
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The two groups that belong together most, if any two do; the surest of equals."""
    best = None
    for g, h in combinations(found, 2):
        strength = _strength(g, h, links)
        if strength is not None and (best is None or strength > best[0]):
            best = (strength, (g, h))
    return best[1] if best else None


def _strength(g: tuple[str, ...], h: tuple[str, ...], links: Links) -> tuple[float, float] | None:
    """How strongly two groups are linked; None where they are not, or where two contradict."""
    between = [links[min(a, b), max(a, b)] for a in g for b in h]
    if any(p.relation == "disagree" for p in between):
        return None
    mean = sum(LINK[p.relation] for p in between) / len(between)
    sure = sum(p.confidence for p in between) / len(between)
    return (round(mean, 9), round(sure, 9)) if mean >= _TOGETHER else None


def _described(members: tuple[str, ...], answers: Mapping[str, Response]) -> Cluster:
    middle = nearest(members, answers)
    return Cluster(
        theme=theme([answers[m] for m in members], answers[middle]),
        members=members,
        summary=position(answers[middle]),
    )


def theme(said: Sequence[Response], middle: Response) -> str:
    """What some answers are about: the words that most of them share, as one of them has them."""
    shared = Counter(name for r in said for name in keywords(clipped(_core(r))))
    own = list(keywords(clipped(_core(middle))).items())
    ranked = sorted(range(len(own)), key=lambda i: (-shared[own[i][0]], i))[:_THEME_WORDS]
    return " ".join(own[i][1] for i in sorted(ranked))[:80]


def _core(r: Response) -> str:
    return r.position or r.text
