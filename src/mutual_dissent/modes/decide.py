"""Decide: options and criteria alone, then all of them rated by everyone; code adds it up."""

from __future__ import annotations

from dataclasses import replace

from mutual_dissent.analysis.decision.grid import grid_of
from mutual_dissent.analysis.decision.table import decision_table, table_lines
from mutual_dissent.core.checks import STRUCTURED, has_options, has_scores
from mutual_dissent.core.form import Form
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.sight import Seen, everyone_else, whole_debate
from mutual_dissent.core.step import Mode, Script, conclude, together
from mutual_dissent.core.transcript import Transcript

RECOMMENDATION = "the option that you recommend, in one sentence that can stand alone"
OPTIONS = Form(name="options", options=True, position=RECOMMENDATION)
SCORES = Form(name="scores", scores=True, position=RECOMMENDATION)


def script(so_far: Transcript) -> Script:
    """Nobody sees a score of anybody: what is added up are judgements, not echoes."""
    so_far = yield together(
        so_far.panelists,
        "decide/options",
        role="initial",
        round_number=0,
        form=OPTIONS,
        checks=(*STRUCTURED, has_options),
    )
    so_far = yield together(
        so_far.standing,
        "decide/scores",
        role="reflection",
        round_number=1,
        sees=_with_list,
        form=SCORES,
        checks=(*STRUCTURED, has_scores),
    )
    yield from conclude(so_far, "decide/report", sees=_with_table)


def _with_list(so_far: Transcript, reader: Panelist) -> Seen:
    """The others' first answers, and the list of all options and criteria."""
    return replace(everyone_else(so_far, reader), grid=grid_of(so_far).words)


def _with_table(so_far: Transcript, reader: Panelist) -> Seen:
    """The whole debate, and the table that code made of the scores."""
    table = decision_table(so_far)
    rows = table_lines(table) if table else []
    return replace(whole_debate(so_far, reader), grid="\n".join(" | ".join(row) for row in rows))


DECIDE = Mode(
    name="decide",
    summary="Options and criteria are named alone, then rated by everyone; code adds it up.",
    script=script,
    rounds=None,
    structured=True,
    with_user=False,
)
