"""Endings: how a debate is closed, whether its script ran to the end or could not go on."""

from __future__ import annotations

from mutual_dissent.core.events import Status
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.core.transcript import Transcript

RESTING = "resting"
"""The reason of a debate that comes to rest because whoever runs it does."""

RESUMED = (Status.PAUSED, Status.INTERRUPTED)
"""How a debate is closed that was told to wait, not to end."""


CUT_SHORT = frozenset({"budget", "timeout"})
"""Reasons to hold no further round, and yet to write the answer from what is there."""


class DebateEnding(Exception):
    """The debate cannot go on: how it is closed."""

    def __init__(self, status: Status, reason: str, text: str) -> None:
        super().__init__(text)
        self.status, self.reason, self.text = status, reason, text


def ending(so_far: Transcript) -> DebateEnding:
    """Return how a script that ran to its end is closed."""
    if so_far.synthesis is not None or not so_far.brief.synthesize:
        return DebateEnding(Status.COMPLETED, "done", "")
    if broke := [r for r in so_far.failed_syntheses if r.error_kind is ErrorKind.CREDITS]:
        return DebateEnding(Status.STOPPED, "credits", broke[-1].error or "")
    tried = [f"{r.model_alias}: {r.error or r.finish.value}" for r in so_far.failed_syntheses]
    return DebateEnding(Status.ERROR, "synthesis", "not synthesized: " + "; ".join(tried))
