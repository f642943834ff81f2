"""The table of a decision for readers: options by criteria, and where panelists differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.panel.names import names

if TYPE_CHECKING:
    from mutual_dissent.analysis.decision.table import DecisionTable

RATED = "Options rated by the panel"
CELL, LONGEST = 60, 120
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class OptionsTable:
    """Cells of a table, its head first, and the lines under it."""

    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def table_of(t: Transcript) -> DecisionTable | None:
    """The figures of that table; most debates have none, and need not load what makes one."""
    if not any(r.matrix for r in t.turns()):
        return None
    from mutual_dissent.analysis.decision.table import decision_table

    return decision_table(t)


def options_table(t: Transcript) -> OptionsTable | None:
    """The table of a debate that decides; None where nobody rated anything."""
    table = table_of(t)
    if table is None:
        return None
    from mutual_dissent.analysis.decision.table import table_lines

    rows = tuple(tuple(one_line(c, CELL) for c in row) for row in table_lines(table))
    return OptionsTable(rows, tuple(_notes(t, table)))


def table_sentence(t: Transcript) -> str:
    """Sentence of the heading: `By their scores: Go 4.2, Rust 3.6 of 5.`; empty without any."""
    table = table_of(t)
    totals = [(o.option, o.total) for o in table.options if o.total is not None] if table else []
    shown = ", ".join(f"{one_line(o, CELL)} {total:.1f}" for o, total in totals[:MOST_NAMED])
    return f"By their scores: {shown} of 5." if shown else ""


def _notes(t: Transcript, table: DecisionTable) -> Iterator[str]:
    """Lines under the table: its legend, each one's own first option, and where they differ."""
    yield (
        "Each cell is the median of the scores from 1 (bad) to 5 (good), with the lowest and the "
        "highest; the total weighs the criteria as the panel does"
    )
    first = [f"{_one(o.option)} for {names(t, o.first_of)}" for o in table.options if o.first_of]
    if first:
        yield f"Best by each one's own scores and weights: {'; '.join(first)}"
    if table.merged:
        pairs = (f"{_one(name)} = {_one(kept)}" for name, kept in table.merged.items())
        yield f"Taken for the same by most: {'; '.join(pairs)}"
    if table.left_out:
        yield f"Named, but not rated: {'; '.join(map(_one, table.left_out))}"
    for d in table.differences:
        low = f"{names(t, d.low_by)} {d.low:g}{_because(d.low_reason)}"
        high = f"{names(t, d.high_by)} {d.high:g}{_because(d.high_reason)}"
        yield f"They differ on {_one(d.option)}, {_one(d.criterion)}: {low}; {high}"


def _because(reason: str) -> str:
    return f" ({_one(reason)})" if reason else ""


def _one(text: str) -> str:
    return one_line(text, LONGEST).rstrip(" .")
