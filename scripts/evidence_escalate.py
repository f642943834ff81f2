"""The mode `escalate`, played over recorded panels: its own script, and the real comparison.

The recordings have no second round. Where the script holds one, everybody keeps its answer, the
calls are counted, and the plurality stands; ties go to whoever was asked first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache

import numpy as np
from evidence_panels import Panel, spread
from evidence_table import EVEN, Recording

from mutual_dissent.analysis.bottom_lines import value_of
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.closing import Closing
from mutual_dissent.core.events import Answered, Opened
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Response, Selection
from mutual_dissent.core.step import Step
from mutual_dissent.core.transcript import OPINION_ROLES, Transcript, opening
from mutual_dissent.engine.measures import measures
from mutual_dissent.engine.notes import note_end
from mutual_dissent.experiments.recordings.rules import RecordedAnswers
from mutual_dissent.experiments.recordings.votes import AnswerTable, score_vote, sheet, trust
from mutual_dissent.experiments.statistics.comparison import folds
from mutual_dissent.experiments.statistics.intervals import Interval, Ints, mean
from mutual_dissent.modes.escalate import ESCALATE, FIRST

SIZE = 5
_AT = datetime(1970, 1, 1, tzinfo=UTC)
Answers = tuple[str | None, ...]
"""What the members of a panel say, in the order in which they are asked; None for nothing."""


@dataclass(frozen=True, kw_only=True)
class Escalated:
    """Panels of one sort in one recording, on average over them.

    Attributes:
        points: how much more often it is right than a vote of all, below 0 where it loses.
        answers: first answers a question; `calls` has the round and the synthesis, too.
        early: the share of questions that two calls answer.
        rounds: the share of questions that get to the round.
    """

    recording: str
    sort: str
    panels: int
    questions: int
    points: Interval
    answers: float
    calls: Interval
    early: float
    rounds: float


@dataclass(frozen=True)
class Played:
    """The end of one debate: the place of the member whose answer it is, and what it took."""

    by: int
    answers: int
    calls: int
    round_held: bool


def escalated(found: Sequence[Recording]) -> list[Escalated]:
    """Panels of five vendors, even ones and the others, asked by record."""
    return [
        _escalated(r, table, sort, panels)
        for r in found
        for table in [sheet([_by_value(i) for i in r.items])]
        for sort, even in (("even", True), ("others", False))
        if (panels := [p for p in r.panels(SIZE) if (spread(p, r.strength) <= EVEN) is even])
    ]


def _escalated(r: Recording, table: AnswerTable, sort: str, panels: Sequence[Panel]) -> Escalated:
    n = len(r.items)
    sums = np.zeros((5, n))
    for panel in panels:
        own = table.only([table.models.index(m) for m in panel])
        for kept, tried in folds(n):
            order = trust(own, kept)
            vote = score_vote(own, order, np.ones(SIZE), tried)
            place, *took = _ends(own.said[tried][:, order])
            right = own.right[tried, np.array(order)[place]] & (place >= 0)
            sums[:, tried] += np.array([right - vote, *took])
    points, answers, calls, early, rounds = sums / len(panels)
    return Escalated(
        recording=r.name,
        sort=sort,
        panels=len(panels),
        questions=n,
        points=mean(points),
        answers=float(answers.mean()),
        calls=mean(calls),
        early=float(early.mean()),
        rounds=float(rounds.mean()),
    )


def _by_value(item: RecordedAnswers) -> RecordedAnswers:
    """The answers as the program reads closed ones; one that all give is one, however it reads."""
    if len(set(item.answers.values())) == 1:
        return item
    read = {a: value_of(a, item.question) or a for a in set(item.answers.values()) if a}
    return replace(item, answers={m: a and read[a] for m, a in item.answers.items()})


def _ends(said: Ints) -> Ints:
    """For each question: the winner's place, first answers, calls, whether two did, and a round."""
    first = (said[:, :, None] == said[:, None, :]).argmax(axis=2)
    names = np.where(said < 0, 0, first + 1)
    codes = names @ (10 ** np.arange(SIZE))
    _, one, which = np.unique(codes, return_index=True, return_inverse=True)
    ends = [play(tuple(f"{a}0" if a else None for a in row)) for row in names[one].tolist()]
    rows = [(e.by, e.answers, e.calls, e.calls == FIRST, e.round_held) for e in ends]
    found: Ints = np.array(rows, dtype=np.int64)[which.ravel()].T
    return found


@cache
def play(said: Answers) -> Played:
    """Walk the mode's script with recorded answers, measured as the engine measures them."""
    panel = tuple(
        Panelist(seat=f"p{n}", route=Route(vendor="recorded", model_id=f"p{n}"))
        for n in range(len(said))
    )
    brief = Brief(
        transcript_id="recorded", query="How many?", panel=panel, synthesizer=panel[0],
        mode=ESCALATE.name, rounds=0,
    )  # fmt: skip
    now, calls, held = opening(Opened(at=_AT, brief=brief)), 0, 0
    script = ESCALATE.script(now)
    step: Step | Selection = next(script)
    while isinstance(step, Step) and step.role in OPINION_ROLES:
        held += len(step.turns) if step.role == "reflection" else 0
        calls += len(step.turns)
        for turn in step.turns:
            place = panel.index(turn.panelist)
            now = now.apply(_answer(step, turn.panelist, said[place], step.key(turn)))
        now = now.apply(note_end(step, measures(now, step), _AT))
        step = script.send(now)
    if isinstance(step, Selection):
        author = now.answered[step.about].model_alias
        return Played(int(author[1:]), calls - held, calls, held > 0)
    return Played(_plurality(now, said), calls - held, calls + 1, held > 0)


def _answer(step: Step, who: Panelist, said: str | None, key: str) -> Answered:
    response = Response(
        model_id=who.model_id, model_alias=who.seat, round_number=step.round_number,
        role=step.role, content=said or "I cannot tell.", timestamp=_AT,
        closing=Closing(bottom_line=said or ""),
    )  # fmt: skip
    return Answered(at=_AT, key=key, seat=who.seat, request_hash="", response=response)


def _plurality(now: Transcript, said: Answers) -> int:
    """The first member with the answer that most of those who were asked give; -1 for none."""
    asked = [int(p.seat[1:]) for p in now.panelists if now.latest_of(p.seat)]
    votes = Counter(s for n in asked if (s := said[n]))
    return max((n for n in asked if said[n]), key=lambda n: votes[str(said[n])], default=-1)
