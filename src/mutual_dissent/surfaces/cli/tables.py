"""Tables in plain text and arrays in JSON: lists for terminals and pipes."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Container, Iterable, Sequence
from unicodedata import east_asian_width

import click

from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.text.sanitize import as_json, plain
from mutual_dissent.views.phrases import money

LATIN = 0x2E7F
"""Last character before the first that may take two columns."""

LEAST = 12
"""Minimum columns of a table's last column."""


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    width: int | None = None,
    without: Container[int] = (),
    whole: bool = False,
) -> str:
    """Format aligned columns without control codes; the last one may be of any length.

    With `--output markdown` it is a complete Markdown table.

    Args:
        width: the longest line; the last column of longer ones is cut.
        without: indices of omitted columns.
        whole: whether the last column is wrapped between words instead of cut.
    """
    if _wants_markdown():
        return _markdown(headings, rows)
    cells = ([c for i, c in enumerate(r) if i not in without] for r in (headings, *rows))
    lines = [tuple(" ".join(plain(c).split("\n")) for c in r) for r in cells]
    widths = [max(cell_width(line[i]) for line in lines) for i in range(len(lines[0]) - 1)]
    room = max(LEAST, width - sum(widths) - 2 * len(widths)) if width else None
    if whole and room:
        lines = [part for line in lines for part in _parts(line, room)]
    return "\n".join(_line(line, widths, room) for line in lines)


def wrap_words(text: str, width: int | None, indent: int = 0) -> str:
    """Wrap a text between words; further lines are indented."""
    if width is None:
        return text
    return textwrap.fill(
        text,
        width,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def terminal_width() -> int | None:
    """Return the terminal's columns; None where stdout is not a terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size().columns


def cell_width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    return len(text) + sum(east_asian_width(c) in "WF" for c in text if ord(c) > LATIN)


def echo_json(value: object) -> None:
    """Print a value as JSON."""
    click.echo(as_json(to_bytes(value, indent=True).decode()))


def dollars(amount: float | None, unpriced: int = 0) -> str:
    """Format an amount, or a question mark; `+ ?` where it lacks unpriced calls."""
    if amount is None or (unpriced and not amount):
        return "?"
    return money(amount).replace("under ", "<") + (" + ?" if unpriced else "")


UNPRICED = "?: calls whose price is not known; they are not in the sum."


def _wants_markdown() -> bool:
    """Return whether the running command was called with `--output markdown`."""
    context = click.get_current_context(silent=True)
    return context is not None and context.params.get("output") == "markdown"


def _markdown(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    from mutual_dissent.text.markdown_inert import inert_line

    lines = [[h.capitalize() for h in headings], ["---"] * len(headings)]
    lines += [[inert_line(c).replace("|", "\\|") for c in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _parts(cells: tuple[str, ...], room: int) -> list[tuple[str, ...]]:
    """Split a row into lines, where its last column is wrapped."""
    first, *others = wrap_words(cells[-1], room).split("\n")
    blank = ("",) * (len(cells) - 1)
    return [(*cells[:-1], first), *((*blank, other) for other in others)]


def _line(cells: Sequence[str], widths: Sequence[int], room: int | None) -> str:
    padded = [c + " " * (w - cell_width(c)) for c, w in zip(cells, widths, strict=False)]
    return "  ".join([*padded, _cut(cells[-1], room)]).rstrip()


def _cut(text: str, room: int | None) -> str:
    """Cut a text to the room."""
    if room is None or cell_width(text) <= room:
        return text
    while cell_width(text) >= room:
        text = text[:-1]
    return text.rstrip() + "…"
