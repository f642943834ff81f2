"""Collaborative: everyone builds on what the others have said, round after round."""

from __future__ import annotations

from mutual_dissent.core.checks import STRUCTURED
from mutual_dissent.core.form import Form
from mutual_dissent.core.sight import all_said
from mutual_dissent.core.step import Mode, Script, Step, conclude, opinion, rounds, together
from mutual_dissent.core.transcript import Transcript

FORM = Form(name="contribution")


def script(so_far: Transcript) -> Script:
    """The panel looks for a common answer, with all that was said before on the table."""
    so_far = yield from rounds(so_far, _round)
    yield from conclude(so_far, "common/synthesis")


def _round(so_far: Transcript, n: int) -> Step:
    return together(
        so_far.standing,
        "collaborative/build" if n else "collaborative/propose",
        role=opinion(n),
        round_number=n,
        sees=all_said,
        form=FORM,
        checks=STRUCTURED,
    )


COLLABORATIVE = Mode(
    name="collaborative",
    summary="Everyone reads all earlier rounds and builds on them, to find a common answer.",
    script=script,
    rounds=3,
    max_rounds=10,
    first_counts=True,
    structured=True,
)
