"""The four-layer answer; a field with a default is left out where it does not apply."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

SessionStatus = Literal[
    "created", "active", "paused", "completed", "error", "interrupted", "stopped"
]
Share = float | None
"""From 0 to 1; null where it could not be measured or was not stated."""


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
    """Layer 1: how far the panel agrees."""

    consensus_level: Literal["high", "medium", "low"]
    agreement_score: float
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
    """Layer 2: one agent's answer in short."""

    agent_id: str
    agent_name: str
    position: str
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


class RoundtableResponse(SessionState):
    """The four layers of a session's last ended round."""

    topic: str
    round_number: int
    decision: DecisionLayer
    agent_responses: list[AgentResponseSummary]
    evidence: EvidenceLayer
    metadata: MetadataLayer
    heading: str
    cost_usd: float | None
