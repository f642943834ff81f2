"""The decision layer: the recommended use of a round's result, and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mutual_dissent.analysis.rounds.consensus import dissenters, is_split, majority
from mutual_dissent.core.measures import DISAGREE, PARTLY, Conflict, Consensus, Groupthink, Pair

# Agreement of a round. At 0.7 a round also counts as settled, and `auto` holds no further one.
HIGH, MEDIUM = 0.7, 0.4
Level = Literal["high", "medium", "low", "unknown"]
Action = Literal["proceed", "verify", "query_detail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Something worth checking, with the reason and the place of its details."""

    field: str
    reason: str
    look_at: Literal["responses", "rounds", "citations"] = "responses"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Trust in a result and the recommended action; `unknown` if nothing was measured."""

    level: Level
    agreement: float | None
    action: Action
    reason: str
    hints: tuple[Hint, ...] = ()


def decision(consensus: Consensus, warning: Groupthink | None = None) -> Decision:
    """The recommendation that follows from the main positions of a round.

    A majority that no panelist contradicts, with every pair known to agree, is something to
    proceed on. A split is to be verified. Unmeasured pairs say nothing.
    """
    action, reason = _action(consensus)
    return Decision(
        level=consensus_level(consensus),
        agreement=consensus.agreement_level,
        action=action,
        reason=reason,
        hints=_hints(consensus, warning),
    )


def consensus_level(consensus: Consensus) -> Level:
    """The word for the agreement of a round; unmeasured rounds are unknown."""
    level = consensus.agreement_level
    if level is None:
        return "unknown"
    # Two camps of three have a mean of 0.4, and yet the panel has no answer.
    if is_split(consensus) and not majority(consensus):
        return "low"
    if level >= HIGH:
        # Who agrees in part has a reservation that matters, by its own word.
        sure = _holds_most(consensus) and not _reserved(consensus)
        return "high" if sure else "medium"
    return "medium" if level >= MEDIUM else "low"


def _holds_most(consensus: Consensus) -> bool:
    """Return whether one group has more than half of the panelists that take a position."""
    return len(consensus.clusters[0].members) * 2 > sum(len(c.members) for c in consensus.clusters)


def _action(consensus: Consensus) -> tuple[Action, str]:
    holders = sum(len(c.members) for c in consensus.clusters)
    if holders < 2:
        silent = "nobody took a position" if not holders else "only one answer takes a position"
        return "query_detail", f"There is nothing to compare: {silent}."
    # From the most cautious on: what was not measured is never a reason to proceed.
    if not any(p.measured for p in consensus.pairs):
        return "query_detail", "Whether the answers agree was not measured: read them."
    first = majority(consensus)
    if is_split(consensus):
        return "verify", _split(consensus, first)
    if not first or not _all_known(consensus, first):
        return "verify", "Not every answer could be compared with the others: read them."
    # Two who agree beside two refusals are no panel's answer.
    if len(consensus.silent) >= len(first):
        return "verify", "As many took no position as agree."
    reserved = _reserved(consensus)
    if len(consensus.clusters) == 1 and not reserved:
        return "proceed", "All who take a position come to the same answer."
    if _unreserved(consensus) * 2 <= holders:
        return "verify", "They agree in part only: read on what they differ."
    if denied := _denial(consensus):
        return "verify", denied
    if len(consensus.clusters) == 1:
        return "proceed", f"They agree in the main; {_join_pairs(reserved)} in part only."
    return "proceed", "Most come to the same answer, and nobody contradicts it outright."


def _reserved(consensus: Consensus) -> list[Pair]:
    """Pairs that agree with each other in part only."""
    return [p for p in consensus.pairs if p.relation == PARTLY]


def _unreserved(consensus: Consensus) -> int:
    """The most panelists of the first group of whom each two agree without a reservation."""
    apart = {frozenset((p.a, p.b)) for p in _reserved(consensus)}
    largest = 0
    members = consensus.clusters[0].members
    for first in members:
        together = [first]
        for seat in members:
            if seat != first and all(frozenset((seat, one)) not in apart for one in together):
                together.append(seat)
        largest = max(largest, len(together))
    return largest


def _join_pairs(pairs: Sequence[Pair]) -> str:
    """The first of some pairs: `p2 and p3 (and 1 more pair)`."""
    more = len(pairs) - 1
    further = f" (and {more} more {'pair' if more == 1 else 'pairs'})" if more else ""
    return f"{pairs[0].a} and {pairs[0].b}{further}"


def _all_known(consensus: Consensus, first: Sequence[str]) -> bool:
    """Return whether every pair with a member of the majority is measured."""
    return all(p.measured for p in consensus.pairs if p.a in first or p.b in first)


def _denial(consensus: Consensus) -> str:
    """Sentence about a contradiction that only one of two panelists sees."""
    says = [(p.a, p.b) for p in consensus.pairs if p.a_says == DISAGREE]
    says += [(p.b, p.a) for p in consensus.pairs if p.b_says == DISAGREE]
    if not says:
        return ""
    one, other = says[0]
    return f"{one} says that {other} contradicts it, which {other} sees otherwise: read both."


def _split(consensus: Consensus, first: Sequence[str]) -> str:
    if not first:
        return "The panel is split, without a majority: read all sides."
    against = dissenters(consensus)
    if not against:
        return "Answers contradict each other: read them."
    verb = "contradicts" if len(against) == 1 else "contradict"
    return f"{_join_names(against)} {verb} the majority: read its reasons."


def _join_names(seats: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(seats[:-1]), seats[-1])))


def _who(consensus: Consensus, conflict: Conflict) -> str:
    """Pairs that contradict each other, or of which one says so: not all of a side may."""
    seats = {p.seat for p in conflict.positions}
    pairs = [p for p in consensus.pairs if p.relation == DISAGREE and {p.a, p.b} <= seats]
    both = [f"{p.a} and {p.b}" for p in pairs if (p.a_says is None) == (p.b_says is None)]
    alone = [
        f"{one} says that it contradicts {other}"
        for p in pairs
        if (p.a_says is None) != (p.b_says is None)
        for one, other in [(p.a, p.b) if p.a_says else (p.b, p.a)]
    ]
    sentences = [f"{', '.join(both)} contradict each other"] if both else []
    return f"{'; '.join([*sentences, *alone])}."


def _hints(consensus: Consensus, warning: Groupthink | None) -> tuple[Hint, ...]:
    hints = [Hint(field=c.issue, reason=_who(consensus, c)) for c in consensus.conflicts]
    if warning and warning.detected:
        reasons = "; ".join(warning.indicators)
        hints.append(
            Hint(field="agreement", reason=f"Possible groupthink: {reasons}.", look_at="rounds")
        )
    if unmeasured := sum(not p.measured for p in consensus.pairs):
        reason = f"{unmeasured} of {len(consensus.pairs)} pairs of answers were not measured."
        hints.append(Hint(field="agreement", reason=reason))
    return tuple(hints)
