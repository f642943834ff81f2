"""Where a session stands, and what its client can do next."""

from __future__ import annotations

from typing import Any

from mutual_dissent.core.events import Status
from mutual_dissent.core.stats import stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.hosting.readiness import only_read
from mutual_dissent.surfaces.facts.layers import layers
from mutual_dissent.surfaces.mcp.size import fitted
from mutual_dissent.views.safe import one_line

Json = dict[str, Any]


def state(t: Transcript) -> Json:
    """Id, status and next step of a session."""
    return {"sessionId": t.transcript_id, "status": t.status.value, "next": next_step(t)}


def next_step(t: Transcript) -> str:
    """What a client may do with a session."""
    match t.status:
        case Status.COMPLETED if t.synthesis is None:
            return "synthesize_debate writes the answer; continue_roundtable adds rounds"
        case Status.COMPLETED:
            return "continue_roundtable adds rounds; export_session gives the whole report"
        case Status.ACTIVE if only_read(t):
            return "the answer is there; the analyst still reads it: get_consensus has its ledger"
        case Status.CREATED | Status.ACTIVE:
            return "still running; get_consensus waits for more, control_session pauses or stops"
        case Status.PAUSED | Status.STOPPED | Status.INTERRUPTED:
            return "control_session with action resume goes on; what was answered is kept"
        case _:
            why = one_line(t.closed_text or t.closed_reason, 300)
            return f"it failed ({why}); control_session with action resume asks for what is missing"


def response(t: Transcript) -> Json:
    """The four layers of a session, with where it stands."""
    shown = {
        **state(t),
        **{name: part for name, part in layers(t).items() if name != "account"},
        "costUsd": stats(t).total.cost_usd,
    }
    return fitted(shown, "texts are cut; get_round_details and get_response_detail have the rest")
