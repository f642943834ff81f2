"""What the API answers with. What is stored is typed by the classes that it is stored from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from mutual_dissent.analysis.decisions import Decision
from mutual_dissent.analysis.ledger import Ledger
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import Response
from mutual_dissent.views.account import Account
from mutual_dissent.views.four_layers import FourLayers
from mutual_dissent.views.readiness import Reading
from mutual_dissent.views.sources import CitedSource

Json = dict[str, Any]


class Said(BaseModel):
    """An answer of the API in camel case."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)


class Described(Said):
    """Something told field by field; later versions may add to it."""

    model_config = ConfigDict(extra="allow")


class Stored(BaseModel):
    """A part of a transcript, under the names of its format; later versions may add to it."""

    model_config = ConfigDict(extra="allow")


# -- errors


class Fault(BaseModel):
    """Why a request was not obeyed."""

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


class Links(Said):
    """Where the rest is."""

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


class Session(Said):
    """Where a session stands, and its answer as soon as there is one."""

    model_config = ConfigDict(json_schema_extra={"example": EXAMPLE})

    session_id: str
    conversation_id: Annotated[str, Field(description="The session that began the conversation.")]
    status: Status
    mode: str
    query: str
    heading: Annotated[str, Field(description="What the panel holds, in words.")]
    answer: Annotated[
        str | None,
        Field(description="The synthesis, in Markdown, with aliases for letters of panelists."),
    ]
    answer_by: str | None
    is_fallback: Annotated[
        bool, Field(description="Whether a panelist's answer stands in for a missing synthesis.")
    ]
    not_saved: Annotated[
        str | None,
        Field(
            description="Why the last answers are in memory only, and will be written as soon as "
            "that can be; null where all is on record."
        ),
    ] = None
    account: Annotated[Account, Field(description="What is said above and under the answer.")]
    ledger: Annotated[
        Ledger | None, Field(description="Who holds what; null where nothing can be said yet.")
    ]
    analysis: Annotated[
        Reading,
        Field(description="How far the analyst is. The answer never waits for it."),
    ]
    agreement: Annotated[float | None, Field(description="Null where it was not measured.")]
    rounds: int
    tokens: int
    cost_usd: Annotated[float | None, Field(description="Null where a price is not known.")]
    created_at: datetime
    updated_at: datetime
    links: Links


class ListedSession(Described):
    """A session in a list."""

    session_id: str
    query: str
    status: Status
    mode: str
    panel: list[str]
    synthesizer: str
    created_at: datetime
    updated_at: datetime
    rounds: int
    calls: int
    failed: int
    tokens: int
    unpriced: int
    agreement: float | None
    heading: str
    conversation: str | None
    cost_usd: float | None


class Page(Said):
    """A page of sessions, the newest first."""

    items: list[ListedSession]
    total: int
    limit: int
    offset: int
    next: Annotated[str | None, Field(description="The address of the next page.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedResponse(Response):
    """One answer, or the reason why there is none; `key` names it within its debate."""

    key: str


class Round(Stored):
    """All answers of one round, and what was measured when it ended."""

    round_number: int
    round_type: str
    responses: list[KeyedResponse]
    measures: Json


class Transcript(Stored):
    """A debate whole, as its file has it."""

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
    rounds: list[Round]
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


class Rounds(Said):
    """The rounds of a session."""

    session_id: str
    rounds: list[Round]


class Responses(Said):
    """Answers of a session."""

    session_id: str
    responses: list[KeyedResponse]


class Told(Said):
    """What is said about a debate, in words and as tables."""

    session_id: str
    status: Status
    heading: str
    account: Account
    ledger: Ledger | None
    analysis: Reading
    answer: str | None
    panel: Annotated[
        Json, Field(description="Relations by round, estimates, ballots and critiques.")
    ]
    texts: Annotated[
        dict[str, str],
        Field(description="Key -> an answer that names panelists by letters, with their aliases."),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLayers(FourLayers):
    """The answer in four layers, with what is said about the debate in words."""

    account: Account


class Citations(Said):
    """The sources of a session, by the numbers that its answer has for them."""

    session_id: str
    citations: list[CitedSource]


class Counted(Described):
    """The ballots of a session, counted; no model is asked."""

    session_id: str
    candidates: list[str]
    ballots: Json
    condorcet: str | None
    decisions: list[Decision]


class Turn(Said):
    """One question of a conversation, and its answer."""

    session_id: str
    query: str
    answer: str | None
    status: Status
    mode: str
    created_at: datetime
    cost_usd: float | None


class Conversation(Said):
    """A conversation: questions that were asked one after the other."""

    conversation_id: str
    mode: Annotated[str, Field(description="What the next question has where none is said.")]
    turns: list[Turn]
