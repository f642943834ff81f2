"""Tables in plain text and arrays in JSON: what lists look like in a terminal and in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from mutual_dissent.core.codec import to_bytes
from mutual_dissent.views.safe import as_json, plain


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Aligned columns without control codes; the last one may be of any length."""
    lines = [tuple(headings), *(tuple(" ".join(plain(c).split("\n")) for c in r) for r in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headings) - 1)]
    return "\n".join(_line(line, widths) for line in lines)


def echo_json(value: object) -> None:
    """A value as JSON on stdout."""
    click.echo(as_json(to_bytes(value, indent=True).decode()))


def dollars(amount: float | None) -> str:
    """An amount, with as many digits as it takes to be more than nothing."""
    if amount is None:
        return "?"
    if amount == 0 or amount >= 1:
        return f"${amount:,.2f}"
    return f"${amount:.4f}" if amount >= 0.0001 else f"${amount:.1g}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [c.ljust(w) for c, w in zip(cells, widths, strict=False)]
    return "  ".join([*padded, cells[-1]]).rstrip()
