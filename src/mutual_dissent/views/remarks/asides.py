"""Asides: texts for the panel to read, beside its answers."""

from __future__ import annotations

from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript

SHOWN = {
    "digest": "digest of the round before",
    "summary": "summary of earlier rounds",
    "follow_up": "reply to the follow-up",
}
"""The roles of asides that readers are shown, with their names."""


def asides(t: Transcript, round_number: int) -> tuple[Response, ...]:
    """The digests, summaries and replies that were read in a round, in the order of writing."""
    return tuple(a for a in t.asides if a.role in SHOWN and a.round_number == round_number)
