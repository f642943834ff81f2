"""The ballots of a stored debate, counted under any rule; no model is asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from mutual_dissent.analysis.ballots.decision import decide
from mutual_dissent.analysis.ballots.election import election
from mutual_dissent.analysis.ballots.rules import BY_RECORD, RULES
from mutual_dissent.analysis.scores.weights import seat_weights
from mutual_dissent.core.codec.camel import Json, Shape
from mutual_dissent.core.errors import BadInput, UnknownName
from mutual_dissent.core.measures import VoteResult
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.terms import option
from mutual_dissent.views.heading import VOTING

ALL = "all"
"""Stands for every rule that can take this number of candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted(Shape):
    """The ballots of a session, counted; no model is asked."""

    transcript_id: str = field(metadata={"alias": "sessionId"})
    candidates: tuple[str, ...]
    ballots: Json
    condorcet: str | None
    decisions: tuple[VoteResult, ...]


def count(debate: Transcript, rule: str) -> Counted:
    """Count a debate's ballots under a rule, or under all of them.

    Raises:
        UnknownName: if the rule does not exist.
        BadInput: if there are no ballots.
    """
    if rule not in (*RULES, ALL):
        raise UnknownName("rule", rule, (*RULES, ALL))
    held = election(debate)
    if not held.ballots:
        why = "a panel votes in --mode ranking and --mode hybrid"
        if debate.brief.mode in VOTING:
            why = f"none could be read; see dissent show {debate.transcript_id[:8]} --verbose"
        raise BadInput(f"debate {debate.transcript_id[:8]} has no ballots to count; {why}")
    size = len(held.candidates)
    fit = [r.name for r in RULES.values() if r.most is None or size <= r.most]
    names = fit if rule == ALL else [rule]
    seed, weights = debate.brief.seed, seat_weights(debate.brief)
    if rule == BY_RECORD and not weights:
        raise BadInput(
            f"debate {debate.transcript_id[:8]} has no weights: they are set when a debate begins; "
            f"ask anew with {option('rule', BY_RECORD)}"
        )
    decided = [
        decide(held.ballots, held.candidates, n, seed=seed, weights=weights)
        for n in names
        if weights or n != BY_RECORD
    ]
    return Counted(
        transcript_id=debate.transcript_id,
        candidates=tuple(held.candidates),
        ballots=dict(held.ballots),
        condorcet=decided[0].condorcet,
        decisions=tuple(decided),
    )
