"""The inquiry: the panelist and the question that the synthesizer names, read from its reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mutual_dissent.analysis.answers.json_in_text import objects_in
from mutual_dissent.analysis.answers.labels import KnownLabels
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import REPLY

MOST_QUESTION = 1_000
SUPPOSED_QUESTION = "x" * 200


def inquiring(reply: Response, labels: Mapping[str, str]) -> Response:
    """The reply with the seat and the question that it names; None if it has no question.

    Args:
        labels: label -> seat, as the synthesizer was shown them.
    """
    if not reply.usable:
        return reply
    objects = [o for o in objects_in(reply.content) if "question" in o]
    fields: dict[str, Any] = objects[-1] if objects else {}
    seat, question = KnownLabels(labels).seat(fields.get("panelist")), fields.get("question")
    words = " ".join(question.split())[:MOST_QUESTION] if isinstance(question, str) else ""
    request = {"seat": seat, "question": words} if seat and words else None
    return replace(reply, analysis={**reply.analysis, REPLY: request})


def hypothetical_inquiry(panel: Sequence[Panelist]) -> dict[str, Any]:
    """Measures of an inquiry that was not held, as if a panelist had asked a question."""
    return {REPLY: {"seat": panel[0].seat, "question": SUPPOSED_QUESTION}}
