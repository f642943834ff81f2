"""The section on calibration: what could tell beforehand whether an answer is right."""

from __future__ import annotations

from mutual_dissent.experiments.report.parts import Section, format_interval
from mutual_dissent.experiments.results.findings import ExperimentFindings
from mutual_dissent.experiments.statistics.calibration import Calibration
from mutual_dissent.views.charts import Mark, scatter

CALIBRATED = (
    "Calibration error is how far a claim and the truth lie apart on average; discrimination is "
    "how often a right answer claims more than a wrong one, 0.5 is chance."
)


def calibration_section(found: ExperimentFindings) -> Section:
    """Report how well agreement, cluster size and stated confidence foretell a right answer."""
    rows, charts = [], []
    for name, claims in found.calibrations.items():
        for claim, c in claims.items():
            figures = (f"{c.error:.3f}", f"{c.brier:.3f}", format_interval(c.discrimination))
            rows.append((name, claim, str(c.cases), *figures))
            charts.append(_reliability(f"{name}: {claim}", c))
    return Section(
        title="What can be believed beforehand",
        sentences=(CALIBRATED,) if rows else (),
        head=("way", "claim", "cases", "calibration error", "Brier", "discrimination (95 %)"),
        rows=tuple(rows),
        charts=tuple(charts[:6]),
    )


def _reliability(title: str, c: Calibration) -> str:
    marks = [
        Mark(name=f"{b.cases}", x=b.claimed, y=b.right.value, low=b.right.low, high=b.right.high)
        for b in c.bins
    ]
    return scatter(
        marks,
        title=f"Reliability, {title}",
        x_name="claimed",
        y_name="right",
        x_range=(0, 1),
        y_range=(0, 1),
        diagonal=True,
    )
