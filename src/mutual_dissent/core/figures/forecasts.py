"""Forecasts pooled: one figure from a panel's probabilities or quantities, by plain arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mutual_dissent.core.closing import Estimate
from mutual_dissent.core.figures.estimates import estimates
from mutual_dissent.core.response import Response

FORECAST = "forecast"
"""The mode in which a panel forecasts."""
PERCENT = ("%", "percent", "per cent", "prozent", "pct", "p.c.")
SURE = 0.001
"""The odds of 0 and of 1 are infinite: one certain panelist would decide alone."""
TRIMMED = 0.2
"""The share that is left out at either end for the trimmed mean; at least one of five or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledForecast:
    """The figure of a panel.

    Attributes:
        values: seat -> its figure; of probabilities 0 to 1.
        median: of the figures; of quantities the panel's figure.
        trimmed: their mean without the lowest and the highest.
        odds: the geometric mean of their odds as a probability, which is the panel's figure; None
            of quantities. It takes a panelist that is nearly sure more seriously than the mean.
        low: the median of the lower ends that they give; of quantities these are 10 % quantiles.
        high: the same at the other end.
    """

    values: Mapping[str, float]
    median: float
    trimmed: float
    odds: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""

    @property
    def figure(self) -> float:
        """The panel's figure."""
        return self.median if self.odds is None else self.odds

    @property
    def is_probability(self) -> bool:
        """Return whether it is the probability of a yes."""
        return self.odds is not None

    @property
    def pooled(self) -> dict[str, float]:
        """Each way of pooling, by name -> its figure."""
        ways = {"median": self.median, "trimmed mean": self.trimmed}
        return ways if self.odds is None else {"geometric mean of odds": self.odds, **ways}

    def say(self, value: float) -> str:
        """A figure of this kind in words: `23 %`, `75 people`."""
        if self.is_probability:
            return f"{_percent(value)} %"
        return f"{value:,g}{f' {self.unit}' if self.unit else ''}"

    @property
    def spread(self) -> str:
        """The lowest and the highest of the figures: `14 to 40 %`; one figure if all give it."""
        least, most = min(self.values.values()), max(self.values.values())
        if least == most:
            return self.say(least)
        low = _percent(least) if self.is_probability else f"{least:,g}"
        return f"{low} to {self.say(most)}"

    @property
    def words(self) -> str:
        """As it is said: `23 %, geometric mean of the odds of 4 forecasts from 14 to 40 %`."""
        count = len(self.values)
        if self.odds is not None:
            spread = f" from {self.spread}" if len(set(self.values.values())) > 1 else ""
            words = (
                f"{self.say(self.odds)}, geometric mean of the odds of {count} forecasts{spread}"
            )
            if self.low is None or self.high is None:
                return words
            return f"{words}; their own ranges: {_percent(self.low)} to {_percent(self.high)} %"
        has_range = self.low is not None and self.high is not None
        spread = f" ({self.low:,g} to {self.high:,g} in 8 of 10 cases)" if has_range else ""
        return f"{self.say(self.median)}{spread}, medians of {count}"


def pool_forecasts(
    responses: Sequence[Response], *, is_chance: bool = False
) -> PooledForecast | None:
    """The panel's figure; None where fewer than two give one, or their units differ.

    Args:
        is_chance: the question takes a probability, so that figures without a unit are such.
    """
    summary = estimates([r for r in responses if r.usable])
    if len(summary.values) < 2 or summary.median is None:
        return None
    if chances := _chances(summary.values, is_chance):
        ordered = sorted(e.value for e in chances.values())
        low = sorted(e.low for e in chances.values() if e.low is not None)
        high = sorted(e.high for e in chances.values() if e.high is not None)
        return PooledForecast(
            values={seat: e.value for seat, e in chances.items()},
            median=_middle(ordered),
            trimmed=_trimmed(ordered),
            odds=_mean_odds(ordered),
            low=_middle(low) if low else None,
            high=_middle(high) if high else None,
            unit="%",
        )
    return PooledForecast(
        values={seat: e.value for seat, e in summary.values.items()},
        median=summary.median,
        trimmed=_trimmed(sorted(e.value for e in summary.values.values())),
        low=summary.low,
        high=summary.high,
        unit=summary.unit,
    )


def _chances(given: Mapping[str, Estimate], is_chance: bool) -> dict[str, Estimate]:
    """Seat -> its estimate as a probability, 0 to 1; empty where one of them gives none.

    Who leaves out the sign that another one writes means the same.
    """
    is_chance = is_chance or any(map(_is_percent, given.values()))
    chances = {seat: c for seat, e in given.items() if (c := _chance(e, is_chance))}
    return chances if len(chances) == len(given) else {}


def _chance(estimate: Estimate, is_chance: bool) -> Estimate | None:
    is_bare = not _is_percent(estimate)
    most = max(estimate.value, estimate.high or 0.0)
    # Without a sign "75 [50 to 120]" is a count, and "0.3 [0.2 to 0.45]" a share already.
    if is_bare and (estimate.unit or not is_chance or most > 100):
        return None
    by = 1 if is_bare and most <= 1 else 100
    low, high = (None if end is None else end / by for end in (estimate.low, estimate.high))
    chance = replace(estimate, value=estimate.value / by, low=low, high=high)
    return chance if 0 <= chance.value <= 1 else None


def _is_percent(estimate: Estimate) -> bool:
    return estimate.unit.casefold().strip().startswith(PERCENT)


def _percent(share: float) -> str:
    percent = share * 100
    # Whole percent, except at the ends, where 0.3 and 0.03 % are not the same.
    return (
        f"{percent:.0f}"
        if 1 <= percent <= 99
        else f"{percent:.2g}"
        if percent < 1
        else f"{percent:.3g}"
    )


def _middle(values: Sequence[float]) -> float:
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def _trimmed(ordered: Sequence[float]) -> float:
    cut = max(int(len(ordered) * TRIMMED), 1) if len(ordered) >= 3 else 0
    kept = ordered[cut : len(ordered) - cut]
    return sum(kept) / len(kept)


def _mean_odds(shares: Sequence[float]) -> float:
    bounded = [min(max(p, SURE), 1 - SURE) for p in shares]
    mean = sum(math.log(p / (1 - p)) for p in bounded) / len(bounded)
    return 1 / (1 + math.exp(-mean))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastScore:
    """Score of a forecast whose outcome is known.

    Attributes:
        truth: 1 of a yes and 0 of a no, else the true quantity.
        panel: way of pooling -> its score: of probabilities the Brier score, of quantities the
            distance of the figure, as a share of the true one.
        models: model -> its own score, in its last forecast.
        claim: the panel's own probability; None of quantities.
        claims: model -> the probability that it gave; empty of quantities.
        held: of quantities, whether the truth lies in the panel's range; None without one.
    """

    truth: float
    panel: Mapping[str, float]
    models: Mapping[str, float] = field(default_factory=dict)
    claim: float | None = None
    claims: Mapping[str, float] = field(default_factory=dict)
    held: bool | None = None
