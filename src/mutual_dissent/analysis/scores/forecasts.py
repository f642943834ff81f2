"""Scores of forecasts: how far they were from what happened, once that is known."""

from __future__ import annotations

from collections.abc import Sequence

from mutual_dissent.analysis.answers.closing_lines import estimate_in
from mutual_dissent.analysis.bottom_lines.questions import read_question
from mutual_dissent.core.closing import Estimate
from mutual_dissent.core.figures.forecasts import (
    FORECAST,
    ForecastScore,
    PooledForecast,
    pool_forecasts,
)
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import OPINION_ROLES, Transcript

ANSWERS = {"yes": 1.0, "no": 0.0}
QUANTILES = (0.1, 0.5, 0.9)
_NO_CHANCE = frozenset("you how what which number".split())
"""Words of what only looks like yes or no: `Can you say how many will come?`"""
COIN = 0.25
"""The Brier score of whoever says 50 % of everything."""


def last_forecasts(t: Transcript) -> tuple[Response, ...]:
    """The panelists' last forecasts, in the order of the panel."""
    latest = {r.model_alias: r for r in t.turns() if r.usable and r.role in OPINION_ROLES}
    return tuple(latest[p.seat] for p in t.panelists if p.seat in latest)


def panel_forecast(t: Transcript) -> PooledForecast | None:
    """The panel's figure at the end of a debate that forecasts; None of any other debate."""
    return pool(t, last_forecasts(t))


def pool(t: Transcript, responses: Sequence[Response]) -> PooledForecast | None:
    """The figure of some answers in a debate that forecasts; None of any other debate."""
    if t.brief.mode != FORECAST:
        return None
    asked = read_question(t.query)
    is_chance = asked.kind == "yes_no" and not asked.words & _NO_CHANCE
    return pool_forecasts(responses, is_chance=is_chance)


def pooled_by_round(t: Transcript) -> dict[int, PooledForecast]:
    """Round -> the panel's figure then, without those in another unit than the last.

    Who said nothing in a round stands by its last forecast.
    """
    latest: dict[str, Response] = {}
    by_round: dict[int, PooledForecast] = {}
    for held in t.rounds if t.brief.mode == FORECAST else ():
        latest |= {r.model_alias: r for r in held.usable if r.role in OPINION_ROLES}
        if pooled := pool(t, [latest[p.seat] for p in t.panelists if p.seat in latest]):
            by_round[held.round_number] = pooled
    kinds = [(p.unit, p.is_probability) for p in by_round.values()]
    return {n: p for (n, p), kind in zip(by_round.items(), kinds, strict=True) if kind == kinds[-1]}


def true_value(pooled: PooledForecast, outcome: str) -> float | None:
    """Return 1 or 0 for yes or no, else the number that an outcome is; None if it is neither."""
    if pooled.is_probability:
        return ANSWERS.get(outcome.casefold())
    stated = estimate_in(outcome)
    return None if stated is None else stated.value


def score_forecast(t: Transcript) -> ForecastScore | None:
    """Score a forecast; None as long as its outcome is not known."""
    pooled = panel_forecast(t)
    truth = true_value(pooled, t.outcome.outcome) if pooled and t.outcome else None
    if pooled is None or truth is None:
        return None
    responses = last_forecasts(t)
    if pooled.is_probability:
        # Reversed: of a model that sits twice, the first forecast counts.
        own = [r for r in reversed(responses) if r.model_alias in pooled.values]
        claims = {r.model_id: pooled.values[r.model_alias] for r in own}
        return ForecastScore(
            truth=truth,
            panel={way: brier(p, truth) for way, p in pooled.pooled.items()},
            models={model: brier(p, truth) for model, p in claims.items()},
            claim=pooled.figure,
            claims=claims,
        )
    low, high = pooled.low, pooled.high
    return ForecastScore(
        truth=truth,
        panel={way: _distance(figure, truth) for way, figure in pooled.pooled.items()},
        models={model: pinball(e, truth) for model, e in _own(responses).items()},
        held=None if low is None or high is None else low <= truth <= high,
    )


def brier(claim: float, truth: float) -> float:
    """The squared distance of a probability from what happened: 0 is perfect, 1 the worst."""
    return (claim - truth) ** 2


def pinball(estimate: Estimate, truth: float) -> float:
    """The mean loss of the 10, 50 and 90 % quantiles, as a share of the true quantity.

    A quantile that is too low costs its share of the distance, one that is too high the rest; so
    the least loss on average has whoever gives its true quantiles.
    """
    values = (estimate.low, estimate.value, estimate.high)
    losses = [
        max(q * (truth - value), (q - 1) * (truth - value))
        for q, value in zip(QUANTILES, values, strict=True)
        if value is not None
    ]
    # A share, so that scores of different quantities can be compared; of zero there are none.
    return sum(losses) / len(losses) / (abs(truth) or 1.0)


def _distance(figure: float, truth: float) -> float:
    return abs(figure - truth) / (abs(truth) or 1.0)


def _own(responses: Sequence[Response]) -> dict[str, Estimate]:
    """Model -> its forecast; one that sits twice counts once."""
    own: dict[str, Estimate] = {}
    for response in responses:
        if response.closing and response.closing.estimate:
            own.setdefault(response.model_id, response.closing.estimate)
    return own
