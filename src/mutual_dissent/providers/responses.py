"""Responses made from the answer to a call, or from the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from mutual_dissent.core.ports import Prices
from mutual_dissent.core.response import (
    ESTIMATED,
    Ask,
    Attempt,
    ErrorKind,
    Finish,
    Response,
    tokens_in,
)
from mutual_dissent.providers.dialects.base import PartialAnswer

MOST_TOKENS = 10_000_000
MOST_DOLLARS = 10_000.0


@dataclass(frozen=True, slots=True)
class Bill:
    """The cost of an attempt. None is not known, or nothing; `is_billed` tells which."""

    cost_usd: float | None
    is_billed: bool = True
    is_estimated: bool = False

    def after(self, attempts: Sequence[Attempt]) -> Bill:
        """Return the bill of the whole call: with the attempts that failed before."""
        # What was refused at once is not billed; of what broke off the cost may be unknown.
        before = [a for a in attempts if a.partial or a.cost_usd is not None]
        costs = [a.cost_usd for a in before] + ([self.cost_usd] if self.is_billed else [])
        known = [c for c in costs if c is not None]
        total = sum(known) if known and len(known) == len(costs) else None
        return Bill(total, is_estimated=self.is_estimated or (bool(before) and total is not None))


def bill(
    ask: Ask, reading: PartialAnswer, prices: Prices | None, received: int | None = None
) -> Bill:
    """Return the cost of an attempt, by the vendor's own figure, else by the price table.

    Args:
        received: the characters that came, where the answer broke off before its vendor reported
            the usage: then the tokens are estimated.
    """
    reported, way = reading.vendor_cost_usd, ask.own_search
    if reported is not None and 0 <= reported <= MOST_DOLLARS:
        return Bill(reported)
    used, made = _counted(reading)
    if received is not None:
        if not (received or made):
            return Bill(None, is_billed=False)
        used = ask.input_estimate if used is None else used
        made = max(made or 0, tokens_in(received))
    if prices is None or used is None or made is None:
        return Bill(None)
    cached = min(_tokens(reading.cached_tokens) or 0, used)
    cost = prices.cost(ask.panelist.route, used, made, cached)
    searched = way.cost(reading.searches) if way else 0.0
    cost = None if cost is None or searched is None else cost + searched
    return Bill(cost, is_estimated=cost is not None and received is not None)


def failure(ask: Ask, kind: ErrorKind, sentence: str) -> Response:
    """Return a response that only says why there is no answer."""
    return replace(blank(ask), finish=Finish.FAILED, error=sentence, error_kind=kind)


def unsent(ask: Ask, kind: ErrorKind, sentence: str) -> Response:
    """Return a response to a request that was not sent."""
    return replace(failure(ask, kind, sentence), finish=Finish.UNSENT)


def blank(ask: Ask) -> Response:
    """Return a response to this ask that has only the panelist, the route and the time."""
    panelist = ask.panelist
    return Response(
        model_id=panelist.route.model_id,
        model_alias=panelist.seat,
        round_number=ask.round_number,
        role=ask.role,
        content="",
        timestamp=datetime.now(UTC),
        provider=panelist.route.vendor,
        routing=panelist.route,
        persona=panelist.persona,
        agent_role=panelist.role,
        perspective=panelist.perspective,
        team=panelist.team,
    )


def answer(
    ask: Ask,
    reading: PartialAnswer,
    text: str,
    finish: Finish,
    *,
    latency_ms: int,
    first_token_ms: int | None,
    attempts: tuple[Attempt, ...],
    billed: Bill | None = None,
    error: str | None = None,
    error_kind: ErrorKind | None = None,
) -> Response:
    """Return the response that a reading amounts to, with its cost."""
    used, made = _counted(reading)
    panelist, billed = ask.panelist, billed or bill(ask, reading, None)
    return Response(
        model_id=panelist.route.model_id,
        model_alias=panelist.seat,
        round_number=ask.round_number,
        role=ask.role,
        content=text,
        timestamp=datetime.now(UTC),
        token_count=None if used is None or made is None else used + made,
        input_tokens=used,
        output_tokens=made,
        latency_ms=latency_ms,
        error=error,
        provider=panelist.route.vendor,
        routing=panelist.route,
        persona=panelist.persona,
        finish=finish,
        error_kind=error_kind,
        served_model=reading.served_model,
        cached_tokens=_tokens(reading.cached_tokens),
        reasoning_tokens=_tokens(reading.reasoning_tokens),
        first_token_ms=first_token_ms,
        attempts=attempts,
        cost_usd=billed.cost_usd,
        citations=tuple(reading.citations),
        cited_for={url: tuple(claims) for url, claims in reading.cited_for.items()},
        searches=reading.searches if ask.own_search else reading.searches or None,
        # A submitted answer is final, whatever else was called beside it.
        tool_calls=() if reading.submitted else tuple(reading.tool_calls),
        agent_role=panelist.role,
        perspective=panelist.perspective,
        team=panelist.team,
        flags=(ESTIMATED,) if billed.is_estimated else (),
    )


def _counted(reading: PartialAnswer) -> tuple[int | None, int | None]:
    """Return the input and output tokens; some vendors say 0 where they did not count."""
    made = _tokens(reading.output_tokens)
    return _tokens(reading.input_tokens) or None, made or (None if reading.text else made)


def _tokens(count: int | None) -> int | None:
    """Return a plausible count, else None; vendors have sent negative and absurd ones."""
    return count if count is not None and 0 <= count < MOST_TOKENS else None
