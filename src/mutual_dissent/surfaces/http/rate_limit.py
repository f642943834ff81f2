"""Sliding-window rate limit per token."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable

from mutual_dissent.surfaces.http.errors import ApiError

MINUTE = 60.0


class Rates:
    """Times of each name's requests within the last minute."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._asked: dict[str, deque[float]] = {}

    def take(self, name: str, per_minute: int | None) -> None:
        """Count a request.

        Raises:
            Refused: with status 429, if the limit is reached.
        """
        if per_minute is None:
            return
        now, asked = self._now(), self._asked.setdefault(name, deque())
        while asked and asked[0] <= now - MINUTE:
            asked.popleft()
        if len(asked) >= per_minute:
            wait = max(1, math.ceil(asked[0] + MINUTE - now))
            raise ApiError(
                429,
                "too_many_requests",
                f"the token {name!r} may make {per_minute} requests a minute; "
                f"try again in {wait} s",
                {"retry-after": str(wait)},
            )
        asked.append(now)
