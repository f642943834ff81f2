"""Consensus: answer alone, criticise the others' answers blind, and one text is made of all."""

from __future__ import annotations

from mutual_dissent.core.checks import has_critique
from mutual_dissent.core.form import AFTER_READING, Form
from mutual_dissent.core.sight import ballot_paper, council
from mutual_dissent.core.step import Mode, Script, conclude, together
from mutual_dissent.core.transcript import Transcript

FORM = Form(name="critique", position=AFTER_READING, critique=True)


def script(so_far: Transcript) -> Script:
    """Nothing is ranked: the chairman prefers the best evidence to the middle ground."""
    so_far = yield together(so_far.panelists, "common/answer", role="initial", round_number=0)
    so_far = yield together(
        so_far.standing,
        "consensus/critique",
        role="evaluation",
        round_number=1,
        sees=ballot_paper,
        form=FORM,
        checks=(has_critique,),
    )
    yield from conclude(so_far, "consensus/report", sees=council)


CONSENSUS = Mode(
    name="consensus",
    summary="Everyone answers, then criticises the others blind; the chairman writes one text.",
    script=script,
    rounds=None,
    unsigned=True,
)
