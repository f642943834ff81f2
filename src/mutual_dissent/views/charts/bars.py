"""Bars: figures side by side, each with its interval, if any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mutual_dissent.views.charts.canvas import (
    WIDTH,
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

STEP, NAMES, TOP, BOTTOM = 24, 170, 8, 34


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A figure with its name; `low` and `high` bound it. `kind` gives it a colour."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    kind: int = 0


def bars(values: Sequence[Bar], *, title: str, x_name: str = "", span: Range | None = None) -> str:
    """Lying bars, in the order that they are given in."""
    shown = [b for b in values if drawable(b.value)]
    if not shown:
        return nothing(title)
    ends = [v for b in shown for v in (b.value, b.low, b.high) if v is not None]
    span = span or spread(ends, from_zero=True)
    height = TOP + STEP * len(shown) + BOTTOM
    body = _scale(span, height, x_name)
    names = labels([b.name for b in shown], 26)
    body += "".join(_bar(b, i, span, names[i]) for i, b in enumerate(shown))
    says = "; ".join(f"{b.name} {number(b.value)}" for b in shown)
    return svg(title, body, height=height, says=says)


def _px(value: float, span: Range) -> float:
    low, high = span
    share = min(1.0, max(0.0, (value - low) / (high - low))) if high > low else 0.5
    return NAMES + share * (WIDTH - NAMES - 60)


def _scale(span: Range, height: int, x_name: str) -> str:
    floor = height - BOTTOM
    parts = [
        f'<line x1="{at(_px(v, span))}" x2="{at(_px(v, span))}" y1="{TOP}" y2="{floor}" '
        f'stroke="var(--line)"/><text x="{at(_px(v, span))}" y="{floor + 14}" '
        f'text-anchor="middle">{number(v)}</text>'
        for v in ticks(span)
    ]
    middle = at((NAMES + WIDTH - 60) / 2)
    name = f'<text x="{middle}" y="{height - 4}" text-anchor="middle">{word(x_name)}</text>'
    return "".join(parts) + name


def _bar(bar: Bar, i: int, span: Range, name: str) -> str:
    top = TOP + STEP * i + 4
    zero, end = _px(max(span[0], min(span[1], 0.0)), span), _px(bar.value, span)
    left, width = min(zero, end), max(1.0, abs(end - zero))
    label = (
        f'<text x="{NAMES - 8}" y="{top + 12}" text-anchor="end" fill="var(--text)">{name}</text>'
    )
    rect = (
        f'<rect x="{at(left)}" y="{top}" width="{at(width)}" height="{STEP - 9}" rx="2" '
        f'fill="{colour(bar.kind)}" opacity="0.85"/>'
    )
    furthest = max(end, zero, _px(bar.high, span) if bar.high is not None else 0)
    value = f'<text x="{at(furthest + 6)}" y="{top + 12}">{number(bar.value)}</text>'
    return f"<g><title>{_label(bar)}</title>{label}{rect}{_whisker(bar, top, span)}{value}</g>"


def _whisker(bar: Bar, top: int, span: Range) -> str:
    if bar.low is None or bar.high is None:
        return ""
    low, high, y = at(_px(bar.low, span)), at(_px(bar.high, span)), at(top + (STEP - 9) / 2)
    return (
        f'<path d="M{low} {y}H{high}M{low} {top + 3}V{top + STEP - 12}'
        f'M{high} {top + 3}V{top + STEP - 12}" stroke="var(--text)" fill="none"/>'
    )


def _label(bar: Bar) -> str:
    bounds = "" if bar.low is None or bar.high is None else (
        f" [{number(bar.low)}, {number(bar.high)}]"
    )  # fmt: skip
    return f"{word(bar.name, 120)}: {number(bar.value)}{bounds}"
