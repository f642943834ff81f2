"""Scatter: two figures of each thing, such as its cost and its share of right answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mutual_dissent.views.charts.canvas import (
    TOP,
    Plot,
    Range,
    at,
    colour,
    drawable,
    labels,
    nothing,
    number,
    spread,
    svg,
    ticks,
    word,
)

LETTER, LINE, RISE = 6.5, 12.0, 6.0
"""Width of a letter of a label, height of its line, and its distance above the point."""


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
    names = labels(_labels(shown), 24)
    heights = _heights(shown, names, plot)
    labelled = zip(shown, names, heights, strict=True)
    body += "".join(_mark(m, plot, name, height) for m, name, height in labelled)
    says = "; ".join(f"{m.name} at {number(m.x)}, {number(m.y)}" for m in shown)
    return svg(title, body, says=says)


def _path(points: Sequence[tuple[float, float]], plot: Plot, *, dashed: bool = False) -> str:
    if len(points) < 2:
        return ""
    places = " ".join(f"{at(plot.px(x))},{at(plot.py(y))}" for x, y in points)
    dash = ' stroke-dasharray="4 4"' if dashed else ""
    return f'<polyline points="{places}" fill="none" stroke="var(--line-strong)"{dash}/>'


def _labels(marks: Sequence[Mark]) -> list[str]:
    """Labels of the points: where several share one spot, the first names them all."""
    together: dict[tuple[float, float], list[str]] = {}
    for m in marks:
        together.setdefault((m.x, m.y), []).append(m.name)
    return [", ".join(together.pop((m.x, m.y), [])) for m in marks]


def _heights(marks: Sequence[Mark], names: Sequence[str], plot: Plot) -> list[float]:
    """Height of each label, such that no two overlap."""
    placed: list[tuple[float, float, float]] = []
    heights = []
    for m, name in zip(marks, names, strict=True):
        x, y = plot.px(m.x), plot.py(m.y) - RISE
        wide = LETTER * len(name)
        left = x - 8 - wide if _is_right(m, plot) else x + 8
        # Below and above in turn, ever further away.
        tries = (
            y + LINE * step for n in range(3 * len(marks)) for step in ((n, -n) if n else (0,))
        )
        free = (
            t for t in tries if TOP <= t <= plot.floor and not _is_covered(left, wide, t, placed)
        )
        height = next(free, y) if name else y
        placed += [(left, wide, height)] if name else []
        heights.append(height)
    return heights


def _is_covered(
    left: float, wide: float, y: float, placed: Sequence[tuple[float, float, float]]
) -> bool:
    return any(
        abs(y - other) < LINE and left < at_ + width and at_ < left + wide
        for at_, width, other in placed
    )


def _is_right(m: Mark, plot: Plot) -> bool:
    """Return whether a point is so far to the right that its label must stand before it."""
    return plot.px(m.x) > plot.right_edge - 90


def _mark(m: Mark, plot: Plot, label: str, height: float) -> str:
    x, y = at(plot.px(m.x)), at(plot.py(m.y))
    whisker = ""
    if m.low is not None and m.high is not None:
        whisker = (
            f'<path d="M{x} {at(plot.py(m.low))}V{at(plot.py(m.high))}" stroke="var(--faint)"/>'
        )
    side = "end" if _is_right(m, plot) else "start"
    shift = -8 if side == "end" else 8
    return (
        f"<g><title>{word(m.name)}: {number(m.x)}, {number(m.y)}</title>{whisker}"
        f'<circle cx="{x}" cy="{y}" r="5" fill="{colour(m.kind)}"/>'
        f'<text x="{at(plot.px(m.x) + shift)}" y="{at(height)}" text-anchor="{side}" '
        f'fill="var(--text)">{label}</text></g>'
    )
