"""A quote as plain values: what a debate would take."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mutual_dissent.engine.quote import Quote


def quote_to_json(quote: Quote) -> dict[str, Any]:
    """The quote with its totals."""
    totals = ("calls", "input_tokens", "output_tokens", "cost_usd", "at_most")
    lines = [asdict(line) for line in quote.lines]
    return {**{name: getattr(quote, name) for name in totals}, "lines": lines}
