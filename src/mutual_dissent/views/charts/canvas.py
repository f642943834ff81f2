"""The canvas of a chart: a plot with its axes, and the SVG around it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10

from mutual_dissent.text.sanitize import one_line

# Variables of the page's style, so that a chart follows its light or dark colours.
PALETTE = tuple(f"var(--p{i})" for i in range(1, 9))
WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 26, 38

Range = tuple[float, float]


LONGEST = 400
"""Of a longer name the rest is not looked at."""

MOST = 1e100
"""Greater figures are not drawn: sums and spans of them overflow."""

# XML forbids these two, even escaped: the chart would not be drawn at all.
_NOT_XML = re.compile("[\ufffe\uffff]")


def word(text: str, limit: int = 40) -> str:
    """A stranger's name as it may stand in a chart."""
    return escape(_NOT_XML.sub("", one_line(text, limit)), quote=True)


def labels(names: Sequence[str], limit: int) -> list[str]:
    """Names as they may stand in a chart; different ones never read alike.

    A long one is cut in its middle: models of one maker differ at the end.
    """
    flat = [one_line(n, LONGEST) for n in names]
    short = [_cut(n, limit) for n in flat]
    meant: dict[str, list[str]] = {}
    for whole, name in zip(flat, short, strict=True):
        if whole not in meant.setdefault(name, []):
            meant[name].append(whole)
    return [
        word(_told_apart(w, s, meant[s], limit), limit) for w, s in zip(flat, short, strict=True)
    ]


def _cut(name: str, limit: int) -> str:
    tail = limit * 2 // 5
    return name if len(name) <= limit else f"{name[: limit - tail - 1]}…{name[-tail:]}"


def _told_apart(name: str, short: str, alike: Sequence[str], limit: int) -> str:
    """The short name, with a number if another name is cut to the same."""
    if len(alike) < 2:
        return short
    mark = f"{alike.index(name) + 1}: "
    return mark + _cut(name, limit - len(mark))


def drawable(value: float) -> bool:
    """Return whether a figure can be drawn."""
    return abs(value) <= MOST


def number(value: float) -> str:
    """A figure as people write it."""
    if not drawable(value):
        return "–"
    if abs(value) >= 1e15:
        return f"{value:.1e}"
    if value == 0 or 0.0001 <= abs(value) < 10_000:
        return f"{value:.4g}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.1e}"


def at(value: float) -> str:
    """A coordinate, short."""
    return f"{value:.1f}".removesuffix(".0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A rectangle in which values have their places."""

    x: Range
    y: Range
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT

    @property
    def right_edge(self) -> float:
        """Right end of the plot."""
        return self.width - RIGHT

    @property
    def floor(self) -> float:
        """Lower end of the plot."""
        return self.height - BOTTOM

    def px(self, x: float) -> float:
        """Horizontal position of a value."""
        return self.left + _share(x, self.x) * (self.right_edge - self.left)

    def py(self, y: float) -> float:
        """Vertical position of a value."""
        return self.floor - _share(y, self.y) * (self.floor - TOP)

    def axes(self, x_name: str, y_name: str, x_ticks: Iterable[tuple[float, str]]) -> str:
        """Lines, figures and names of both axes."""
        parts = []
        for value in ticks(self.y):
            y = at(self.py(value))
            parts.append(
                f'<line x1="{self.left}" x2="{at(self.right_edge)}" y1="{y}" y2="{y}" '
                f'stroke="var(--line)"/>'
                f'<text x="{self.left - 7}" y="{y}" dy="4" text-anchor="end">{number(value)}</text>'
            )
        for value, name in x_ticks:
            side = "end" if self.px(value) > self.right_edge - RIGHT else "middle"
            parts.append(
                f'<text x="{at(self.px(value))}" y="{at(self.floor + 16)}" '
                f'text-anchor="{side}">{name}</text>'
            )
        middle = at((self.left + self.right_edge) / 2)
        parts.append(
            f'<text x="{middle}" y="{self.height - 5}" text-anchor="middle">{word(x_name)}</text>'
        )
        if y_name:
            high = at((TOP + self.floor) / 2)
            parts.append(
                f'<text x="12" y="{high}" text-anchor="middle" '
                f'transform="rotate(-90 12 {high})">{word(y_name)}</text>'
            )
        return "".join(parts)


def svg(title: str, body: str, *, width: int = WIDTH, height: int = HEIGHT, says: str = "") -> str:
    """A chart: a picture with a name, and a sentence for readers that cannot see it."""
    about = f"<desc>{word(says, 400)}</desc>" if says else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" '
        f'width="{width}" viewBox="0 0 {width} {height}" font-size="11" fill="var(--muted)">'
        f"<title>{word(title, 120)}</title>{about}{body}</svg>"
    )


NOTHING = "nothing to show yet"


def nothing(title: str, why: str = NOTHING) -> str:
    """A chart without data says so."""
    body = f'<text x="{WIDTH / 2:.0f}" y="60" text-anchor="middle">{word(why, 120)}</text>'
    return svg(title, body, height=120, says=why)


def legend(names: Sequence[str], width: int, y: float = 10) -> str:
    """Legend of the colours, on one line as far as it goes."""
    parts, x = [], float(LEFT)
    for i, (name, shown) in enumerate(zip(names, labels(names, 24), strict=True)):
        parts.append(
            f'<circle cx="{at(x)}" cy="{at(y)}" r="4" fill="{colour(i)}"/>'
            f'<text x="{at(x + 8)}" y="{at(y)}" dy="4">{shown}</text>'
        )
        # About the width of a letter at this size: a picture cannot measure its text.
        x += 28 + 7.4 * min(len(name), 24)
        if x > width - 60:
            break
    return "".join(parts)


def colour(i: int) -> str:
    """The colour of the panelist or series of that number."""
    return PALETTE[i % len(PALETTE)]


def spread(values: Iterable[float], *, from_zero: bool = False) -> Range:
    """From the least to the greatest value, with some room; never empty."""
    figures = [v for v in values if drawable(v)]
    if not figures:
        return (0.0, 1.0)
    low, high = min(figures), max(figures)
    if from_zero:
        low, high = min(0.0, low), max(0.0, high)
    room = (high - low) * 0.05 or abs(high) * 0.1 or 0.5
    return (low if from_zero and low == 0 else low - room, high + room)


def ticks(span: Range, about: int = 5) -> list[float]:
    """Round figures within a range."""
    low, high = span
    raw = (high - low) / about
    power = 10.0 ** floor(log10(raw)) if raw > 0 else 1.0
    step = next((m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw), power)
    first = floor(low / step)
    # A fixed number, whatever the range; those outside are left out.
    marks = [(first + i) * step for i in range(about * 3)]
    # Products of floats miss the ends of a range by a hair.
    return [round(v, 10) for v in marks if low - step * 1e-9 <= v <= high + step * 1e-9]


def _share(value: float, span: Range) -> float:
    low, high = span
    return min(1.0, max(0.0, (value - low) / (high - low))) if high > low else 0.5
