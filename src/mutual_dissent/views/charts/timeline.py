"""Timeline: activities over time, a row for each panelist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mutual_dissent.views.charts.canvas import (
    Range,
    at,
    colour,
    drawable,
    labels,
    nothing,
    number,
    svg,
    ticks,
    word,
)

WIDTH, NAMES, RIGHT, TOP, STEP, BOTTOM = 960, 120, 16, 22, 24, 34


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """An activity of a panelist over time; `kind` gives it a colour."""

    row: str
    start: float
    end: float
    told: str
    kind: int = 0
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Something that happened; one with a `name` is drawn through all rows."""

    at: float
    told: str
    name: str = ""


def timeline(spans: Sequence[Span], moments: Sequence[Moment] = (), *, title: str) -> str:
    """Lying bars over seconds, in rows of the order in which they first appear."""
    shown = [s for s in spans if drawable(s.start) and drawable(s.end)]
    if not shown:
        return nothing(title)
    rows = list(dict.fromkeys(s.row for s in shown))
    last = max([s.end for s in shown] + [m.at for m in moments if drawable(m.at)])
    span = (0.0, last or 1.0)
    height = TOP + STEP * (len(rows) + 1) + BOTTOM
    body = _scale(span, height) + "".join(_moment(m, span, height) for m in moments)
    body += "".join(_label(name, i) for i, name in enumerate(labels(rows, 18)))
    body += "".join(_span(s, rows.index(s.row), span) for s in shown)
    says = f"{number(last)} seconds; " + "; ".join(s.told for s in shown)
    return svg(title, body, width=WIDTH, height=height, says=says)


def _px(value: float, span: Range) -> float:
    share = min(1.0, max(0.0, value / span[1]))
    return NAMES + share * (WIDTH - NAMES - RIGHT)


def _scale(span: Range, height: int) -> str:
    floor = height - BOTTOM
    lines = "".join(
        f'<line x1="{at(_px(v, span))}" x2="{at(_px(v, span))}" y1="{TOP}" y2="{floor}" '
        f'stroke="var(--line)"/><text x="{at(_px(v, span))}" y="{floor + 14}" '
        f'text-anchor="middle">{number(v)}</text>'
        for v in ticks(span)
    )
    middle = at((NAMES + WIDTH - RIGHT) / 2)
    return f'{lines}<text x="{middle}" y="{height - 4}" text-anchor="middle">seconds</text>'


def _label(name: str, i: int) -> str:
    y = TOP + STEP * i + 16
    return f'<text x="{NAMES - 8}" y="{y}" text-anchor="end" fill="var(--text)">{name}</text>'


def _span(s: Span, i: int, span: Range) -> str:
    left, right = _px(s.start, span), _px(s.end, span)
    look = 'fill="none" stroke="var(--oppose)"' if s.failed else f'fill="{colour(s.kind)}"'
    return (
        f'<g><title>{word(s.told, 120)}</title><rect x="{at(left)}" y="{TOP + STEP * i + 5}" '
        f'width="{at(max(2.0, right - left))}" height="{STEP - 10}" rx="2" {look} '
        f'opacity="0.85"/></g>'
    )


def _moment(m: Moment, span: Range, height: int) -> str:
    if not drawable(m.at):
        return ""
    x, floor = at(_px(m.at, span)), height - BOTTOM
    if m.name:
        return (
            f'<g><title>{word(m.told, 120)}</title><line x1="{x}" x2="{x}" y1="{TOP - 4}" '
            f'y2="{floor}" stroke="var(--line-strong)" stroke-dasharray="3 3"/>'
            f'<text x="{x}" y="{TOP - 9}">{word(m.name, 16)}</text></g>'
        )
    return (
        f'<g><title>{word(m.told, 120)}</title><circle cx="{x}" cy="{floor - STEP / 2:.0f}" r="4" '
        f'fill="var(--note)"/></g>'
    )
