"""Hybrid: critique and ranking in one evaluation; the chairman improves on the winner."""

from __future__ import annotations

from mutual_dissent.core.checks import has_ballot, has_critique
from mutual_dissent.core.form import AFTER_READING, Form
from mutual_dissent.core.sight import ballot_paper, council
from mutual_dissent.core.step import Mode, Script, conclude, together
from mutual_dissent.core.transcript import Transcript

FORM = Form(name="evaluation", position=AFTER_READING, critique=True, ranking=True)


def script(so_far: Transcript) -> Script:
    """One evaluation gives both, so that it costs no more calls than either."""
    so_far = yield together(so_far.panelists, "common/answer", role="initial", round_number=0)
    so_far = yield together(
        so_far.standing,
        "hybrid/evaluate",
        role="evaluation",
        round_number=1,
        sees=ballot_paper,
        form=FORM,
        checks=(has_critique, has_ballot),
    )
    yield from conclude(so_far, "hybrid/report", sees=council)


HYBRID = Mode(
    name="hybrid",
    summary="Everyone answers, criticises and ranks the others blind; the winner is improved on.",
    script=script,
    rounds=None,
    min_panel=3,
    unsigned=True,
)
