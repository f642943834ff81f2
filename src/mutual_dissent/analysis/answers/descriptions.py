"""Descriptions of pictures: one who sees them tells those who do not, once, before the debate."""

from __future__ import annotations

from dataclasses import replace

from mutual_dissent.core.step import Script, alone
from mutual_dissent.core.transcript import DESCRIPTION, Transcript

PROMPT = "common/description"


def script(so_far: Transcript) -> Script:
    """Ask the first who can, where somebody sees no pictures; another one if that fails."""
    if not so_far.brief.blind:
        return
    for describer in so_far.brief.describers:
        if so_far.description is not None:
            return
        # Without its part in the debate: what is on a picture is no matter of perspective.
        plain = replace(describer, instructions="", context="", perspective=None)
        so_far = yield alone(plain, PROMPT, role=DESCRIPTION, round_number=0, replaceable=True)


def is_missing(so_far: Transcript) -> bool:
    """Return whether somebody would have to speak about pictures of which it knows nothing."""
    return bool(so_far.brief.blind) and so_far.description is None
