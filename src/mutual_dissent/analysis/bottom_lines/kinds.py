"""A closed answer: its kind, its value, and what else matters when two are compared."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.analysis.bottom_lines.names import Name
from mutual_dissent.analysis.bottom_lines.numbers import Date, Number


@dataclass(frozen=True, slots=True)
class ClosedAnswer:
    """A closed answer: number, choice, yes_no, date or name, and its normalised value."""

    kind: str
    value: str
    number: Number | None = None
    date: Date | None = None
    name: Name | None = None
    on_condition: bool = False  # yes, no or a choice with a reservation
    rest: tuple[str, ...] = ()  # what the line says besides, in its order
    tense: str = ""
    is_understood: bool = True  # what it says besides is in English
