"""Results of the tools; a field with a default is left out where it does not apply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mutual_dissent.analysis.ledger.entries import Ledger
from mutual_dissent.core.codec.camel import Json, Shape
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import Citation
from mutual_dissent.views.four_layers import AgentPart, AgentWords, ConfidenceStep, FourLayers
from mutual_dissent.views.readiness import Reading
from mutual_dissent.views.remarks.citations import CitedSource
from mutual_dissent.views.remarks.lookups import Lookup


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRoundtable(Shape):
    """A session in a list."""

    session_id: str
    topic: str
    status: Status
    mode: str
    agents: tuple[str, ...]
    rounds: int
    agreement_score: float | None
    cost_usd: float | None
    created_at: str
    updated_at: str
    due: str | None = None
    forecast: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage(Shape):
    """A page of sessions, the newest first."""

    sessions: tuple[ListedRoundtable, ...]
    page: int
    page_size: int
    total: int
    has_more: bool
    forecast_record: Json | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCluster(Shape):
    """Agents that hold the same."""

    theme: str
    agent_ids: tuple[str, ...]
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentNuances(Shape):
    """Positions between yes and no."""

    partial_agreements: tuple[str, ...]
    conditional_positions: tuple[str, ...]
    uncertainties: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState(Shape):
    """Status of a session, and what to do next."""

    session_id: str
    status: Status
    next: str
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundtableResponse(FourLayers):
    """The four layers of a session's last ended round, and the answer where one was written."""

    status: Status
    next: str
    hint: str | None = None
    answer: str | None = None
    answer_by: str | None = None
    earlier: str | None = None
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusResult(RoundtableResponse):
    """The consensus of a round, with its four layers."""

    agreement_level: float | None
    clusters: tuple[AgentCluster, ...]
    common_ground: tuple[str, ...]
    disagreement_points: tuple[str, ...]
    nuances: AgentNuances
    reasoning: str
    analyzer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought(Shape):
    """The thoughts of an agent in one round."""

    round_number: int
    role: str
    position: str
    reasoning: str
    key_points: tuple[str, ...]
    confidence: float | None
    stance: str | None = None
    estimate: str | None = None
    on_the_others: dict[str, str] | None = None
    changed: str | None = None
    questions: tuple[str, ...]
    confidence_change: ConfidenceStep | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Thoughts(Shape):
    """An agent's way through the rounds."""

    session_id: str
    agent_id: str
    agent_name: str
    thoughts: tuple[Thought, ...]
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPiece(Shape):
    """A piece of a longer text."""

    session_id: str
    content: str
    offset: int
    total_characters: int
    next_offset: int | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportPiece(TextPiece):
    """A session as a document."""

    format: Literal["markdown", "adr", "json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis(SessionState):
    """The answer that was written from a debate."""

    agent_id: str | None
    content: str
    heading: str
    earlier: str | None = None
    ledger: Ledger | None
    analysis: Reading
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResponse(AgentPart):
    """An answer within a round; content may be cut."""

    agent_id: str
    agent_name: str
    role: str
    content: str
    truncated: bool
    position: str
    confidence: float | None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundDetails(Shape):
    """A round with all its answers."""

    session_id: str
    round_number: int
    round_type: str
    rounds: tuple[int, ...]
    responses: tuple[RoundResponse, ...]
    agreement_score: float | None
    common_ground: tuple[str, ...]
    disagreement_points: tuple[str, ...]
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage(Shape):
    """Tokens, dollars and time of an answer."""

    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latency_ms: int | None
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseDetail(AgentWords):
    """One answer, whole, or a piece of it."""

    session_id: str
    content: str
    offset: int
    total_characters: int
    next_offset: int | None = None
    hint: str | None = None
    agent_id: str
    agent_name: str
    round_number: int
    role: str
    position: str
    key_points: tuple[str, ...]
    confidence: float | None
    citations: tuple[Citation, ...]
    tool_calls: tuple[str, ...]
    lookups: tuple[Lookup, ...] | None = None
    finish: str
    error: str | None = None
    served_by: str | None = None
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCitations(Shape):
    """The sources of a session."""

    session_id: str
    total: int
    citations: tuple[CitedSource, ...]
    hint: str | None = None
