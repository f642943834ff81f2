"""Descriptions of pictures: one who sees them tells those who do not, once, before the debate."""

from __future__ import annotations

from dataclasses import replace

from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Finish, Response
from mutual_dissent.core.step import Script, Step, alone
from mutual_dissent.core.transcript import DESCRIPTION, Transcript

PROMPT = "common/description"


def script(so_far: Transcript) -> Script:
    """Ask the first who can, where somebody sees no pictures; another one if that fails.

    Whoever came out empty is asked once more where nobody else could tell: it may see them.
    """
    if not so_far.brief.blind:
        return
    for describer in so_far.brief.describers:
        if so_far.description is not None:
            return
        so_far = yield _asking(describer)
    empty = {a.model_alias for a in so_far.asides if a.role == DESCRIPTION and _is_empty(a)}
    again = next((d for d in so_far.brief.describers if d.seat in empty), None)
    if again and so_far.description is None:
        yield _asking(again, about="again")


def _asking(describer: Panelist, about: str = "") -> Step:
    # Without its part in the debate: what is on a picture is no matter of perspective.
    plain = replace(describer, instructions="", context="", perspective=None)
    step = alone(plain, PROMPT, role=DESCRIPTION, round_number=0, replaceable=True)
    (turn,) = step.turns
    return replace(step, turns=(replace(turn, about=about),), part=about)


def _is_empty(told: Response) -> bool:
    return told.finish is Finish.EMPTY or (told.usable and not told.text.strip())


def is_missing(so_far: Transcript) -> bool:
    """Return whether somebody would have to speak about pictures of which it knows nothing."""
    return bool(so_far.brief.blind) and so_far.description is None
