"""Adversarial: one after the other, each challenges who spoke before, then takes a position."""

from __future__ import annotations

from mutual_dissent.core.checks import STRUCTURED
from mutual_dissent.core.form import Form
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.sight import table_of, whole_debate_in_turn
from mutual_dissent.core.step import Mode, Script, Step, conclude, in_turn, opinion, rounds
from mutual_dissent.core.transcript import Transcript

FORM = Form(name="challenge")


def script(so_far: Transcript) -> Script:
    """The first speaker of a round challenges the last speaker of the round before."""
    so_far = yield from rounds(so_far, _round)
    yield from conclude(so_far, "common/synthesis", sees=whole_debate_in_turn)


def _round(so_far: Transcript, n: int) -> Step:
    first = so_far.standing[0]

    def prompt(panelist: Panelist) -> str:
        # The first speaker has nobody to challenge.
        opens = n == 0 and panelist == first
        return "adversarial/open" if opens else "adversarial/challenge"

    return in_turn(
        so_far.standing,
        prompt,
        role=opinion(n),
        round_number=n,
        sees=table_of(n),
        form=FORM,
        checks=STRUCTURED,
    )


ADVERSARIAL = Mode(
    name="adversarial",
    summary="In turn, each challenges the panelist before it and defends a position of its own.",
    script=script,
    rounds=3,
    max_rounds=10,
    first_counts=True,
    structured=True,
)
