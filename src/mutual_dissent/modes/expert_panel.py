"""Expert panel: each panelist answers for one perspective, and hears the others in theirs."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from itertools import cycle

from mutual_dissent.core.checks import STRUCTURED
from mutual_dissent.core.errors import BadInput, UnknownName
from mutual_dissent.core.form import Form
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.sight import all_said
from mutual_dissent.core.step import (
    Assignments,
    Mode,
    Script,
    Step,
    conclude,
    opinion,
    rounds,
    together,
)
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.modes.assignment import seats_of

FORM = Form(name="assessment")
PERSPECTIVES = ("technical", "economic", "ethical", "social")
LONGEST = 120


def script(so_far: Transcript) -> Script:
    """Perspectives are shown with every answer, so that all know what it was looked at from."""
    so_far = yield from rounds(so_far, _round)
    yield from conclude(so_far, "expert-panel/report")


def assign(panel: tuple[Panelist, ...], given: Assignments) -> tuple[Panelist, ...]:
    """Perspectives by name, and the rest dealt out, those that nobody has first."""
    of = seats_of(panel, given.perspective_of)
    # When every perspective was given to somebody, dealing begins anew.
    left = [p for p in _dealt(given) if p not in of.values()] or list(_dealt(given))
    more = cycle(left)
    return tuple(replace(p, perspective=_named(of.get(p.seat) or next(more))) for p in panel)


def _dealt(given: Assignments) -> tuple[str, ...]:
    """The perspectives in the order in which they are dealt."""
    wanted = tuple(dict.fromkeys(given.perspectives)) or PERSPECTIVES
    if given.how == "random":
        # Shuffled by seed without `random`, which modes may not import (pyproject.toml).
        return tuple(sorted(wanted, key=lambda p: sha256(f"{given.seed}/{p}".encode()).digest()))
    if given.how != "round-robin":
        raise UnknownName("way to assign perspectives", given.how, ("random", "round-robin"))
    return wanted


def _named(perspective: str) -> str:
    name = " ".join(perspective.split())
    if not name or len(name) > LONGEST or not name.isprintable():
        raise BadInput(f"a perspective is named in 1 to {LONGEST} characters; shorten or fill it")
    return name


def _round(so_far: Transcript, n: int) -> Step:
    return together(
        so_far.standing,
        "expert-panel/discuss" if n else "expert-panel/assess",
        role=opinion(n),
        round_number=n,
        sees=all_said,
        form=FORM,
        checks=STRUCTURED,
    )


EXPERT_PANEL = Mode(
    name="expert-panel",
    summary="Each answers from a perspective: technical, economic, ethical, social, or your own.",
    script=script,
    rounds=3,
    max_rounds=10,
    first_counts=True,
    assign=assign,
    structured=True,
)
