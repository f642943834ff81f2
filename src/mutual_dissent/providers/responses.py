"""Responses made from what a call brought, or from why it brought nothing."""

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
from mutual_dissent.providers.dialects.base import Reading

MOST_TOKENS = 10_000_000
MOST_DOLLARS = 10_000.0


@dataclass(frozen=True, slots=True)
class Bill:
    """What an attempt cost. None is not known, or nothing; `is_billed` tells which."""

    cost_usd: float | None
    is_billed: bool = True
    is_estimated: bool = False

    def after(self, attempts: Sequence[Attempt]) -> Bill:
        """The bill of the whole call: with the attempts that failed before."""
        before = [a for a in attempts if a.partial or a.cost_usd is not None]
        costs = [a.cost_usd for a in before] + ([self.cost_usd] if self.is_billed else [])
        known = [c for c in costs if c is not None]
        total = sum(known) if known and len(known) == len(costs) else None
        return Bill(total, is_estimated=self.is_estimated or (bool(before) and total is not None))


def bill(ask: Ask, reading: Reading, prices: Prices | None, received: int | None = None) -> Bill:
    """What an attempt cost, by what its vendor says, else by the price table.

    Args:
        received: the characters that came, where the answer broke off before its vendor said what
            it took: then the tokens are estimated.
    """
    told = reading.vendor_cost_usd
    if told is not None and 0 <= told <= MOST_DOLLARS:
        return Bill(told)
    taken, given = _counted(reading)
    if received is not None:
        if not (received or given):
            return Bill(None, is_billed=False)
        taken = ask.input_estimate if taken is None else taken
        given = max(given or 0, tokens_in(received))
    if prices is None or taken is None or given is None:
        return Bill(None)
    cached = min(_tokens(reading.cached_tokens) or 0, taken)
    cost = prices.cost(ask.panelist.route, taken, given, cached)
    return Bill(cost, is_estimated=cost is not None and received is not None)


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
    billed: Bill | None = None,
    error: str | None = None,
    error_kind: ErrorKind | None = None,
) -> Response:
    """The response that a reading amounts to, with what it cost."""
    taken, given = _counted(reading)
    panelist, billed = ask.panelist, billed or bill(ask, reading, None)
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
        cached_tokens=_tokens(reading.cached_tokens),
        reasoning_tokens=_tokens(reading.reasoning_tokens),
        first_token_ms=first_token_ms,
        attempts=attempts,
        cost_usd=billed.cost_usd,
        citations=tuple(reading.citations),
        # An answer that was handed in is one, whatever else was called beside it.
        tool_calls=() if reading.submitted else tuple(reading.tool_calls),
        agent_role=panelist.role,
        perspective=panelist.perspective,
        team=panelist.team,
        flags=(ESTIMATED,) if billed.is_estimated else (),
    )


def _counted(reading: Reading) -> tuple[int | None, int | None]:
    """The tokens that went in and came out; some say 0 where they mean that they did not count."""
    given = _tokens(reading.output_tokens)
    return _tokens(reading.input_tokens) or None, given or (None if reading.text else given)


def _tokens(count: int | None) -> int | None:
    """A count that can be true; vendors have sent negative and absurd ones."""
    return count if count is not None and 0 <= count < MOST_TOKENS else None
