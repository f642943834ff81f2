"""The answer of a debate: its synthesis or, where there is none, the best of what there is."""

from __future__ import annotations

from mutual_dissent.analysis.agreement import nearest_to_all
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.measures import election, last_opinions


def fallback_answer(t: Transcript) -> Response | None:
    """What is shown instead of a synthesis; None if there is a synthesis, or no answer at all."""
    if t.synthesis is not None:
        return None
    held = last_opinions(t)
    return best_ranked(t) or (nearest_to_all(held.responses) if held else None)


def best_ranked(t: Transcript) -> Response | None:
    """The answer that the panel's votes put first, if they put one alone there."""
    votes = election(t)
    return t.latest_of(votes.winners[0]) if votes and len(votes.winners) == 1 else None


def answer(t: Transcript) -> Response | None:
    """What is shown as the debate's answer, if anything."""
    return t.synthesis or fallback_answer(t)
