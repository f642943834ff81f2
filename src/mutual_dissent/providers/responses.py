"""Responses made from what a call brought, or from why it brought nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from mutual_dissent.core.ports import Prices
from mutual_dissent.core.response import Ask, Attempt, ErrorKind, Finish, Response
from mutual_dissent.providers.dialect import Reading

MOST_TOKENS = 10_000_000
MOST_DOLLARS = 10_000.0


def failure(ask: Ask, kind: ErrorKind, sentence: str) -> Response:
    """A response that only says why there is none."""
    return replace(blank(ask), finish=Finish.FAILED, error=sentence, error_kind=kind)


def unsent(ask: Ask, kind: ErrorKind, sentence: str) -> Response:
    """A response to what never went out."""
    return replace(failure(ask, kind, sentence), finish=Finish.UNSENT)


def blank(ask: Ask) -> Response:
    """A response to this ask that has nothing in it yet but who, where and when."""
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
    reading: Reading,
    text: str,
    finish: Finish,
    *,
    latency_ms: int,
    first_token_ms: int | None,
    attempts: tuple[Attempt, ...],
    prices: Prices | None,
    error: str | None = None,
    error_kind: ErrorKind | None = None,
) -> Response:
    """The response that a reading amounts to, with its price."""
    taken, given = _tokens(reading.input_tokens), _tokens(reading.output_tokens)
    cached = _tokens(reading.cached_tokens)
    panelist = ask.panelist
    return Response(
        model_id=panelist.route.model_id,
        model_alias=panelist.seat,
        round_number=ask.round_number,
        role=ask.role,
        content=text,
        timestamp=datetime.now(UTC),
        token_count=None if taken is None or given is None else taken + given,
        input_tokens=taken,
        output_tokens=given,
        latency_ms=latency_ms,
        error=error,
        provider=panelist.route.vendor,
        routing=panelist.route,
        persona=panelist.persona,
        finish=finish,
        error_kind=error_kind,
        served_model=reading.served_model,
        cached_tokens=cached,
        reasoning_tokens=_tokens(reading.reasoning_tokens),
        first_token_ms=first_token_ms,
        attempts=attempts,
        cost_usd=_cost(ask, reading.vendor_cost_usd, taken, given, cached, prices),
        citations=tuple(reading.citations),
        # An answer that was handed in is one, whatever else was called beside it.
        tool_calls=() if reading.submitted else tuple(reading.tool_calls),
        agent_role=panelist.role,
        perspective=panelist.perspective,
        team=panelist.team,
    )


def _cost(
    ask: Ask,
    told: float | None,
    taken: int | None,
    given: int | None,
    cached: int | None,
    prices: Prices | None,
) -> float | None:
    """Dollars: the vendor's own figure where there is one, else by the price table."""
    if told is not None and 0 <= told <= MOST_DOLLARS:
        return told
    if prices is None or taken is None or given is None:
        return None
    return prices.cost(ask.panelist.route, taken, given, min(cached or 0, taken))


def _tokens(count: int | None) -> int | None:
    """A count that can be true; vendors have sent negative and absurd ones."""
    return count if count is not None and 0 <= count < MOST_TOKENS else None
