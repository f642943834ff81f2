"""Socratic: the panel examines the query by questions, which stay open until they are answered."""

from __future__ import annotations

from mutual_dissent.core.checks import STRUCTURED
from mutual_dissent.core.form import Form
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.sight import inquiry_of, whole_inquiry
from mutual_dissent.core.step import Mode, Script, Step, conclude, in_turn, opinion, rounds
from mutual_dissent.core.transcript import Transcript

FORM = Form(name="inquiry", questions=True)


def script(so_far: Transcript) -> Script:
    """The panelist that asked a question keeps it open, or drops it once it is answered."""
    so_far = yield from rounds(so_far, _round)
    yield from conclude(so_far, "socratic/report", sees=whole_inquiry)


def _round(so_far: Transcript, n: int) -> Step:
    first = so_far.standing[0]

    def prompt(panelist: Panelist) -> str:
        opens = n == 0 and panelist == first
        return "socratic/open" if opens else "socratic/inquire"

    return in_turn(
        so_far.standing,
        prompt,
        role=opinion(n),
        round_number=n,
        sees=inquiry_of(n),
        form=FORM,
        checks=STRUCTURED,
    )


SOCRATIC = Mode(
    name="socratic",
    summary="In turn, each answers the open questions and asks those that would decide the matter.",
    script=script,
    rounds=3,
    max_rounds=10,
    first_counts=True,
    structured=True,
)
