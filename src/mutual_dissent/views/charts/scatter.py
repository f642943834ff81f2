"""Scatter: two figures of each thing, such as what it costs and how often it is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mutual_dissent.views.charts.canvas import (
    Plot,
    Range,
    at,
    colour,
    drawable,
    nothing,
    number,
    spread,
    svg,
    ticks,
    word,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A named point; `low` and `high` bound its height, `kind` gives it a colour."""

    name: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    kind: int = 0


def scatter(
    marks: Sequence[Mark],
    *,
    title: str,
    x_name: str = "",
    y_name: str = "",
    x_range: Range | None = None,
    y_range: Range | None = None,
    diagonal: bool = False,
    joined: Sequence[str] = (),
) -> str:
    """Named points; `joined` are connected in that order, `diagonal` is where both are equal."""
    shown = [m for m in marks if drawable(m.x) and drawable(m.y)]
    if not shown:
        return nothing(title)
    heights = [v for m in shown for v in (m.y, m.low, m.high) if v is not None and drawable(v)]
    plot = Plot(
        x=x_range or spread([m.x for m in shown], from_zero=True),
        y=y_range or spread(heights),
    )
    body = plot.axes(x_name, y_name, [(v, number(v)) for v in ticks(plot.x)])
    if diagonal:
        body += _path([(plot.x[0], plot.x[0]), (plot.x[1], plot.x[1])], plot, dashed=True)
    places = {m.name: (m.x, m.y) for m in shown}
    body += _path([places[n] for n in joined if n in places], plot)
    body += "".join(_mark(m, plot, label) for m, label in zip(shown, _labels(shown), strict=True))
    says = "; ".join(f"{m.name} at {number(m.x)}, {number(m.y)}" for m in shown)
    return svg(title, body, says=says)


def _path(points: Sequence[tuple[float, float]], plot: Plot, *, dashed: bool = False) -> str:
    if len(points) < 2:
        return ""
    places = " ".join(f"{at(plot.px(x))},{at(plot.py(y))}" for x, y in points)
    dash = ' stroke-dasharray="4 4"' if dashed else ""
    return f'<polyline points="{places}" fill="none" stroke="var(--line-strong)"{dash}/>'


def _labels(marks: Sequence[Mark]) -> list[str]:
    """What stands beside each point: where several lie on one spot, the first names them all."""
    together: dict[tuple[float, float], list[str]] = {}
    for m in marks:
        together.setdefault((m.x, m.y), []).append(m.name)
    return [", ".join(together.pop((m.x, m.y), [])) for m in marks]


def _mark(m: Mark, plot: Plot, label: str) -> str:
    x, y = at(plot.px(m.x)), at(plot.py(m.y))
    whisker = ""
    if m.low is not None and m.high is not None:
        whisker = (
            f'<path d="M{x} {at(plot.py(m.low))}V{at(plot.py(m.high))}" stroke="var(--faint)"/>'
        )
    side = "end" if plot.px(m.x) > plot.right_edge - 90 else "start"
    shift = -8 if side == "end" else 8
    return (
        f"<g><title>{word(m.name)}: {number(m.x)}, {number(m.y)}</title>{whisker}"
        f'<circle cx="{x}" cy="{y}" r="5" fill="{colour(m.kind)}"/>'
        f'<text x="{at(plot.px(m.x) + shift)}" y="{y}" dy="-6" text-anchor="{side}" '
        f'fill="var(--text)">{word(label, 24)}</text></g>'
    )
