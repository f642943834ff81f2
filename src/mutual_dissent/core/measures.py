"""Measures of a round: what was found when it ended, as it goes on record with `RoundEnded`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.codec.plain import Malformed, from_plain
from mutual_dissent.core.stopping import Exit

BY_VALUE, BY_ESTIMATE = "value", "estimate"
"""Sources of a pair's relation: closed answers compared, or the ranges of two estimates."""
AGREE, PARTLY, DISAGREE, UNMEASURED = "agree", "partly", "disagree", "unmeasured"
NOBODY = "nobody"
Ranking = tuple[tuple[str, ...], ...]
"""Candidates, best first, ties together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Relation of two panelists' answers, their seats in alphabetical order.

    Attributes:
        relation: `agree`, `partly`, `disagree`, or `unmeasured` where nobody can tell.
        source: who says so: `said` by the two themselves, by `value`, by `estimate`, by the
            embedded model on one-sentence claims (`claim`), or `implied`: both agree with a third.
        a_says: what the first says about the second; None where it says nothing.
        b_says: the other way round.
        a_about: on what the first says that they differ.
        b_about: on what the second says so.
    """

    a: str
    b: str
    relation: str = UNMEASURED
    source: str = ""
    reason: str = ""
    a_says: str | None = None
    b_says: str | None = None
    a_about: str = ""
    b_about: str = ""

    @property
    def about(self) -> tuple[str, ...]:
        """Points on which they differ, in the words of either."""
        return tuple(dict.fromkeys(words for words in (self.a_about, self.b_about) if words))

    @property
    def measured(self) -> bool:
        """Tell whether anything is known of it."""
        return self.relation in (AGREE, PARTLY, DISAGREE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Panelists that hold the same: who, and what, in the bottom line of one of them.

    Attributes:
        summary: the bottom line of its `spokesman`.
    """

    theme: str
    members: tuple[str, ...]
    summary: str
    spokesman: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldPosition:
    """Stance of one panelist on an issue."""

    seat: str
    stance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """An issue on which answers contradict each other, why, and everyone's stance in it."""

    issue: str
    reason: str
    positions: tuple[HeldPosition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nuances:
    """Positions that neither agree nor contradict, each in a line."""

    partial: tuple[str, ...] = ()
    conditional: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    """The consensus of a round.

    Attributes:
        agreement_level: 0 to 1, the mean over the pairs that were measured; None where too little
            was: fewer than two thirds of the pairs, or parts of the panel not linked by any.
        clusters: who holds the same, the largest group first.
        common_ground: what everybody holds, where all hold the same.
        disagreement_points: what is contested, each in a line.
        reasoning: what this is based on.
        analyzer: who told: the `panel` itself, or its bottom lines compared as `estimates`,
            `values` or `claims`; `nobody` where nothing was measured.
        decided: the share of pairs that were measured.
        pairs: what is known of every pair; all else is derived from it.
        silent: the seats that answered and took no position.
        support: the weight behind each group of closed answers, where the rule weighs votes.
    """

    agreement_level: float | None
    clusters: tuple[Cluster, ...] = ()
    common_ground: tuple[str, ...] = ()
    disagreement_points: tuple[str, ...] = ()
    nuances: Nuances = Nuances()
    conflicts: tuple[Conflict, ...] = ()
    reasoning: str = ""
    analyzer: str = NOBODY
    decided: float = 0.0
    pairs: tuple[Pair, ...] = ()
    silent: tuple[str, ...] = ()
    support: tuple[float, ...] = ()

    @property
    def weightiest(self) -> Cluster | None:
        """The group with the most weight, where groups were weighed and one has it alone."""
        most = max(self.support, default=0.0)
        alone = self.support.count(most) == 1 and len(self.support) == len(self.clusters)
        return self.clusters[self.support.index(most)] if alone else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Groupthink(Shape):
    """Signs that a panel agreed too easily: two of them make a warning."""

    detected: bool
    indicators: tuple[str, ...] = ()
    recommendation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteResult:
    """Result of a vote, and how far it depends on the voters.

    Attributes:
        winners: who won; several have tied, none if nobody voted.
        scores: the higher, the better; what they count is the rule's own.
        ranking: all candidates, best first, ties together.
        stability: the share of electorates, drawn with replacement from the voters, in which the
            same ones win; None for fewer than two voters, or if it was not asked for.
        condorcet: who beats every other one in a direct comparison, whatever the rule says.
    """

    rule: str
    winners: tuple[str, ...]
    scores: dict[str, float]
    ranking: Ranking
    stability: float | None = None
    explanation: str = ""
    condorcet: str | None = None
    voters: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Findings of a round; None where it was not measured.

    Attributes:
        same_findings: of a review, the findings that are one and the same, each by `SEAT/NUMBER`.
    """

    agreement: float | None = None
    measure: str = ""
    disagreements: int | None = None
    consensus: Consensus | None = None
    groupthink: Groupthink | None = None
    exit: Exit | None = None
    tally: VoteResult | None = None
    same_findings: tuple[tuple[str, ...], ...] | None = None

    @property
    def known(self) -> dict[str, Any]:
        """By name, what was measured."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in found.items() if value not in (None, "")}

    def merge(self, newer: Measures) -> Measures:
        """The measures with those that were taken since; a new consensus voids all of the old."""
        before = Measures() if newer.consensus else self
        return replace(before, **newer.known)


def measures_from_plain(plain: Mapping[str, Any]) -> Measures:
    """The measures as far as they can be read: others are of another version, or made by hand."""
    while True:
        try:
            return from_plain(Measures, plain)
        except Malformed as e:
            # Without the field that is in the way; it ends, since every turn drops one.
            plain = {name: value for name, value in plain.items() if name != e.path[0]}
