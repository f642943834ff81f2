"""The four-layer answer: decision, agents, evidence, where to look further. For programs to act on.

Its names are those of the roundtable protocol: agents for panelists, topic for the query.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mutual_dissent.analysis.ledger.entries import Ledger
from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.analysis.rounds.key_points import key_points
from mutual_dissent.analysis.rounds.movement import (
    ConfidenceChange,
    Movement,
    movement,
    stated_confidence,
)
from mutual_dissent.analysis.rounds.recommendation import Action, Decision, Level, decision
from mutual_dissent.analysis.rounds.recorded import consensus_of, exit_of, tally_of
from mutual_dissent.core.closing import Closing
from mutual_dissent.core.codec.camel import Json, Shape, about
from mutual_dissent.core.measures import Consensus, Groupthink
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.account import account
from mutual_dissent.views.answer import is_review
from mutual_dissent.views.findings import findings, opinions
from mutual_dissent.views.panel.ledger_names import named_ledger
from mutual_dissent.views.panel.names import Letters, letters, replace_letters
from mutual_dissent.views.panel.tables import critique_points, estimate_words
from mutual_dissent.views.phrases import explanation, reason, with_remark
from mutual_dissent.views.readiness import up_to_answer
from mutual_dissent.views.remarks.citation_checks import check_lines
from mutual_dissent.views.remarks.lookups import EvidenceUsed, count_evidence
from mutual_dissent.views.remarks.user_questions import requests
from mutual_dissent.views.review import Review, review_of

_TOOLS = {
    "responses": "get_response_detail",
    "rounds": "get_round_details",
    "citations": "get_citations",
}
MOST_LISTED, LONGEST = 30, 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRecommendation(Shape):
    """Advice on what to do with the result."""

    type: Action
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionLayer(Shape):
    """Layer 1: how far the panel agrees; unknown and null where that was not measured."""

    consensus_level: Level
    agreement_score: float | None
    action_recommendation: ActionRecommendation


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceStep(Shape):
    """The change of an agent's confidence since an earlier round."""

    delta: float
    previous_round: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPart(Shape):
    """An author's stance and part in the debate, its vote and its critique."""

    stance: str | None = None
    agent_role: str | None = None
    perspective: str | None = None
    team: str | None = None
    ballot: tuple[tuple[str, ...], ...] | None = None
    critique: Json | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentWords(AgentPart):
    """The same, with what its closing lines say."""

    estimate: str | None = None
    on_the_others: dict[str, str] | None = None
    changed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentResponseSummary(AgentWords):
    """Layer 2: one agent's answer in short; position is its bottom line."""

    agent_id: str
    agent_name: str
    position: str
    key_points: tuple[str, ...]
    confidence: float | None
    confidence_change: ConfidenceStep | None = None
    evidence_used: EvidenceUsed


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStance(Shape):
    """The position of one agent on an issue."""

    agent_id: str
    stance: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConflict(Shape):
    """An issue on which agents contradict each other."""

    issue: str
    positions: tuple[AgentStance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceLayer(Shape):
    """Layer 3: what the answers rest on."""

    total_citations: int
    conflicts: tuple[AgentConflict, ...]
    consensus_summary: str
    groupthink_warning: Groupthink | None = None
    citation_checks: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailReference(Shape):
    """The tool that tells more."""

    tool: str
    params: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationHint(Shape):
    """Something worth checking, and the tool for it."""

    field: str
    reason: str
    suggested_tool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataLayer(Shape):
    """Layer 4: where to look further."""

    detail_reference: DetailReference
    verification_hints: tuple[VerificationHint, ...]
    has_more_details: bool
    exit_reason: str | None
    exit_details: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAgent(Shape):
    """An agent that gave no answer, and why."""

    agent_id: str
    reason: str
    details: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteTally(Shape):
    """Result of the last ballot."""

    rule: str
    winners: tuple[str, ...]
    ranking: tuple[tuple[str, ...], ...]
    points: dict[str, float]
    voters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FourLayers(Shape):
    """The answer in four layers: decision, agents, evidence, where to look further."""

    session_id: str
    topic: str
    round_number: int
    decision: DecisionLayer | None = field(metadata=about("Null until a round has ended."))
    agent_responses: tuple[AgentResponseSummary, ...]
    evidence: EvidenceLayer
    metadata: MetadataLayer
    heading: str
    ledger: Ledger | None
    failed_agents: tuple[FailedAgent, ...]
    needed_from_user: tuple[str, ...] = field(
        metadata=about("What only the user can tell, and who asks.")
    )
    notes: tuple[str, ...]
    tally: VoteTally | None = field(metadata=about("How the votes fell; null without a vote."))
    review: Review | None = field(
        default=None, metadata=about("Of a review, its findings in order; the first of many.")
    )


MOST_FINDINGS = 40
"""Findings of a review that are told at once; exports have all of them."""

NOT_YET = Consensus(agreement_level=None, reasoning="No round has ended yet.")


def four_layers(t: Transcript, round_number: int | None = None) -> FourLayers:
    """The four layers of a debate as its record tells them, by default of the last ended round.

    Before a round has ended there is no decision.
    """
    by_round, ledger = dict(consensus_of(t)), named_ledger(t)
    if last := findings(t):
        # With what the writer of the answer says of it, which the round's own measures do not have.
        by_round[last.round_number] = last.consensus
        round_number = last.round_number if round_number is None else round_number
    moved = movement(opinions(t), by_round) if by_round else None
    shown = t.last_round if round_number is None else t.round(round_number)
    consensus = NOT_YET if round_number is None else by_round.get(round_number, NOT_YET)
    warning = moved.groupthink if moved and shown and shown is t.last_round else None
    made = decision(consensus, warning) if round_number in by_round else None
    heading = account(up_to_answer(t)).headline
    checks = tuple(check_lines(t)) or None
    evidence = replace(_evidence(shown, consensus, warning), citation_checks=checks)
    # The ledger is about the last answers: an earlier round keeps what was measured then.
    if last and ledger and round_number == last.round_number:
        conflicts = _contested(ledger) or evidence.conflicts
        evidence = replace(evidence, conflicts=conflicts, consensus_summary=plain(heading))
    return FourLayers(
        session_id=t.transcript_id,
        topic=plain(t.query),
        round_number=shown.round_number if shown else 0,
        heading=heading,
        ledger=ledger,
        decision=_decision(made) if made else None,
        agent_responses=_agents(t, shown, moved),
        evidence=evidence,
        metadata=_metadata(t, shown, made),
        failed_agents=tuple(
            FailedAgent(agent_id=r.model_alias, reason=reason(r), details=explanation(r))
            for r in t.absent[:MOST_LISTED]
        ),
        needed_from_user=tuple(requests(t)[:MOST_LISTED]),
        notes=tuple(one_line(n.text, 300) for n in t.notes)[-MOST_LISTED:],
        tally=_tally(t),
        review=review_of(t, MOST_FINDINGS) if is_review(t) else None,
    )


def confidence_step(change: ConfidenceChange | None) -> ConfidenceStep | None:
    """A change of confidence as it is shown; None without one."""
    if change is None:
        return None
    return ConfidenceStep(
        delta=change.delta, previous_round=change.previous_round, reason=plain(change.reason)
    )


def closing_fields(t: Transcript, r: Response) -> Json:
    """The fields that an answer's closing lines have something for, of `AgentWords`."""
    who, closing = letters(t, r), r.closing or Closing()
    views = {v.seat: _told(v.relation, v.about, who) for v in closing.views}
    change = closing.change
    return {
        "stance": plain(r.stance) if r.stance else None,
        "estimate": estimate_words(closing.estimate) if closing.estimate else None,
        "on_the_others": views or None,
        "changed": _told(change.kind, change.what, who) if change else None,
    }


def part_fields(t: Transcript, r: Response) -> Json:
    """The fields of `AgentPart` but the stance."""
    known = {"agent_role": r.agent_role, "perspective": r.perspective, "team": r.team}
    return {
        **{k: one_line(v, LONGEST) for k, v in known.items() if v},
        "ballot": r.ballot or None,
        "critique": critique_points(t, r) or None,
    }


def _told(word: str, more: str, who: Letters) -> str:
    """A word, and the remark beside it: `partly: hiring`."""
    return with_remark(word, one_line(replace_letters(more, who), LONGEST))


def _decision(made: Decision) -> DecisionLayer:
    return DecisionLayer(
        consensus_level=made.level,
        agreement_score=made.agreement,
        action_recommendation=ActionRecommendation(type=made.action, reason=plain(made.reason)),
    )


def _agents(
    t: Transcript, shown: Round | None, moved: Movement | None
) -> tuple[AgentResponseSummary, ...]:
    by_turn = {(c.seat, c.round_number): c for c in (moved.confidence if moved else ())}
    return tuple(
        _agent(t, r, by_turn.get((r.model_alias, r.round_number)))
        for r in (shown.usable if shown else ())
    )


def _agent(t: Transcript, r: Response, change: ConfidenceChange | None) -> AgentResponseSummary:
    who = letters(t, r)
    return AgentResponseSummary(
        agent_id=r.model_alias,
        agent_name=r.model_id,
        position=plain(replace_letters(position(r, t.query), who)),
        key_points=tuple(plain(replace_letters(p, who)) for p in key_points(r)),
        confidence=stated_confidence(r),
        confidence_change=confidence_step(change),
        evidence_used=count_evidence(r),
        **closing_fields(t, r),
        **part_fields(t, r),
    )


def _evidence(
    shown: Round | None, consensus: Consensus, warning: Groupthink | None
) -> EvidenceLayer:
    conflicts = (
        AgentConflict(
            issue=plain(c.issue),
            positions=tuple(
                AgentStance(agent_id=p.seat, stance=plain(p.stance)) for p in c.positions
            ),
        )
        for c in consensus.conflicts
    )
    return EvidenceLayer(
        total_citations=sum(count_evidence(r).citations for r in (shown.usable if shown else ())),
        conflicts=tuple(conflicts),
        consensus_summary=plain(summary(consensus)),
        groupthink_warning=replace(warning, indicators=lines(warning.indicators))
        if warning
        else None,
    )


def summary(consensus: Consensus) -> str:
    """A round's consensus in a sentence or two: common ground, and contested issues."""
    if consensus.agreement_level is None:
        return consensus.reasoning
    shared = "No position is held by all."
    if consensus.common_ground:
        shared = f"Shared: {consensus.common_ground[0]}"
    elif len(consensus.clusters) == 1 and not consensus.silent:
        shared = "All hold the same position."
    contested = "; ".join(c.issue for c in consensus.conflicts)
    return f"{shared} Contested: {contested}." if contested else shared


def _contested(ledger: Ledger) -> tuple[AgentConflict, ...]:
    """The issues that the ledger calls contested, every holder with the statement of its side."""
    return tuple(
        AgentConflict(
            issue=issue.question,
            positions=tuple(
                AgentStance(agent_id=seat, stance=side.statement)
                for side in issue.sides
                for seat in side.holders
            ),
        )
        for issue in ledger.contested
    )


def _metadata(t: Transcript, shown: Round | None, made: Decision | None) -> MetadataLayer:
    number, ending = shown.round_number if shown else 0, exit_of(t)
    exit_ = ending[1] if ending and shown and ending[0] == number else None
    params = {"sessionId": t.transcript_id, "roundNumber": number}
    return MetadataLayer(
        detail_reference=DetailReference(tool="get_round_details", params=params),
        verification_hints=tuple(
            VerificationHint(
                field=plain(h.field), reason=plain(h.reason), suggested_tool=_TOOLS[h.look_at]
            )
            for h in (made.hints if made else ())
        ),
        has_more_details=shown is not None,
        exit_reason=exit_.reason if exit_ else None,
        exit_details=exit_.details if exit_ else None,
    )


def _tally(t: Transcript) -> VoteTally | None:
    votes = tally_of(t)
    if votes is None:
        return None
    return VoteTally(
        rule=plain(votes.rule),
        winners=votes.winners,
        ranking=votes.ranking,
        points=votes.scores,
        voters=votes.voters,
    )


def lines(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts as programs may show them."""
    return tuple(map(plain, texts))
