"""The answer of a debate: its synthesis or, where there is none, the one nearest to all others."""

from __future__ import annotations

from mutual_dissent.analysis.agreement import nearest_to_all
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript


def fallback_answer(t: Transcript) -> Response | None:
    """What is shown instead of a synthesis; None if there is a synthesis, or no answer at all."""
    if t.synthesis is not None or t.last_round is None:
        return None
    return nearest_to_all(t.last_round.responses)


def answer(t: Transcript) -> Response | None:
    """What is shown as the debate's answer, if anything."""
    return t.synthesis or fallback_answer(t)
