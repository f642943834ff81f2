"""Figures of a debate: tokens, calls and dollars by seat, and how far the panel converged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import MEASURES, Transcript, read_once

SETTLED = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A sum over responses. `cost_usd` is the known part, None if no price is known.

    Attributes:
        calls: how many responses were bought; each may have taken several attempts.
        retries: the attempts that failed before those responses.
        unpriced: how many of the calls were probably billed at a price nobody knows.
    """

    calls: int = 0
    retries: int = 0
    tokens: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    unpriced: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """The figures of a debate. What an earlier debate paid for is in `reused` alone.

    Attributes:
        per_seat: seat -> what it took.
        agreement: round number -> how far its answers agreed, where that was measured.
        settled_after: the first round whose answers agreed, if any did.
        disagreements: how many pairs still contradicted each other, if they were compared.
    """

    total: Tally
    per_seat: dict[str, Tally]
    reused: Tally
    agreement: dict[int, float]
    settled_after: int | None
    disagreements: int | None


@read_once
def stats(transcript: Transcript) -> Stats:
    """The figures of a debate so far."""
    bought = [r for key, r in transcript.responses() if key not in transcript.reused]
    # Answers that another one replaced were paid for as well.
    bought += [r for _, r in transcript.replaced]
    reused = [r for key, r in transcript.responses() if key in transcript.reused]
    seats = dict.fromkeys(r.model_alias for _, r in transcript.responses() if not r.by_code)
    levels = _agreement(transcript)
    return Stats(
        total=tally(bought),
        per_seat={s: tally(r for r in bought if r.model_alias == s) for s in seats},
        reused=tally(reused),
        agreement=levels,
        settled_after=next((n for n, level in levels.items() if level >= SETTLED), None),
        disagreements=_disagreements(transcript),
    )


def tally(responses: Iterable[Response]) -> Tally:
    """The sum over some responses, failed ones included where their tokens are known."""
    found = list(responses)
    # Logs of earlier versions give code's own text the price $0, which is no call's price.
    costs = [r.cost_usd for r in found if r.cost_usd is not None and not r.by_code]
    return Tally(
        calls=sum(r.tries > 0 for r in found),
        retries=sum(len(r.attempts) for r in found),
        tokens=sum(tokens_of(r) for r in found),
        input_tokens=sum(r.input_tokens or 0 for r in found),
        output_tokens=sum(r.output_tokens or 0 for r in found),
        cached_tokens=sum(r.cached_tokens or 0 for r in found),
        cost_usd=round(sum(costs), 10) if costs else None,
        unpriced=sum(is_unpriced(r) for r in found),
    )


def tokens_of(response: Response) -> int:
    """The tokens of a call, as far as they are known."""
    if response.token_count is not None:
        return response.token_count
    return (response.input_tokens or 0) + (response.output_tokens or 0)


def is_unpriced(response: Response) -> bool:
    """Return whether a call was probably billed, at a price that is not known."""
    received = response.content or any(a.partial for a in response.attempts)
    # A refused connection cost nothing, so that its unknown price is not missing.
    billed = response.usable or received or tokens_of(response) > 0
    # Selected and sampled answers were paid for where they were given.
    made = response.chosen is not None or response.samples is not None or response.by_code
    return response.cost_usd is None and bool(billed) and not made


def _agreement(transcript: Transcript) -> dict[int, float]:
    measured = ((r.round_number, r.agreement) for r in transcript.rounds)
    return {n: level for n, level in measured if level is not None}


def _disagreements(transcript: Transcript) -> int | None:
    """Pairs that contradicted each other in the last round where that was measured."""
    for round_ in reversed(transcript.rounds):
        if round_.measures.measure in MEASURES and round_.measures.disagreements is not None:
            return round_.measures.disagreements
    return None
