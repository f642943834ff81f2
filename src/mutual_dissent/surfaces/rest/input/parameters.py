"""Path parameters and headers."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Header, Path, Query

from mutual_dissent.surfaces.rest.input.requests import ID

LONGEST_WAIT = 300
# "wait=60", "respond-async, wait=10", as in RFC 7240.
_WAIT = re.compile(r'(?:^|[\s,;])wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])', re.IGNORECASE)

SessionId = Annotated[
    str,
    Path(
        pattern=ID,
        description="A session's id, or its beginning: 8 characters or more, as far as it is one.",
        examples=["5e1f7c1a-93d2-4b7e-8a57-0c2d9a4e61bf"],
    ),
]

Prefer = Annotated[
    str | None,
    Header(
        max_length=200,
        description=f"`wait=N`: answer when the session is over, after N seconds at most "
        f"(0 to {LONGEST_WAIT}).",
        examples=["wait=60"],
    ),
]

IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]+$",
        description="A name of your own for this request. Sent again within 24 hours with the same "
        "body, it is not obeyed twice: you get the same session.",
        examples=["9f1c0b52-question-1"],
    ),
]

LastEventId = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID",
        pattern=r"^[0-9]{1,9}$",
        description="The number of the last event that you have.",
        examples=["12"],
    ),
]

Limit = Annotated[int, Query(ge=1, le=200, description="How many at most.")]
Day = Annotated[
    str | None, Query(max_length=40, description="A day such as 2026-02-21, a time, or 7d.")
]
Words = Annotated[str | None, Query(max_length=1_000)]


def wait_of(prefer: str | None) -> int | None:
    """Return the seconds that a client is willing to wait; None if it did not say."""
    match = _WAIT.search(prefer or "")
    return min(int(match[1]), LONGEST_WAIT) if match else None
