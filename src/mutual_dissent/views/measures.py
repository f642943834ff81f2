"""What the recorded measures of a debate come to: the facts that every view shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mutual_dissent.analysis.consensus import Consensus
from mutual_dissent.analysis.convergence import Shift
from mutual_dissent.analysis.decisions import Decision as Election
from mutual_dissent.analysis.groupthink import Groupthink
from mutual_dissent.analysis.layers import Decision, decision
from mutual_dissent.analysis.movement import Movement, movement
from mutual_dissent.analysis.recorded import consensus_of, exit_of, groupthink_of, tally_of
from mutual_dissent.analysis.value import Value, value
from mutual_dissent.core.codec import to_plain
from mutual_dissent.core.events import Status
from mutual_dissent.core.stopping import Exit
from mutual_dissent.core.transcript import OPINION_ROLES, Round, Transcript

Json = dict[str, Any]
ByRound = Mapping[int, Consensus]
TELLING = frozenset({"semantic", "model"})
"""Analyzers that read what answers mean: only they may speak of consensus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the last round of opinions says, as it was found when it ended.

    Attributes:
        round_number: the round that it is about.
        decision: how far the result can be trusted, and what to do with it.
        groupthink: the warning, if there is one.
        ending: after which round no further one was held, and why.
    """

    round_number: int
    consensus: Consensus
    decision: Decision
    groupthink: Groupthink | None
    ending: tuple[int, Exit] | None

    @property
    def contradictors(self) -> frozenset[str]:
        """Everyone that contradicts somebody."""
        against = [p for p in self.consensus.pairs if p.relation == "disagree"]
        return frozenset(seat for p in against for seat in (p.a, p.b))

    @property
    def split(self) -> tuple[int, ...]:
        """The sizes of the groups that contradict each other; empty where nobody does."""
        if not self.consensus.conflicts and not self.contradictors:
            return ()
        sizes = tuple(len(c.members) for c in self.consensus.clusters)
        return sizes if len(sizes) > 1 else ()

    @property
    def is_consensus(self) -> bool:
        """Whether agreement is high, nobody contradicts, and the analyzer can tell."""
        found = self.consensus
        return (
            found.analyzer in TELLING
            and self.decision.level == "high"
            and len(found.clusters) == 1
            and not found.conflicts
        )


def findings(t: Transcript, known: ByRound | None = None) -> Findings | None:
    """The findings of the last round that an analyzer has read; None if none has.

    Args:
        t: the debate.
        known: what was found in each round, where that has been read from the record already.
    """
    by_round = consensus_of(t) if known is None else known
    if not by_round:
        return None
    number = max(by_round)
    warning = groupthink_of(t)
    return Findings(
        round_number=number,
        consensus=by_round[number],
        decision=decision(by_round[number], warning),
        groupthink=warning,
        ending=exit_of(t),
    )


def election(t: Transcript) -> Election | None:
    """How the panel's votes fell, where it voted."""
    return tally_of(t)


def opinions(t: Transcript) -> Transcript:
    """The debate without the rounds in which answers were judged rather than given."""
    return replace(t, rounds=tuple(r for r in t.rounds if r.round_type in OPINION_ROLES))


def last_opinions(t: Transcript) -> Round | None:
    """The latest round in which somebody answered the query."""
    return opinions(t).last_round


def moved(t: Transcript, known: ByRound | None = None) -> Movement | None:
    """What changed over the rounds; None where there is nothing to compare, or no measure."""
    by_round, said = consensus_of(t) if known is None else known, opinions(t)
    return movement(said, by_round) if by_round and len(said.rounds) > 1 else None


def latest_shifts(found: Movement) -> dict[str, Shift]:
    """Seat -> its way from its last answer but one to its last."""
    return {s.seat: s for s in found.convergence.shifts}


def worth(t: Transcript, known: ByRound | None = None) -> Value | None:
    """What deliberation was worth, where a debate has come to its end."""
    if t.status is not Status.COMPLETED or t.synthesis is None:
        return None
    votes = election(t)
    winner = votes.winners[0] if votes and len(votes.winners) == 1 else None
    by_round = consensus_of(t) if known is None else known
    return value(t, first=by_round.get(0), winner=winner)


def measures_to_json(t: Transcript) -> Json:
    """Decision, movement and value as plain values; what was not measured is left out."""
    known = consensus_of(t)
    found, changed, value_ = findings(t, known), moved(t, known), worth(t, known)
    return {
        **({"decision": _decision(found)} if found else {}),
        **({"movement": _movement(changed)} if changed else {}),
        **({"value": to_plain(value_)} if value_ else {}),
    }


def _decision(found: Findings) -> Json:
    made = found.decision
    return {
        "round_number": found.round_number,
        "level": made.level,
        "action": made.action,
        "reason": made.reason,
        "analyzer": found.consensus.analyzer,
        "hints": [{"field": h.field, "reason": h.reason} for h in made.hints],
    }


def _movement(changed: Movement) -> Json:
    plain: Json = to_plain(changed)
    # Each round's own warning is among its measures.
    return {k: v for k, v in plain.items() if k != "groupthink"}
