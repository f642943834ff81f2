"""Exit code of a debate, and one line about anything that is missing."""

from __future__ import annotations

from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.process.failure import complain
from mutual_dissent.views.panel.names import with_names

ORDERED = {
    "paused": "paused, as it was told to",
    "stopped": "stopped, as it was told to",
}
"""Reason for which a debate was closed, as stored -> as people say it."""

FINE, NO_ANSWER, BUDGET, NOT_SAVED, FINDINGS = 0, 3, 4, 5, 6


def exit_code(transcript: Transcript) -> int:
    """Return the exit code for a debate's end."""
    if transcript.closed_reason == "budget":
        return BUDGET
    if transcript.synthesis is None and transcript.status is not Status.COMPLETED:
        return NO_ANSWER
    if transcript.unsaved:
        return NOT_SAVED
    return FINE


def tell_ending(transcript: Transcript, *, saved: bool = True) -> int:
    """Print what is missing and how to resume, and return the exit code."""
    code = exit_code(transcript)
    if code == NOT_SAVED:
        complain(f"answered, but not saved: {transcript.unsaved}")
    elif transcript.status is not Status.COMPLETED:
        reason = transcript.closed_reason or "it was not finished"
        text = with_names(transcript, transcript.closed_text)
        why = ORDERED.get(reason) or text or reason
        more = " --max-cost USD" if code == BUDGET else ""
        on = f"; go on with: dissent resume {transcript.transcript_id[:8]}{more}"
        complain(why + (on if saved and not transcript.unsaved else ""))
    return code
