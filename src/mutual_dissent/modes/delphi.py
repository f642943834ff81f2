"""Delphi: estimate alone, see the others unsigned, revise until the panel settles."""

from __future__ import annotations

from mutual_dissent.core.checks import STRUCTURED
from mutual_dissent.core.form import Form
from mutual_dissent.core.sight import nothing, unsigned_debate, unsigned_with_estimates
from mutual_dissent.core.step import Mode, Script, Step, conclude, opinion, rounds, together
from mutual_dissent.core.transcript import Transcript

FORM = Form(name="estimate", stance=True)


def script(so_far: Transcript) -> Script:
    """Names never travel between panelists, so nobody defers to a famous model."""
    so_far = yield from rounds(so_far, _round)
    yield from conclude(so_far, "delphi/report", sees=unsigned_debate)


def _round(so_far: Transcript, n: int) -> Step:
    return together(
        so_far.standing,
        "delphi/revise" if n else "delphi/estimate",
        role=opinion(n),
        round_number=n,
        sees=unsigned_with_estimates if n else nothing,
        form=FORM,
        checks=STRUCTURED,
    )


DELPHI = Mode(
    name="delphi",
    summary="Anonymous estimates, revised on unsigned answers and statistics until they settle.",
    script=script,
    rounds=3,
    max_rounds=10,
    first_counts=True,
    structured=True,
    unsigned=True,
)
