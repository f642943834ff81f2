"""Forecasts on record: those that wait for their outcome, and how resolved ones fared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mutual_dissent.core.codec.camel import Shape, about
from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.forecasts import FORECAST
from mutual_dissent.own_record import looks_at
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.charts import Mark, scatter
from mutual_dissent.views.phrases import plural
from mutual_dissent.views.research.figure import Figure

if TYPE_CHECKING:
    from mutual_dissent.core.figures.forecasts import ForecastScore
    from mutual_dissent.experiments.statistics.calibration import Calibration
    from mutual_dissent.store.debates.search import ListedDebate
    from mutual_dissent.store.store import Store
    from mutual_dissent.views.track_record import ForecastLook

MOST = 1000
"""Forecasts that are looked at, the newest."""
ENOUGH = 30
"""Below so many resolved forecasts, a calibration table is mostly chance."""
BINS = 5
PANEL, EVERYBODY = "the panel", "all forecasters"

Cases = list[tuple[float, bool, str]]
"""Probabilities, each with whether it happened and the forecast that it is from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedForecast(Shape):
    """A forecast that waits for its outcome."""

    transcript_id: str = field(metadata=about("Its id.", alias="sessionId"))
    query: str
    due: str | None = field(metadata=about("The day on which it can be resolved, if one was said."))
    is_due: bool
    forecast: str = field(metadata=about("What the panel says, in words; empty without a figure."))
    figure: float | None = field(metadata=about("The panel's figure; of probabilities 0 to 1."))
    pooled: Mapping[str, float] = field(metadata=about("Each way of pooling -> its figure."))


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecasterScore(Shape):
    """Brier score of a model, or of one of the panel's ways of pooling: 0 is best, a coin 0.25."""

    name: str
    resolved: int
    brier: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin(Shape):
    """Forecasts of about the same probability: what was said, and how often it happened."""

    low: float
    high: float
    cases: int
    said: float = field(metadata=about("Mean of the probabilities."))
    happened: float = field(metadata=about("Share that happened, with its 95 % interval."))
    happened_low: float
    happened_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastRecord(Shape):
    """Scores of the resolved forecasts."""

    resolved: int
    missing: int = field(metadata=about("How many more until this says much, about."))
    brier: tuple[ForecasterScore, ...]
    calibration: Mapping[str, tuple[CalibrationBin, ...]] = field(
        metadata=about("Of the panel's figure, and of all forecasters together, by fifths.")
    )
    ranges: int = field(metadata=about("Quantities with a range; 8 of 10 are meant to hold."))
    ranges_held: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecasts(Shape):
    """Forecasts that wait, those that are due first, and how resolved ones fared."""

    forecasts: tuple[ListedForecast, ...]
    record: ForecastRecord


def read_forecasts(store: Store, *, only_due: bool = False) -> Forecasts:
    """Read the stored forecasts."""
    today = datetime.now(UTC).date().isoformat()
    rows = store.list(mode=FORECAST, status=Status.COMPLETED.value, limit=MOST)
    looks = looks_at(store, [row.transcript_id for row in rows])
    known = [(r, f) for r in rows if (s := looks.get(r.transcript_id)) and (f := s.forecast)]
    waiting = [_listed(row, seen, today) for row, seen in known if not row.outcome]
    waiting.sort(key=lambda f: (f.due or "9999", f.transcript_id))
    return Forecasts(
        forecasts=tuple(f for f in waiting if f.is_due or not only_due),
        record=_record([f.score for _, f in known if f.score]),
    )


def calibrations(scores: Sequence[ForecastScore]) -> dict[str, Calibration]:
    """Compare probabilities with how often it happened: the panel's, and those of everybody."""
    from mutual_dissent.experiments.statistics.calibration import calibration  # takes a while

    chances = [(str(i), s, s.truth > 0) for i, s in enumerate(scores) if s.claim is not None]
    cases: dict[str, Cases] = {
        PANEL: [(s.claim or 0.0, came, name) for name, s, came in chances],
        EVERYBODY: [(c, came, name) for name, s, came in chances for c in s.claims.values()],
    }
    return {
        who: calibration(*zip(*found, strict=True), bins=BINS)
        for who, found in cases.items()
        if found
    }


def calibration_figures(record: ForecastRecord) -> list[Figure]:
    """Charts of what was said against how often it happened; the diagonal is perfect."""
    return [
        Figure(
            name=f"calibration-{who.split()[-1]}",
            title=f"Calibration of {who}",
            svg=scatter(
                [
                    Mark(name=plural(b.cases, "case"), x=b.said, y=b.happened,
                         low=b.happened_low, high=b.happened_high)
                    for b in bins
                ],
                title=f"Calibration of {who}", x_name="said", y_name="happened",
                x_range=(0, 1), y_range=(0, 1), diagonal=True,
            ),
            note="Forecasts of about the same probability; on the dashed line it happens as often "
            "as was said. Upright lines are 95 % intervals.",
        )
        for who, bins in record.calibration.items()
    ]  # fmt: skip


def _listed(row: ListedDebate, seen: ForecastLook, today: str) -> ListedForecast:
    return ListedForecast(
        transcript_id=row.transcript_id,
        query=row.query,
        due=seen.due,
        is_due=bool(seen.due and seen.due <= today),
        forecast=seen.words,
        figure=seen.figure,
        pooled=seen.pooled,
    )


def _record(scores: Sequence[ForecastScore]) -> ForecastRecord:
    ranges = [s.held for s in scores if s.held is not None]
    return ForecastRecord(
        resolved=len(scores),
        missing=max(0, ENOUGH - len(scores)),
        brier=tuple(_brier(s for s in scores if s.claim is not None)),
        calibration={
            who: tuple(
                CalibrationBin(
                    low=b.low, high=b.high, cases=b.cases, said=round(b.claimed, 4),
                    happened=round(b.right.value, 4), happened_low=round(b.right.low, 4),
                    happened_high=round(b.right.high, 4),
                )
                for b in found.bins
            )
            for who, found in calibrations(scores).items()
        },
        ranges=len(ranges),
        ranges_held=sum(ranges),
    )  # fmt: skip


def _brier(scores: Iterable[ForecastScore]) -> Iterable[ForecasterScore]:
    """Brier scores by forecaster; the panel's ways of pooling come first, then the best."""
    panel: defaultdict[str, list[float]] = defaultdict(list)
    models: defaultdict[str, list[float]] = defaultdict(list)
    for score in scores:
        for way, own in score.panel.items():
            panel[f"{PANEL}, {way}"].append(own)
        for model, own in score.models.items():
            models[one_line(model, 50)].append(own)
    for group in (panel, models):
        rows = (
            ForecasterScore(name=n, resolved=len(s), brier=round(sum(s) / len(s), 4))
            for n, s in group.items()
        )
        yield from rows if group is panel else sorted(rows, key=lambda r: (r.brier, r.name))
