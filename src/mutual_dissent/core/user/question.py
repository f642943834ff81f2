"""Requests: what panelists say that only the user can tell them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mutual_dissent.core.response import Response


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A panelist's question to the user. A later remark counts as the answer."""

    seat: str
    round_number: int
    text: str
    answered: bool = False


def with_requests(known: Iterable[Request], response: Response) -> tuple[Request, ...]:
    """The requests after one more answer; whoever repeats one has asked for it once."""
    new = [
        Request(seat=response.model_alias, round_number=response.round_number, text=text)
        for text in response.requests
    ]
    known = tuple(known)
    # Who asks again after an answer was not satisfied by it: that is a new request.
    before = {r.text.casefold() for r in known if not r.answered}
    return (*known, *(r for r in new if r.text.casefold() not in before))


def settle_requests(known: Iterable[Request]) -> tuple[Request, ...]:
    """The requests after the user has said something."""
    return tuple(replace(r, answered=True) for r in known)
