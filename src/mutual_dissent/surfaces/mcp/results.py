"""What the tools give back; a field with a default is left out where it does not apply."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from mutual_dissent.surfaces.mcp.layers import (
    Ballot,
    ConfidenceChange,
    Critique,
    LedgerNote,
    Result,
    SessionState,
    SessionStatus,
    Share,
    Views,
)

Layer = Annotated[dict[str, Any], Field(description="As start_roundtable has it.")]


class ListedSession(Result):
    """A session in a list."""

    session_id: str
    topic: str
    status: SessionStatus
    mode: str
    agents: list[str]
    rounds: int
    agreement_score: Share
    cost_usd: float | None
    created_at: str
    updated_at: str


class SessionPage(Result):
    """A page of sessions, the newest first."""

    sessions: list[ListedSession]
    page: int
    page_size: int
    total: int
    has_more: bool
    hint: str | None = None


class Cluster(Result):
    """Agents that hold the same."""

    theme: str
    agent_ids: list[str]
    summary: str


class Nuances(Result):
    """What lies between yes and no."""

    partial_agreements: list[str]
    conditional_positions: list[str]
    uncertainties: list[str]


class FurtherLayers(SessionState):
    """The same as `RoundtableResponse`, described in short: every schema is read each time."""

    topic: str
    round_number: int
    decision: Layer | None
    agent_responses: list[dict[str, Any]]
    evidence: Layer
    metadata: Layer
    heading: str
    ledger: dict[str, Any] | None
    failed_agents: list[dict[str, Any]]
    needed_from_user: list[str]
    notes: list[str]
    tally: dict[str, Any] | None
    answer: str | None = None
    answer_by: str | None = None
    cost_usd: float | None


class ConsensusResult(FurtherLayers):
    """What a round says as a whole, with its four layers."""

    agreement_level: Share
    clusters: list[Cluster]
    common_ground: list[str]
    disagreement_points: list[str]
    nuances: Nuances
    reasoning: str
    analyzer: str


class Thought(Result):
    """What an agent thought in one round."""

    round_number: int
    role: str
    position: str
    reasoning: str
    key_points: list[str]
    confidence: Share
    stance: str | None = None
    estimate: str | None = None
    on_the_others: Views | None = None
    changed: str | None = None
    questions: list[str]
    confidence_change: ConfidenceChange | None = None
    error: str | None = None


class Thoughts(Result):
    """An agent's way through the rounds."""

    session_id: str
    agent_id: str
    agent_name: str
    thoughts: list[Thought]
    hint: str | None = None


class Piece(Result):
    """A piece of a longer text."""

    session_id: str
    content: str
    offset: int
    total_characters: int
    next_offset: int | None = None
    hint: str | None = None


class Export(Piece):
    """A session as a document."""

    format: Literal["markdown", "json"]


class Synthesis(SessionState):
    """The answer that was written from a debate."""

    agent_id: str | None
    content: str
    heading: str
    ledger: LedgerNote
    analysis: Literal["none", "waiting", "running", "done", "failed"]
    cost_usd: float | None


class Source(Result):
    """A source, and who named it."""

    number: int
    url: str
    title: str
    cited_by: list[str]


class RoundResponse(Result):
    """An answer within a round; content may be cut."""

    agent_id: str
    agent_name: str
    role: str
    content: str
    truncated: bool
    position: str
    confidence: Share
    stance: str | None = None
    agent_role: str | None = None
    perspective: str | None = None
    team: str | None = None
    ballot: Ballot | None = None
    critique: Critique | None = None
    error: str | None = None


class RoundDetails(Result):
    """A round with all its answers."""

    session_id: str
    round_number: int
    round_type: str
    rounds: list[int]
    responses: list[RoundResponse]
    agreement_score: Share
    common_ground: list[str]
    disagreement_points: list[str]
    hint: str | None = None


class Usage(Result):
    """What an answer took."""

    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latency_ms: int | None
    attempts: int


class Citation(Result):
    """A source that an answer names."""

    url: str
    title: str


class Lookup(Result):
    """What was looked up before an answer, and what came back."""

    tool: str
    arguments: str
    result: str


class ResponseDetail(Piece):
    """One answer, whole."""

    agent_id: str
    agent_name: str
    round_number: int
    role: str
    position: str
    key_points: list[str]
    confidence: Share
    stance: str | None = None
    estimate: str | None = None
    on_the_others: Views | None = None
    changed: str | None = None
    agent_role: str | None = None
    perspective: str | None = None
    team: str | None = None
    ballot: Ballot | None = None
    critique: Critique | None = None
    citations: list[Citation]
    tool_calls: list[str]
    lookups: list[Lookup] | None = None
    finish: str
    error: str | None = None
    served_by: str | None = None
    usage: Usage


class Citations(Result):
    """The sources of a session."""

    session_id: str
    total: int
    citations: list[Source]
    hint: str | None = None


class Agent(Result):
    """Who can sit on a panel, and whether it answers."""

    agent_id: str
    vendor: str | None
    model: str | None
    available: bool
    healthy: bool | None
    latency_ms: int | None = None
    problem: str | None = None


class Agents(Result):
    """Who can sit on a panel."""

    agents: list[Agent]
    default_panel: list[str]
    probed: bool
    hint: str | None = None
