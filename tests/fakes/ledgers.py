"""What an analyst may reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mutual_dissent.core.response import Ask


def reply(**fields: Any) -> str:
    """A complete reply, with some fields."""
    names = ("positions", "contested", "common_ground", "minority", "corrections", "missing")
    return json.dumps({**{n: [] for n in names}, **fields})


def letters(ask: Ask) -> dict[str, str]:
    """Seat -> the letter that the analyst knows it by."""
    return {seat: label.rpartition(" ")[2] for label, seat in ask.labels.items()}


def reads(make: Callable[[dict[str, str]], dict[str, Any]]) -> Callable[[Ask], str]:
    """An analyst whose reply is made from the letters of the seats."""
    return lambda ask: reply(**make(letters(ask)))


def two_positions(ask: Ask) -> str:
    """An analyst that puts everybody but the last panelist into one position."""
    *most, last = sorted(letters(ask).items())
    return reply(
        positions=[
            {"statement": "Use tabs.", "holders": [letter for _, letter in most]},
            {"statement": "Use spaces.", "holders": [last[1]]},
        ]
    )
