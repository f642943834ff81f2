"""The message that a webhook gets when a debate ends: the answer in short, under REST's names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import plain
from mutual_dissent.views.answer import answer
from mutual_dissent.views.heading import heading
from mutual_dissent.views.remarks.readable import named_text

CLOSED, PING = "debate.closed", "ping"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedDebate(Shape):
    """A debate that ended: what it was about, how it ended, and its answer."""

    session_id: str
    conversation_id: str
    status: Status
    reason: str
    mode: str
    query: str
    heading: str
    answer: str | None
    answer_by: str | None
    is_fallback: bool
    agreement: float | None
    rounds: int
    tokens: int
    cost_usd: float | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookMessage(Shape):
    """An event as webhooks have it; `data` is None in a ping."""

    type: str
    timestamp: datetime
    data: ClosedDebate | None = None


def closed_debate(t: Transcript) -> ClosedDebate:
    """A debate as a webhook is told of it."""
    shown, total = answer(t), stats(t).total
    return ClosedDebate(
        session_id=t.transcript_id,
        conversation_id=t.brief.conversation or t.transcript_id,
        status=t.status,
        reason=t.closed_reason,
        mode=t.brief.mode,
        query=plain(t.query),
        heading=plain(heading(t)),
        answer=plain(named_text(t, shown)).strip() if shown else None,
        answer_by=shown.model_alias if shown else None,
        is_fallback=shown is not None and t.synthesis is None,
        agreement=t.agreement,
        rounds=len(t.rounds),
        tokens=total.tokens,
        cost_usd=total.cost_usd,
        created_at=t.created_at,
        updated_at=t.updated_at or t.created_at,
    )
