"""Remarks of the user to the panel, at the place where the panel heard them."""

from __future__ import annotations

from itertools import zip_longest

from mutual_dissent.core.response import SYNTHESIS_ROUND
from mutual_dissent.core.transcript import Transcript

TOLD = "you told the panel"


def remarks_in(t: Transcript, round_number: int) -> list[str]:
    """Remarks that were first shown in a round; with the synthesis also those not yet shown."""
    held = {r.round_number for r in t.rounds}
    heard = zip_longest(t.remarks, t.heard[: len(t.remarks)], fillvalue=SYNTHESIS_ROUND)
    places = ((str(text), n if n in held else SYNTHESIS_ROUND) for text, n in heard)
    return [text for text, place in places if place == round_number]
