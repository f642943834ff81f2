"""What panelists asked of the user, and how it is answered."""

from __future__ import annotations

from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.phrases import round_name
from mutual_dissent.views.safe import one_line

TITLE = "asked of you"
UNDER_WAY = (Status.CREATED, Status.ACTIVE)


def requests(t: Transcript) -> list[str]:
    """What was asked and not answered since, in a line each."""
    return [
        one_line(f"{r.seat} ({round_name(r.round_number)}): {r.text}", 400) for r in t.open_requests
    ]


def answering(t: Transcript) -> str:
    """How the user answers: told while a debate is under way, else before it goes on."""
    short = one_line(t.transcript_id[:8], 8)
    if t.status in UNDER_WAY:
        return f'dissent tell {short} "..."'
    if t.status is not Status.COMPLETED:
        return f'dissent resume {short} --remark "..."'
    if t.brief.rounds == 0:  # stages are fixed
        return f"{t.brief.mode} cannot be continued; ask again and say it in the query"
    return f'dissent continue {short} --remark "..."'
