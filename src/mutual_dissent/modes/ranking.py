"""Ranking: answer alone, rank the others' answers blind, and the chairman reports the vote."""

from __future__ import annotations

from mutual_dissent.core.checks import has_ballot
from mutual_dissent.core.form import AFTER_READING, Form
from mutual_dissent.core.sight import ballot_paper, council
from mutual_dissent.core.step import Mode, Script, conclude, together
from mutual_dissent.core.transcript import Transcript

FORM = Form(name="ballot", position=AFTER_READING, ranking=True)


def script(so_far: Transcript) -> Script:
    """Nobody votes on its own answer; it is there to compare with."""
    so_far = yield together(so_far.panelists, "common/answer", role="initial", round_number=0)
    so_far = yield together(
        so_far.standing,
        "ranking/rank",
        role="evaluation",
        round_number=1,
        sees=ballot_paper,
        form=FORM,
        checks=(has_ballot,),
    )
    yield from conclude(so_far, "ranking/report", sees=council)


RANKING = Mode(
    name="ranking",
    summary="Everyone answers, then ranks the others blind; the chairman reports the winner.",
    script=script,
    rounds=None,
    min_panel=3,
    unsigned=True,
)
