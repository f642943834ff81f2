"""Devil's advocate: one argues for, one against, the rest weigh; nobody may change sides."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mutual_dissent.core.checks import STANCE_OF, STRUCTURED, takes_assigned_stance
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.form import Form
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.parts import one_of, seats_of
from mutual_dissent.core.sight import all_said
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

FORM = Form(name="argument", stance=True)
ROLES = tuple(STANCE_OF)
SIDES = ("PRIMARY", "OPPOSITION")


def script(so_far: Transcript) -> Script:
    """The case comes first, then the opposition, then those who weigh both."""
    so_far = yield from rounds(so_far, _round)
    yield from conclude(so_far, "devils-advocate/report")


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
    return in_turn(
        sorted(so_far.standing, key=lambda p: ROLES.index(_role(p))),
        lambda p: f"devils-advocate/{_role(p).lower()}",
        role=opinion(n),
        round_number=n,
        sees=all_said,
        form=FORM,
        checks=(*STRUCTURED, takes_assigned_stance),
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
