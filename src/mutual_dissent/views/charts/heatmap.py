"""Heatmap: a figure for each pair of names."""

from __future__ import annotations

from collections.abc import Sequence

from mutual_dissent.views.charts.canvas import drawable, labels, nothing, number, svg, word

NAMES, TOP, FOOT = 120, 64, 26
NARROW, WIDE, TALL = 34, 70, 34
PLOT, LEAST = 500, 420


def heatmap(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    title: str,
    row_name: str = "",
    column_name: str = "",
) -> str:
    """Draw a heatmap: darker where the figure is greater; None and infinite figures stay empty.

    Figures below zero have the colour of opposition.
    """
    if not rows or not columns:
        return nothing(title)
    cell = max(NARROW, min(WIDE, PLOT // len(columns)))
    sizes = [abs(v) for row in values for v in row if v is not None and drawable(v)]
    most = max(sizes, default=0.0) or 1.0
    width = max(LEAST, NAMES + cell * len(columns) + 16)
    height = TOP + TALL * len(rows) + FOOT
    heads = "".join(
        f'<text x="{NAMES + cell * i + cell // 2}" y="{TOP - 8}" text-anchor="start" '
        f'transform="rotate(-35 {NAMES + cell * i + cell // 2} {TOP - 8})">{name}</text>'
        for i, name in enumerate(labels(columns, 16))
    )
    shown = labels(rows, 16)
    body = "".join(
        _row(name, shown[i], row, i, columns, cell, most)
        for i, (name, row) in enumerate(zip(rows, values, strict=True))
    )
    foot = f'<text x="{NAMES}" y="{height - 8}">{word(_axes(row_name, column_name), 90)}</text>'
    return svg(title, heads + body + foot, width=width, height=height, says=_sentence(rows, values))


def _row(
    name: str,
    shown: str,
    row: Sequence[float | None],
    i: int,
    columns: Sequence[str],
    cell: int,
    most: float,
) -> str:
    y = TOP + TALL * i
    label = (
        f'<text x="{NAMES - 8}" y="{y + TALL // 2 + 4}" text-anchor="end" fill="var(--text)">'
        f"{shown}</text>"
    )
    cells = (_cell(v, name, c, NAMES + cell * j, y, cell, most)
             for j, (v, c) in enumerate(zip(row, columns, strict=True)))  # fmt: skip
    return label + "".join(cells)


def _cell(
    value: float | None, row: str, column: str, x: int, y: int, cell: int, most: float
) -> str:
    box = f'x="{x}" y="{y}" width="{cell - 2}" height="{TALL - 2}" rx="3"'
    if value is None or not drawable(value):
        return f'<rect {box} fill="var(--raised)"/>'
    tone = "var(--accent)" if value >= 0 else "var(--oppose)"
    strength = 0.08 + 0.47 * abs(value) / most
    return (
        f'<g><title>{word(row)} → {word(column)}: {number(value)}</title>'
        f'<rect {box} fill="{tone}" opacity="{strength:.2f}"/>'
        f'<text x="{x + cell // 2 - 1}" y="{y + TALL // 2 + 3}" text-anchor="middle" '
        f'fill="var(--text)">{_short(value)}</text></g>'
    )  # fmt: skip


def _short(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"


def _axes(row_name: str, column_name: str) -> str:
    return f"rows: {row_name}; columns: {column_name}" if row_name and column_name else ""


def _sentence(rows: Sequence[str], values: Sequence[Sequence[float | None]]) -> str:
    sentence = (
        f"{name}: " + ", ".join("none" if v is None else number(v) for v in row)
        for name, row in zip(rows, values, strict=True)
    )
    return "; ".join(sentence)
