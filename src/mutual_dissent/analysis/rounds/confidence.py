"""Confidence: as panelists state it, how it changed, and what else changed meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mutual_dissent.analysis.rounds.convergence import Flip
from mutual_dissent.analysis.rounds.exposure import previous
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript

_NOTICEABLE = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceChange:
    """Change of a panelist's stated confidence, the round since then, and what came with it."""

    seat: str
    round_number: int
    delta: float
    previous_round: int
    reason: str


def stated_confidence(response: Response) -> float | None:
    """The confidence that an answer states, if it is one."""
    confidence = response.confidence
    return confidence if confidence is not None and 0.0 <= confidence <= 1.0 else None


def confidence_change(
    t: Transcript,
    response: Response,
    flips: Sequence[Flip] = (),
) -> ConfidenceChange | None:
    """The change since its last answer."""
    last = previous(t, response) if response.usable else None
    if last is None:
        return None
    now, then = stated_confidence(response), stated_confidence(last)
    if now is None or then is None:
        return None
    return ConfidenceChange(
        seat=response.model_alias,
        round_number=response.round_number,
        delta=round(now - then, 4),
        previous_round=last.round_number,
        reason=_reason(last, response, flips),
    )


def _reason(last: Response, response: Response, flips: Sequence[Flip]) -> str:
    """Observed difference between two answers; not the cause that moved the panelist."""
    seat, number = response.model_alias, response.round_number
    if any((f.seat, f.round_number) == (seat, number) for f in flips):
        return "its bottom line is another one now"
    return (
        "unchanged"
        if abs((stated_confidence(response) or 0) - (stated_confidence(last) or 0)) < _NOTICEABLE
        else ""
    )
