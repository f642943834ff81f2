"""Weighing: what is measured when a step is over. Pure; the loop records what it returns."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from mutual_dissent.analysis import agreement, grading
from mutual_dissent.core.events import Scored
from mutual_dissent.core.response import Ask, Response
from mutual_dissent.core.step import Step
from mutual_dissent.core.transcript import PANEL_ROLES, Transcript


def measures(so_far: Transcript, step: Step) -> dict[str, Any]:
    """How far the answers of a panel step agree, and by which measure."""
    round_ = so_far.round(step.round_number)
    if step.role not in PANEL_ROLES or round_ is None:
        return {}
    level = agreement.agreement(round_.responses)
    return {} if level is None else {"agreement": level, "measure": agreement.MEASURE}


def scored(so_far: Transcript, ask: Ask, reply: Response, at: datetime) -> Scored | None:
    """The score in a judge's reply."""
    if ask.role != "judge":
        return None
    brief = so_far.brief
    same = brief.judge is not None and brief.judge.model_id == brief.synthesizer.model_id
    score = grading.score(reply, brief.rubric, judge_is_synthesizer=same)
    return Scored(at=at, about=ask.about, name=grading.SCORE, score=score)
