"""Retries: which failures are worth another attempt, and the backoff before it."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from mutual_dissent.core.response import ErrorKind
from mutual_dissent.providers.dialects.base import VendorError

PASSING = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED, ErrorKind.CONNECTION})
"""Failures that another attempt may cure, and that are not billed."""

# Anthropic's status for too much traffic; others answer 429 or 503.
OVERLOADED = 529
_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9})?")
_SKEW = 5.0  # seconds by which clocks may differ before the vendor's own is believed
_GRAIN = 0.01  # a timer may fire a little early


def is_too_many(error: VendorError | None) -> bool:
    """Return whether a vendor refuses for too many calls, and not one model behind a gateway."""
    if error is None or error.upstream:
        return False
    return error.kind is ErrorKind.RATE_LIMIT or error.status == OVERLOADED


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that the vendor asks to wait, from `Retry-After` or `retry-after-ms`."""
    milliseconds = headers.get("retry-after-ms", "").strip()
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    value = headers.get("Retry-After", "").strip()
    if _NUMBER.fullmatch(value):
        return float(value)
    until = _date(value)
    return max(0.0, (until - _vendor_now(headers, now)).total_seconds()) if until else None


def pause(asked: float | None, attempt: int, base: float) -> float:
    """Return the backoff in seconds: at least what was asked for, else exponential; with jitter.

    Args:
        asked: the wait that the vendor asked for, if any.
        attempt: the number of failed attempts, from 1.
        base: the backoff after the first one.
    """
    if not asked:
        # The jitter keeps calls that failed together from coming back together.
        return float(base * 2 ** (attempt - 1) * random.uniform(1.0, 1.5))
    return asked + _GRAIN + asked * random.uniform(0.0, 0.12)


def _date(value: str) -> datetime | None:
    try:
        read = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _vendor_now(headers: Mapping[str, str], now: datetime) -> datetime:
    """Return our clock, unless the vendor's `Date` shows that one of the two is wrong."""
    theirs = _date(headers.get("Date", ""))
    return theirs if theirs and abs((theirs - now).total_seconds()) > _SKEW else now
