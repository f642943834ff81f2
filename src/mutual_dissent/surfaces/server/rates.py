"""How often a token may ask: so many at once, then one whenever a share of the minute is over."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from mutual_dissent.surfaces.server.errors import Refused

MINUTE = 60.0


class Rates:
    """When each name's requests would be used up, if they came evenly."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until: dict[str, float] = {}

    def take(self, name: str, per_minute: int | None) -> None:
        """Count a request.

        Raises:
            Refused: with status 429, if it came too early.
        """
        if per_minute is None:
            return
        now, share = self._now(), MINUTE / per_minute
        until = max(now, self._until.get(name, 0.0)) + share
        if until - now > MINUTE + share / 2:  # half a share: rounding is no reason to refuse
            wait = math.ceil(until - now - MINUTE)
            raise Refused(
                429,
                "too_many_requests",
                f"the token {name!r} may make {per_minute} requests a minute; "
                f"try again in {wait} s",
                {"retry-after": str(wait)},
            )
        self._until[name] = until
