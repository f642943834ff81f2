"""Consensus: how far a round agrees, on what, and what is left open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mutual_dissent.analysis.claims import Claim, claim, clipped, principal
from mutual_dissent.analysis.clusters import (
    Cluster,
    Pair,
    clusters,
    judged_pairs,
    opinions,
)
from mutual_dissent.analysis.conflicts import Conflict, conflicts
from mutual_dissent.analysis.keypoints import key_points, one_line
from mutual_dissent.analysis.relations import RULES, Compare, Relation, between, by_rules
from mutual_dissent.core.response import Response

MOST_LISTED = 6
LOW_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Nuances:
    """What is neither agreement nor contradiction, each in a line."""

    partial: tuple[str, ...] = ()
    conditional: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    """What a round says as a whole.

    Attributes:
        agreement_level: 0 to 1, the mean over all pairs; None for fewer than two answers.
        clusters: who holds the same, the largest group first.
        common_ground: points that most of the panel makes and nobody contradicts.
        disagreement_points: what is contested, each in a line.
        reasoning: what this is based on.
        analyzer: who judged the pairs: `rules`, `semantic`, `model`.
        decided: the share of pairs on which the analyzer could tell.
        pairs: the verdicts that everything else is derived from.
    """

    agreement_level: float | None
    clusters: tuple[Cluster, ...] = ()
    common_ground: tuple[str, ...] = ()
    disagreement_points: tuple[str, ...] = ()
    nuances: Nuances = Nuances()
    conflicts: tuple[Conflict, ...] = ()
    reasoning: str = ""
    analyzer: str = RULES
    decided: float = 0.0
    pairs: tuple[Pair, ...] = ()


def consensus(
    responses: Sequence[Response], compare: Compare = by_rules, analyzer: str = RULES
) -> Consensus:
    """What the usable answers of a round say as a whole, judged pair by pair by `compare`."""
    answers = opinions(responses)
    pairs = judged_pairs(answers, compare)
    groups = clusters(answers, pairs)
    contested = conflicts(answers, pairs, groups)
    known = sum(p.relation != Relation.UNCERTAIN for p in pairs)
    return Consensus(
        agreement_level=level(pairs),
        clusters=groups,
        common_ground=_common_ground(answers, groups),
        disagreement_points=_contested(pairs, contested),
        nuances=_nuances(answers, pairs),
        conflicts=contested,
        reasoning=_reasoning(answers, pairs, groups, analyzer),
        analyzer=analyzer,
        decided=round(known / len(pairs), 4) if pairs else 0.0,
        pairs=pairs,
    )


def level(pairs: Sequence[Pair]) -> float | None:
    """The agreement of a round: agreeing pairs count 1, contradicting ones 0, others between."""
    return round(sum(p.credit for p in pairs) / len(pairs), 4) if pairs else None


def _common_ground(answers: Mapping[str, Response], groups: Sequence[Cluster]) -> tuple[str, ...]:
    """The points that more than half of the panel makes and nobody denies."""
    if len(answers) < 2:
        return ()
    points = {seat: [claim(p) for p in key_points(r)] for seat, r in answers.items()}
    found: list[Claim] = []
    for seat, own in points.items():
        others = [theirs for s, theirs in points.items() if s != seat]
        for point in own:
            if _is_common(point, others) and not any(_same(point, f) for f in found):
                found.append(point)
    shared = [one_line(c.text) for c in found[:MOST_LISTED]]
    if not shared and len(groups) == 1:
        shared = [groups[0].summary]
    return tuple(shared)


def _is_common(point: Claim, others: Sequence[Sequence[Claim]]) -> bool:
    makers = 1
    for theirs in others:
        judged = {between(point, t).relation for t in theirs if _touches(point, t)}
        if Relation.DISAGREE in judged:
            return False
        makers += Relation.AGREE in judged
    return makers > 1 and makers * 2 > len(others) + 1


def _touches(a: Claim, b: Claim) -> bool:
    """Whether comparing two claims can give anything: a cheap look before a dear one."""
    return a.text == b.text or len(a.signs.keys() & b.signs.keys()) >= min(
        2, len(a.signs), len(b.signs)
    )


def _same(a: Claim, b: Claim) -> bool:
    return _touches(a, b) and between(a, b).relation == Relation.AGREE


def _contested(pairs: Sequence[Pair], found: Sequence[Conflict]) -> tuple[str, ...]:
    """Every conflict, then what keeps partial agreements from being whole."""
    lines = [f"{c.issue}: {c.reason}" for c in found]
    lines += [f"{p.a} and {p.b}: {p.reason}" for p in pairs if p.relation == "disagree"]
    covered = len(found) == len([p for p in pairs if p.relation == "disagree"])
    return tuple(dict.fromkeys(lines[: len(found)] if covered else lines))[:MOST_LISTED]


def _nuances(answers: Mapping[str, Response], pairs: Sequence[Pair]) -> Nuances:
    mains = {s: principal(clipped(r.position or r.text))[:2] for s, r in answers.items()}
    conditional = [
        f"{s}: {one_line(c.text)}" for s, said in mains.items() for c in said if c.conditional
    ]
    hedged = [f"{s}: {one_line(c.text)}" for s, said in mains.items() for c in said if c.hedged]
    unsure = [
        f"{s} is {r.confidence:.0%} sure"
        for s, r in answers.items()
        if r.confidence is not None and 0 <= r.confidence < LOW_CONFIDENCE
    ]
    return Nuances(
        partial=tuple(f"{p.a} and {p.b}: {p.reason}" for p in pairs if p.relation == "partial")[
            :MOST_LISTED
        ],
        conditional=tuple(conditional[:MOST_LISTED]),
        uncertain=tuple((unsure + hedged)[:MOST_LISTED]),
    )


def _reasoning(
    answers: Mapping[str, Response],
    pairs: Sequence[Pair],
    groups: Sequence[Cluster],
    analyzer: str,
) -> str:
    if len(answers) < 2:
        return f"{len(answers) or 'No'} usable answer{'' if answers else 's'}: nothing to compare."
    tally = {r.value: sum(p.relation == r for p in pairs) for r in Relation}
    counted = ", ".join(f"{n} {name}" for name, n in tally.items() if n)
    sizes = ":".join(str(len(g.members)) for g in groups)
    shape = "all in one cluster" if len(groups) == 1 else f"clusters {sizes}"
    return (
        f"{len(pairs)} pairs of {len(answers)} answers compared by {analyzer}: {counted}; {shape}."
    )
