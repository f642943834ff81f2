"""Lines: how figures go from round to round or from day to day."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mutual_dissent.views.charts.canvas import (
    HEIGHT,
    WIDTH,
    Plot,
    Range,
    at,
    colour,
    drawable,
    legend,
    nothing,
    number,
    spread,
    svg,
    word,
)

MOST_TICKS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A named line of points."""

    name: str
    points: Sequence[tuple[float, float]]


def lines(
    series: Sequence[Series],
    *,
    title: str,
    x_name: str = "",
    y_name: str = "",
    y_range: Range | None = None,
    x_words: Sequence[str] = (),
) -> str:
    """A line for each series; `x_words` name the whole numbers from 0 on the lower axis."""
    shown = [Series(name=s.name, points=_finite(s.points)) for s in series]
    shown = [s for s in shown if s.points]
    if not shown:
        return nothing(title)
    xs = [x for s in shown for x, _ in s.points]
    plot = Plot(
        x=(min(xs), max(xs)) if max(xs) > min(xs) else (xs[0] - 0.5, xs[0] + 0.5),
        y=y_range or spread([y for s in shown for _, y in s.points], from_zero=True),
    )
    body = plot.axes(x_name, y_name, _ticks(xs, x_words))
    body += "".join(_line(plot, s, i) for i, s in enumerate(shown))
    names = legend([s.name for s in shown], WIDTH) if len(shown) > 1 else ""
    return svg(title, body + names, height=HEIGHT, says=_sentence(shown))


def _line(plot: Plot, series: Series, i: int) -> str:
    places = [(at(plot.px(x)), at(plot.py(y))) for x, y in series.points]
    path = " ".join(f"{x},{y}" for x, y in places)
    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="3" fill="{colour(i)}">'
        f"<title>{word(series.name)}: {number(value)}</title></circle>"
        for (x, y), (_, value) in zip(places, series.points, strict=True)
    )
    return f'<polyline points="{path}" fill="none" stroke="{colour(i)}" stroke-width="2"/>{dots}'


def _ticks(xs: Sequence[float], words: Sequence[str]) -> list[tuple[float, str]]:
    every = sorted(set(xs))
    step = max(1, -(-len(every) // MOST_TICKS))
    return [(x, word(words[int(x)], 14) if _has(words, x) else number(x)) for x in every[::step]]


def _has(words: Sequence[str], x: float) -> bool:
    return 0 <= x < len(words) and float(x).is_integer()


def _finite(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(x, y) for x, y in points if drawable(x) and drawable(y)]


def _sentence(series: Sequence[Series]) -> str:
    ends = [f"{s.name} from {number(s.points[0][1])} to {number(s.points[-1][1])}" for s in series]
    return "; ".join(ends)
