"""Devil's advocate: one argues for, one against, the rest weigh, until one side gives up."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mutual_dissent.core.checks import STANCE_OF, STRUCTURED, takes_assigned_stance
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.form import Form
from mutual_dissent.core.panel import ROLES, Panelist
from mutual_dissent.core.sight import all_said_in_turn, whole_debate_in_turn
from mutual_dissent.core.step import (
    Assignments,
    Mode,
    Script,
    Step,
    conclude,
    in_turn,
    opinion,
    rounds,
)
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.modes.assignment import one_of, seats_of

FORM = Form(name="argument", stance=True)
SIDES = tuple(STANCE_OF)


def script(so_far: Transcript) -> Script:
    """The case comes first, then the opposition, then those who weigh both.

    Once a side has conceded, no further round is held: there is nobody left to argue with.
    """
    so_far = yield from rounds(so_far, _round)
    yield from conclude(so_far, "devils-advocate/report", sees=whole_debate_in_turn)


def assign(panel: tuple[Panelist, ...], given: Assignments) -> tuple[Panelist, ...]:
    """Roles by name; the others fill what is missing, in the order of their seats."""
    of = {s: one_of("role", ROLES, r) for s, r in seats_of(panel, given.role_of).items()}
    for panelist in panel:
        of.setdefault(panelist.seat, _missing(of.values()))
    if lacking := [side for side in SIDES if side not in of.values()]:
        raise BadInput(f"nobody is {lacking[0]}; give that role to a panelist, or leave one free")
    return tuple(replace(p, role=of[p.seat]) for p in panel)


def _missing(taken: Collection[str]) -> str:
    return next((side for side in SIDES if side not in taken), "EVALUATOR")


def _round(so_far: Transcript, n: int) -> Step:
    """Sides are given for the opening alone: whoever is convinced later may say so."""
    opening = (takes_assigned_stance,) if n == 0 else ()
    return in_turn(
        # The case is made before it is opposed, wherever they sit.
        sorted(so_far.standing, key=lambda p: ROLES.index(_role(p))),
        lambda p: f"devils-advocate/{_role(p).lower()}",
        role=opinion(n),
        round_number=n,
        sees=all_said_in_turn,
        form=FORM,
        checks=(*STRUCTURED, *opening),
    )


def _role(panelist: Panelist) -> str:
    return panelist.role or "EVALUATOR"


DEVILS_ADVOCATE = Mode(
    name="devils-advocate",
    summary="One argues for, one against, the rest evaluate; finds the weaknesses of a position.",
    script=script,
    rounds=3,
    max_rounds=10,
    first_counts=True,
    min_panel=3,
    assign=assign,
    structured=True,
)
