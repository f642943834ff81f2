"""The rate limits that vendors report in headers, so that no call runs into them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

REQUESTS, TOKENS = "requests", "tokens"
# Headers may be wrong: after a minute the vendor itself is asked.
LONGEST = 60.0
MANY_MODELS = 1000
FIELDS = (
    # kind, then the fields that tell the limit, what is left of it, and when it will be whole again
    (REQUESTS, *(f"x-ratelimit-{what}-requests" for what in ("limit", "remaining", "reset"))),
    (TOKENS, *(f"x-ratelimit-{what}-tokens" for what in ("limit", "remaining", "reset"))),
    (REQUESTS, *(f"anthropic-ratelimit-requests-{w}" for w in ("limit", "remaining", "reset"))),
    (TOKENS, *(f"anthropic-ratelimit-input-tokens-{w}" for w in ("limit", "remaining", "reset"))),
)
_NUMBER = re.compile(r"\d{1,12}(\.\d{1,9})?")
# "6m0s", "1h2m3.5s", "20ms": `m(?!s)` keeps the last from being 20 minutes.
_SPAN = re.compile(
    r"(?:(\d{1,4})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?"
    r"(?:(\d{1,9}(?:\.\d{1,9})?)ms)?"
)


@dataclass(slots=True)
class Bucket:
    """A limit that fills up again evenly, as all of these vendors describe theirs."""

    limit: float
    left: float
    rate: float  # a second
    at: float

    def wait(self, need: float, now: float) -> float:
        """Return the seconds until `need` is available, or the whole limit if that is less."""
        missing = min(need, self.limit) - self._there(now)
        return max(0.0, missing / self.rate)

    def take(self, need: float, now: float) -> None:
        """Deduct what a request will take before the vendor reports it."""
        self.left, self.at = self._there(now) - need, now

    def _there(self, now: float) -> float:
        return min(self.limit, self.left + self.rate * (now - self.at))


@dataclass(slots=True)
class Allowances:
    """The limits left per model: nearly all vendors limit each model apart."""

    known: dict[str, dict[str, Bucket]] = field(default_factory=dict)

    def read_headers(self, model: str, headers: Mapping[str, str], now: float) -> None:
        """Take in the headers of an answer."""
        reported = buckets(headers, now)
        if reported and (model in self.known or len(self.known) < MANY_MODELS):
            self.known.setdefault(model, {}).update(reported)

    def wait(self, model: str, tokens: int, now: float) -> float:
        """Return the seconds until such a request is within the limits, at most a minute."""
        needs = {REQUESTS: 1, TOKENS: tokens}
        limits = self.known.get(model, {})
        return min(LONGEST, max((b.wait(needs[k], now) for k, b in limits.items()), default=0.0))

    def take(self, model: str, tokens: int, now: float) -> None:
        """Deduct a request that goes out."""
        needs = {REQUESTS: 1, TOKENS: tokens}
        for kind, bucket in self.known.get(model, {}).items():
            bucket.take(needs[kind], now)


def buckets(headers: Mapping[str, str], now: float) -> dict[str, Bucket]:
    """Return the limits that headers tell of, as far as they are plausible."""
    known = {}
    for kind, *names in FIELDS:
        limit, left, reset = (headers.get(n, "").strip() for n in names)
        if not (_NUMBER.fullmatch(limit) and _NUMBER.fullmatch(left)):
            continue
        seconds = _seconds(reset)
        missing = float(limit) - float(left)
        # Of a bucket that is full nobody can tell how fast it fills.
        if seconds and missing > 0:
            known[kind] = Bucket(float(limit), float(left), missing / seconds, now)
    return known


def _seconds(text: str) -> float | None:
    """Return the seconds of a span such as `6m0s` or `20ms`, a number, or the time until a date."""
    if _NUMBER.fullmatch(text):
        return float(text)
    if text and len(text) < 40 and (span := _SPAN.fullmatch(text)):
        days, hours, minutes, seconds, ms = (float(part or 0) for part in span.groups())
        return days * 86_400 + hours * 3600 + minutes * 60 + seconds + ms / 1000
    try:
        until = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (until - datetime.now(UTC)).total_seconds() if until.tzinfo else None
