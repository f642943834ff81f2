"""Readiness of a debate for its client: an answer never waits for the analyst that reads it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import ANALYSIS, Transcript

Reading = Literal["none", "waiting", "running", "done", "failed"]
UNDER_WAY = frozenset({Status.CREATED, Status.ACTIVE})


def has_answer(t: Transcript) -> bool:
    """Tell whether the answer is there."""
    return t.synthesis is not None


def analysis_of(t: Transcript) -> Reading:
    """Progress of the analyst's reading of a debate."""
    read = [a for a in t.asides if a.role == ANALYSIS]
    if any(a.usable for a in read):
        return "done"
    if t.brief.analyst is not None and t.status in UNDER_WAY:
        return "running" if has_answer(t) else "waiting"
    return "failed" if read else "none"


def only_read(t: Transcript) -> bool:
    """Tell whether the answer is there and only an analyst is yet to read it."""
    return has_answer(t) and analysis_of(t) != "none"


def up_to_answer(t: Transcript) -> Transcript:
    """The debate for readers that want its answer: steps after the answer do not count.

    A debate whose answer is written is not called unfinished because an analyst still reads it.
    """
    being_read = t.status is Status.ACTIVE and has_answer(t)
    return replace(t, status=Status.COMPLETED) if being_read else t
