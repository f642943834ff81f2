"""Convergence: how far each panelist stays with what it said, and when the panel came to rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mutual_dissent.analysis.agreement import alike
from mutual_dissent.analysis.claims import clipped
from mutual_dissent.analysis.clusters import Cluster, opinions
from mutual_dissent.analysis.consensus import Consensus, consensus
from mutual_dissent.analysis.reading import previous
from mutual_dissent.analysis.relations import RULES, Compare, by_rules
from mutual_dissent.core.response import Response
from mutual_dissent.core.stats import SETTLED
from mutual_dissent.core.transcript import Transcript

UNMOVED = 0.9
STABLE_AFTER = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """One panelist's way from its last answer to this one.

    Attributes:
        similarity: of the two answers, 0 to 1.
        same_cluster: whether it still stands where it stood.
        stable: whether it has not moved over the last two transitions.
    """

    seat: str
    round_number: int
    similarity: float
    same_cluster: bool
    stable: bool

    @property
    def unmoved(self) -> bool:
        """Whether it said nearly the same, in the same cluster."""
        return self.same_cluster and self.similarity >= UNMOVED


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """The panel's way through the rounds.

    Attributes:
        shifts: one for each panelist and round after its first.
        stable_rounds: how many of the last transitions left everyone unmoved.
        stable: the seats that are stable after the last round.
        rounds_to_convergence: the first round that agreed or left everyone unmoved, if any did.
        disagreement_count: how many pairs contradicted each other in the last round.
    """

    shifts: tuple[Shift, ...]
    stable_rounds: int
    stable: tuple[str, ...]
    rounds_to_convergence: int | None
    disagreement_count: int


def consensus_by_round(
    t: Transcript, compare: Compare = by_rules, analyzer: str = RULES
) -> dict[int, Consensus]:
    """Round number -> its consensus."""
    return {r.round_number: consensus(r.responses, compare, analyzer) for r in t.rounds}


def convergence(t: Transcript, by_round: Mapping[int, Consensus]) -> Convergence:
    """How the panel moved, given the consensus of each round."""
    shifts: list[Shift] = []
    for earlier, later in zip(t.rounds, t.rounds[1:], strict=False):
        kept = successors(
            _clusters(by_round, earlier.round_number),
            _clusters(by_round, later.round_number),
            _likeness(t, later.usable),
        )
        for response in opinions(later.responses).values():
            if shift := _shift(t, response, kept, shifts):
                shifts.append(shift)
    last = t.last_round.round_number if t.last_round else None
    return Convergence(
        shifts=tuple(shifts),
        stable_rounds=_stable_rounds(shifts),
        stable=tuple(s.seat for s in shifts if s.stable and s.round_number == last),
        rounds_to_convergence=_settled(by_round, shifts),
        disagreement_count=_contradictions(by_round.get(last) if last is not None else None),
    )


def likeness(a: Response, b: Response) -> float:
    """How alike the words of two answers are, 0 to 1."""
    return round(min(1.0, alike(clipped(a.text), clipped(b.text))), 4)


def successors(
    earlier: Sequence[Cluster], later: Sequence[Cluster], own: Mapping[str, float]
) -> dict[str, bool]:
    """Seat -> whether it is in the cluster that its last one became.

    A cluster becomes the one in which most of its members are; those who stayed nearest to their
    own words count most, so that whoever moved is the one who joined.
    """
    links = sorted(
        (-_bond(e.members, c.members, own), i, j)
        for i, e in enumerate(earlier)
        for j, c in enumerate(later)
        if set(e.members) & set(c.members)
    )
    became: dict[int, int] = {}
    for _, i, j in links:
        if i not in became and j not in became.values():
            became[i] = j
    before = {m: i for i, e in enumerate(earlier) for m in e.members}
    return {
        m: m not in before or became.get(before[m]) == j
        for j, c in enumerate(later)
        for m in c.members
    }


def _bond(earlier: Iterable[str], later: Iterable[str], own: Mapping[str, float]) -> float:
    common = set(earlier) & set(later)
    return round(sum(0.5 + own.get(m, 0.0) for m in sorted(common)), 6)


def _clusters(by_round: Mapping[int, Consensus], number: int) -> tuple[Cluster, ...]:
    found = by_round.get(number)
    return found.clusters if found else ()


def _likeness(t: Transcript, responses: Iterable[Response]) -> dict[str, float]:
    pairs = ((r, previous(t, r)) for r in responses)
    return {r.model_alias: likeness(before, r) for r, before in pairs if before}


def _shift(
    t: Transcript, response: Response, kept: Mapping[str, bool], so_far: Sequence[Shift]
) -> Shift | None:
    before = previous(t, response)
    if before is None:
        return None
    seat = response.model_alias
    found = Shift(
        seat=seat,
        round_number=response.round_number,
        similarity=likeness(before, response),
        same_cluster=kept.get(seat, True),
        stable=False,
    )
    own = [*(s for s in so_far if s.seat == seat), found][-STABLE_AFTER:]
    is_stable = len(own) == STABLE_AFTER and all(s.unmoved for s in own)
    return replace(found, stable=is_stable)


def _stable_rounds(shifts: Sequence[Shift]) -> int:
    count = 0
    for number in sorted({s.round_number for s in shifts}, reverse=True):
        if not all(s.unmoved for s in shifts if s.round_number == number):
            break
        count += 1
    return count


def _settled(by_round: Mapping[int, Consensus], shifts: Sequence[Shift]) -> int | None:
    """The first round that agreed, or after which nobody moved."""
    for number in sorted(by_round):
        level = by_round[number].agreement_level
        own = [s for s in shifts if s.round_number == number]
        if (level is not None and level >= SETTLED) or (own and all(s.unmoved for s in own)):
            return number
    return None


def _contradictions(found: Consensus | None) -> int:
    return sum(p.relation == "disagree" for p in found.pairs) if found else 0
