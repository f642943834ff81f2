"""The four-layer answer; a field with a default is left out where it does not apply."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

SessionStatus = Literal[
    "created", "active", "paused", "completed", "error", "interrupted", "stopped"
]
Share = float | None
"""From 0 to 1; null where it could not be measured or was not stated."""
Views = dict[str, str]
"""Agent -> agree, partly or disagree, and on what, as another one says of it."""


Ballot = list[list[str]]
"""Agents, best first, ties together."""
Critique = dict[str, Any]
"""Agent -> the strengths and weaknesses that another one finds in its answer."""


class Result(BaseModel):
    """A part of a result, in camel case."""

    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_alias=True, validate_by_name=False
    )


class ActionRecommendation(Result):
    """What to do with the result."""

    type: Literal["proceed", "verify", "query_detail"]
    reason: str


class DecisionLayer(Result):
    """Layer 1: how far the panel agrees; unknown and null where that was not measured."""

    consensus_level: Literal["high", "medium", "low", "unknown"]
    agreement_score: Share
    action_recommendation: ActionRecommendation


class ConfidenceChange(Result):
    """How much surer an agent is than before."""

    delta: float
    previous_round: int
    reason: str


class EvidenceUsed(Result):
    """What an agent looked up."""

    web_searches: int
    citations: int
    tool_calls: list[str]


class AgentResponseSummary(Result):
    """Layer 2: one agent's answer in short; position is its bottom line."""

    agent_id: str
    agent_name: str
    position: str
    stance: str | None = None
    estimate: str | None = None
    on_the_others: Views | None = None
    changed: str | None = None
    agent_role: str | None = None
    perspective: str | None = None
    team: str | None = None
    ballot: Ballot | None = None
    critique: Critique | None = None
    key_points: list[str]
    confidence: Share
    confidence_change: ConfidenceChange | None = None
    evidence_used: EvidenceUsed


class Stance(Result):
    """Where an agent stands."""

    agent_id: str
    stance: str


class Conflict(Result):
    """What agents contradict each other about."""

    issue: str
    positions: list[Stance]


class GroupthinkWarning(Result):
    """Whether they agree too easily."""

    detected: bool
    indicators: list[str]
    recommendation: str


class Quote(Result):
    """Words of an agent, found in its answer."""

    by: str
    text: str


class Position(Result):
    """What some agents hold."""

    statement: str
    holders: list[str]


class Side(Position):
    """One side of a contested issue."""

    quote: Quote | None


class Issue(Result):
    """What is contested, as a question, and its sides."""

    question: str
    sides: list[Side]


class Shared(Result):
    """What nobody contests."""

    statement: str
    quotes: list[Quote]


class Minority(Result):
    """A claim that only some make, and what became of it in the synthesis."""

    claim: str
    holders: list[str]
    fate: Literal["adopted", "rebutted", "listed", "omitted"]
    quote: Quote | None


class Correction(Result):
    """What an agent corrected in the debate."""

    by: str
    before: str
    after: str
    reason: str
    because_of: list[str]


class Ledger(Result):
    """Who holds what, what is contested, what was corrected, what became of dissent."""

    source: Literal["analyst", "panel"]
    analyst: str | None
    positions: list[Position]
    contested: list[Issue]
    common_ground: list[Shared]
    minority: list[Minority]
    corrections: list[Correction]
    missing: list[str]
    disputes: list[str]
    dropped_quotes: int


LedgerNote = Annotated[
    dict[str, Any] | None,
    Field(
        description="source (analyst, or panel: closing lines alone), positions, contested (sides "
        "with verified quotes), commonGround, minority (with fate in the synthesis), corrections, "
        "missing (what only the user can tell), disputes."
    ),
]
"""A ledger as the tools describe it: in a sentence, since every tool's schema is read each time."""


class Account(Result):
    """What is said about a debate in words."""

    headline: str
    holds: list[str]
    corrected: list[str]
    open: list[str]
    cost: str
    source: str


class EvidenceLayer(Result):
    """Layer 3: what the answers rest on."""

    total_citations: int
    conflicts: list[Conflict]
    consensus_summary: str
    groupthink_warning: GroupthinkWarning | None = None


class DetailReference(Result):
    """The tool that tells more."""

    tool: str
    params: dict[str, Any]


class VerificationHint(Result):
    """What is worth checking."""

    field: str
    reason: str
    suggested_tool: str


class MetadataLayer(Result):
    """Layer 4: where to look further."""

    detail_reference: DetailReference
    verification_hints: list[VerificationHint]
    has_more_details: bool
    exit_reason: str | None
    exit_details: str | None


class SessionState(Result):
    """Where a session stands, and what to do next."""

    session_id: str
    status: SessionStatus
    next: str
    hint: str | None = None


class FailedAgent(Result):
    """Who gave no answer, and why."""

    agent_id: str
    reason: str
    details: str


class Tally(Result):
    """How the votes of the last ballot fell."""

    rule: str
    winners: list[str]
    ranking: Ballot
    points: dict[str, float]
    voters: int


class RoundtableResponse(SessionState):
    """The four layers of a session's last ended round, and the answer where one was written."""

    topic: str
    round_number: int
    decision: DecisionLayer | None
    agent_responses: list[AgentResponseSummary]
    evidence: EvidenceLayer
    metadata: MetadataLayer
    heading: str
    ledger: LedgerNote
    failed_agents: list[FailedAgent]
    needed_from_user: list[str]
    notes: list[str]
    tally: Tally | None
    answer: str | None = None
    answer_by: str | None = None
    cost_usd: float | None
