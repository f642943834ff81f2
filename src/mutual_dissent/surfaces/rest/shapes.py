"""Answers of the API that no other surface has. Stored parts have the names of their format."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from mutual_dissent.analysis.ledger.entries import Ledger
from mutual_dissent.core.codec.camel import Json, Shape, about
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import Response
from mutual_dissent.core.values.citation import CheckedCitation
from mutual_dissent.hosting.desk import OpenRequest
from mutual_dissent.store.debates.search import ListedDebate
from mutual_dissent.views.account import Account
from mutual_dissent.views.four_layers import FourLayers
from mutual_dissent.views.readiness import Reading
from mutual_dissent.views.remarks.citations import CitedSource

STORED: Json = {"extra": "allow"}
"""For parts of a transcript: they have the names of its format, and later versions may add more."""


# -- errors


class Fault(BaseModel):
    """The reason why a request was not obeyed."""

    code: Annotated[str, Field(description="A word for programs.", examples=["not_found"])]
    message: Annotated[str, Field(description="A sentence with the next step.")]
    status: Annotated[int, Field(description="The HTTP status.", examples=[404])]


class Error(BaseModel):
    """The one shape of all errors."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "error": {
                    "code": "not_found",
                    "message": "no stored debate begins with 00000000; `dissent list` shows all",
                    "status": 404,
                }
            }
        }
    )

    error: Fault


ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Error, "description": "The request cannot be obeyed; the sentence says why."},
    "5XX": {"model": Error, "description": "The server could not do it; the sentence says why."},
}


# -- sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class Links(Shape):
    """Addresses of the rest."""

    self: str
    events: str
    account: str
    four_layers: str
    export: str
    conversation: str


