"""Numbers as people write them."""

from __future__ import annotations

import math
from decimal import Decimal


def figure(number: float) -> str:
    """A number without an exponent or idle digits: `0.00001`, `-1`, `1,000,000`."""
    if not math.isfinite(number):
        return str(number)
    return f"{Decimal(repr(float(number))):,f}".removesuffix(".0")
