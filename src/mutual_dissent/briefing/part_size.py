"""The size of a part of a long text, so that it fits the context of everyone who is to read it."""

from __future__ import annotations

from collections.abc import Sequence

from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.ports import Prices
from mutual_dissent.core.response import tokens_in
from mutual_dissent.prompts.window import ANSWER, CAUTION, CHARACTERS

UNKNOWN_WINDOW = 32_000
"""Tokens that a model is taken to accept if nobody says how many."""

LARGEST = 120_000
"""Characters that a reviewer is given at once, however much it could take: about 3,000 lines."""

SMALLEST = 2_000
TASK = 2_000
"""Tokens of everything else in a request: the system text, the task, the form."""

TEXT_SHARE = 0.7
"""Of the rest, for the text itself; findings that are to be checked stand beside it."""


def part_size(panel: Sequence[Panelist], query: int, prices: Prices | None) -> int:
    """Characters of attached text that every panelist can be shown at once.

    Args:
        query: the characters of the query, which goes with every request.
    """
    known = (prices.context_window(p.route) if prices else None for p in panel)
    window = min(tokens or UNKNOWN_WINDOW for tokens in known)
    answer = min(2 * ANSWER, window // 4)
    left = (window - answer) / CAUTION - TASK - tokens_in(query)
    return int(min(LARGEST, max(SMALLEST, left * CHARACTERS * TEXT_SHARE)))