EXAMPLE: Json = {
    "sessionId": "5e1f7c1a-93d2-4b7e-8a57-0c2d9a4e61bf",
    "conversationId": "5e1f7c1a-93d2-4b7e-8a57-0c2d9a4e61bf",
    "status": "completed",
    "mode": "ranking",
    "query": "Should a small team start with a monolith?",
    "heading": "All 3: Yes, start with a monolith. (said by the panel itself)",
    "answer": "Yes, as long as its modules have clear borders.",
    "answerBy": "claude",
    "isFallback": False,
    "outcome": None,
    "notSaved": None,
    "account": {
        "headline": "All 3: Yes, start with a monolith. (said by the panel itself)",
        "holds": [],
        "corrected": ["gpt: microservices, then a monolith: one team can hold it"],
        "open": [],
        "cost": "$0.0412 for 7 calls",
        "source": "said by the panel itself",
    },
    "ledger": {
        "source": "analyst",
        "analyst": "gemini",
        "positions": [
            {"statement": "Yes, start with a monolith.", "holders": ["claude", "gpt", "gemini"]}
        ],
        "contested": [],
        "commonGround": [{"statement": "Yes, start with a monolith.", "quotes": []}],
        "minority": [],
        "corrections": [
            {
                "by": "gpt",
                "before": "microservices",
                "after": "a monolith",
                "reason": "one team can hold it",
                "becauseOf": ["claude"],
            }
        ],
        "missing": [],
        "disputes": [],
        "droppedQuotes": 0,
    },
    "analysis": "done",
    "agreement": 1.0,
    "rounds": 2,
    "tokens": 5493,
    "costUsd": 0.0412,
    "createdAt": "2026-02-21T15:30:00Z",
    "updatedAt": "2026-02-21T15:30:21Z",
    "links": {
        "self": "/api/sessions/5e1f7c1a-93d2-4b7e-8a57-0c2d9a4e61bf",
        "events": "/api/sessions/5e1f7c1a-93d2-4b7e-8a57-0c2d9a4e61bf/events",
        "account": "/api/sessions/5e1f7c1a-93d2-4b7e-8a57-0c2d9a4e61bf/account",
        "fourLayers": "/api/sessions/5e1f7c1a-93d2-4b7e-8a57-0c2d9a4e61bf/four-layers",
        "export": "/api/sessions/5e1f7c1a-93d2-4b7e-8a57-0c2d9a4e61bf/export",
        "conversation": "/api/conversations/5e1f7c1a-93d2-4b7e-8a57-0c2d9a4e61bf",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Shape):
    """State of a session, and its answer as soon as there is one."""

    session_id: str
    conversation_id: str = field(metadata=about("The session that began the conversation."))
    status: Status
    mode: str
    query: str
    heading: str = field(metadata=about("What the panel holds, in words."))
    answer: str | None = field(
        metadata=about("The synthesis, in Markdown, with aliases for letters of panelists.")
    )
    answer_by: str | None
    is_fallback: bool = field(
        metadata=about("Whether a panelist's answer stands in for a missing synthesis.")
    )
    not_saved: str | None = field(
        metadata=about(
            "Why the last answers are in memory only, and will be written as soon as that can be; "
            "null where all is on record."
        )
    )
    account: Account = field(metadata=about("What is said above and under the answer."))
    ledger: Ledger | None = field(
        metadata=about("Who holds what; null where nothing can be said yet.")
    )
    analysis: Reading = field(
        metadata=about("How far the analyst is. The answer never waits for it.")
    )
    agreement: float | None = field(metadata=about("Null where it was not measured."))
    outcome: str | None = field(
        metadata=about("How it turned out: `right`, `wrong` or the value; null where not told.")
    )
    rounds: int
    tokens: int
    cost_usd: float | None = field(metadata=about("Null where a price is not known."))
    created_at: datetime
    updated_at: datetime
    links: Links


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTurn(Shape):
    """Turn of the caller, who sits on a session's panel."""

    seat: str | None = field(metadata=about("The user's seat; null where it has none."))
    request: OpenRequest | None = field(
        metadata=about("The request that waits for the caller; null where none does.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionList(Shape):
    """A page of sessions, the newest first."""

    items: tuple[ListedDebate, ...]
    total: int
    limit: int
    offset: int
    next: str | None = field(metadata=about("The address of the next page."))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedResponse(Response):
    """One answer, or the reason why there is none; `key` names it within its debate."""

    __pydantic_config__: ClassVar[Json] = STORED

    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRound:
    """All answers of one round, and what was measured when it ended."""

    __pydantic_config__: ClassVar[Json] = STORED

    round_number: int
    round_type: str
    responses: tuple[KeyedResponse, ...]
    measures: Json


class StoredTranscript(BaseModel):
    """A debate whole, as its file has it."""

    model_config = ConfigDict(extra="allow")

    schema_version: int
    transcript_id: str
    query: str
    panel: list[str]
    synthesizer_id: str
    max_rounds: int
    created_at: datetime
    updated_at: datetime | None
    status: Status
    heading: str
    brief: Json
    rounds: list[StoredRound]
    asides: list[KeyedResponse]
    failed_syntheses: list[KeyedResponse]
    synthesis: KeyedResponse | None
    fallback_answer: KeyedResponse | None
    notes: list[Json]
    remarks: list[str]
    metadata: Json
    not_saved: Annotated[
        str | None, Field(description="Why the last answers are in memory only, where they are.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds(Shape):
    """The rounds of a session."""

    session_id: str
    rounds: tuple[StoredRound, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Responses(Shape):
    """Answers of a session."""

    session_id: str
    responses: tuple[KeyedResponse, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLayers(FourLayers):
    """The answer in four layers, with what is said about the debate in words."""

    account: Account


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations(Shape):
    """The sources of a session, by the numbers that its answer has for them."""

    session_id: str
    citations: tuple[CitedSource, ...]
    checks: tuple[CheckedCitation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationTurn(Shape):
    """One question of a conversation, and its answer."""

    session_id: str
    query: str
    answer: str | None
    status: Status
    mode: str
    created_at: datetime
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation(Shape):
    """A conversation: questions that were asked one after the other."""

    conversation_id: str
    mode: str = field(metadata=about("What the next question has where none is said."))
    turns: tuple[ConversationTurn, ...]
