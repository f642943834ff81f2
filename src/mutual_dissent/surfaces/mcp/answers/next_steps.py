"""State of a session, and the calls its client can make next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from mutual_dissent.briefing.continuation import Modes, brief_to_continue
from mutual_dissent.core.codec.plain import shallow
from mutual_dissent.core.errors import UserError
from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.facts.accounts import answer_text
from mutual_dissent.surfaces.mcp.answers.results import RoundtableResponse, SessionState
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.four_layers import four_layers
from mutual_dissent.views.readiness import only_read
from mutual_dissent.views.remarks.earlier import earlier_lines


def state(t: Transcript, modes: Modes) -> SessionState:
    """Id, status and next step of a session."""
    return SessionState(session_id=t.transcript_id, status=t.status, next=next_step(t, modes))


def next_step(t: Transcript, modes: Modes) -> str:
    """Return the next steps that a session allows; none that would be refused."""
    match t.status:
        case Status.COMPLETED:
            return "; ".join(_after_the_end(t, modes))
        case Status.ACTIVE if only_read(t):
            return "the answer is there; the analyst still reads it: get_consensus has its ledger"
        case Status.CREATED | Status.ACTIVE:
            return "still running; get_consensus waits for more, control_session pauses or stops"
        case Status.PAUSED | Status.STOPPED | Status.INTERRUPTED:
            return "control_session with action resume goes on; what was answered is kept"
        case _:
            why = one_line(t.closed_text or t.closed_reason, 300)
            return f"it failed ({why}); control_session with action resume asks for what is missing"


def _after_the_end(t: Transcript, modes: Modes) -> Iterator[str]:
    if t.synthesis is None:
        yield "synthesize_debate writes the answer"
    with suppress(UserError):  # fixed stages, or all rounds were held
        brief_to_continue(t, 1, modes)
        yield "continue_roundtable adds rounds"
    yield "export_session gives the whole report"


def response(t: Transcript, modes: Modes, round_number: int | None = None) -> RoundtableResponse:
    """Return the four layers of a session, with its state, and the answer if written."""
    return RoundtableResponse(
        **shallow(four_layers(t, round_number)),
        status=t.status,
        next=next_step(t, modes),
        answer=answer_text(t) if t.synthesis else None,
        answer_by=t.synthesis.model_alias if t.synthesis else None,
        earlier="; ".join(earlier_lines(t)) or None,
        cost_usd=stats(t).total.cost_usd,
    )
