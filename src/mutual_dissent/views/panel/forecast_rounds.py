"""The panel's figure from round to round, in a debate that forecasts."""

from __future__ import annotations

from collections.abc import Iterator

from mutual_dissent.analysis.scores.forecasts import pooled_by_round
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import round_name

BY_ROUND = "forecasts by round"
PANEL, SPREAD = "panel", "lowest to highest"


def forecast_rows(t: Transcript) -> Iterator[tuple[str, ...]]:
    """Column titles, then a row a round; nothing where one round says all."""
    by_round = pooled_by_round(t)
    if len(by_round) < 2:
        return
    _, *others = next(iter(by_round.values())).pooled
    yield "", PANEL, *others, SPREAD
    for number, pooled in by_round.items():
        figures = (*map(pooled.say, pooled.pooled.values()), pooled.spread)
        yield round_name(number), *(one_line(f, 40) for f in figures)
