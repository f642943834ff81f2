"""Weighing: what is measured when a step is over. Pure; the loop records what it returns."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from mutual_dissent.analysis import agreement, grading
from mutual_dissent.analysis.structure import structured
from mutual_dissent.core.checks import STANCE_OF
from mutual_dissent.core.events import Scored
from mutual_dissent.core.response import Ask, Response, same_model
from mutual_dissent.core.step import Step, Turn
from mutual_dissent.core.transcript import PANEL_ROLES, Transcript


def read(ask: Ask, turn: Turn, response: Response) -> Response:
    """The response with its structure, where the turn asks for one.

    Whoever has a role keeps its stance: what was really said stands beside it, and is flagged.
    """
    if turn.form is None:
        return response
    found = structured(response, turn.form, ask.labels)
    wanted = STANCE_OF.get(turn.panelist.role or "") if turn.form.stance else None
    if not found.usable or wanted is None or found.stance == wanted:
        return found
    flag = f"stance: assigned {wanted}, said {found.stance or 'nothing readable'}"
    return replace(found, stance=wanted, stated_stance=found.stance, flags=(*found.flags, flag))


def complaint(turn: Turn, response: Response | None) -> str | None:
    """What is wrong with a structured answer, in words for its author; None if nothing is."""
    if response is None or not response.usable:
        return None
    found = (check(response, turn.panelist) for check in turn.checks)
    return "; ".join(c for c in found if c) or None


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
    writer = so_far.synthesis.model_id if so_far.synthesis else brief.synthesizer.model_id
    same = same_model(reply.model_id, writer)
    score = grading.score(reply, brief.rubric, judge_is_synthesizer=same)
    return Scored(at=at, about=ask.about, name=grading.SCORE, score=score)
