"""A sheet: the text of an experiment's file, for values that are checked and errors with a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from mutual_dissent.core.errors import BadConfig
from mutual_dissent.experiments.design.places import wrong

Table = Mapping[str, Any]
Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DesignSheet:
    """A file; `number` is that of the table that is read, among several of the same name."""

    file: str
    text: str
    number: int = 0

    def at(self, number: int) -> DesignSheet:
        """Return the same file, for the table of that number."""
        return DesignSheet(self.file, self.text, number)

    def wrong(self, place: Sequence[str], sentence: str) -> BadConfig:
        """Return the error that says what is wrong at a place."""
        return wrong(self.file, self.text, place, sentence, number=self.number)

    def only(self, table: Any, known: Sequence[str], place: Place) -> None:
        """Check that a table has known keys only."""
        if not isinstance(table, Mapping):
            raise self.wrong(place, "must be a table")
        for key in table:
            if key not in known:
                near = get_close_matches(key[:80], known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
                raise self.wrong((*place, key), f"no such key; {hint}")

    def name(self, value: Any, place: Place) -> str:
        """Return a name that files, tables and command lines can bear."""
        fine = isinstance(value, str) and 0 < len(value) <= 80 and value == value.strip()
        if not fine or not all(c.isalnum() or c in "-_.: +" for c in value):
            raise self.wrong(place, "must be a name of 1 to 80 letters, digits, dashes and dots")
        return str(value)

    def word(self, table: Table, key: str, place: Place = ()) -> str | None:
        """Return a text, if there is one."""
        value = table.get(key)
        if value is not None and not isinstance(value, str):
            raise self.wrong((*place, key), "must be a text")
        return value

    def words(self, table: Table, key: str, place: Place = ()) -> tuple[str, ...]:
        """Return a list of texts; one text alone is a list of one."""
        value = table.get(key, [])
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
            raise self.wrong((*place, key), "must be a list of names")
        return tuple(value)

    def whole(self, table: Table, key: str, usual: int, low: int, high: int) -> int:
        """Return a whole number within bounds."""
        value = table.get(key, usual)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.wrong((key,), f"must be a whole number from {low} to {high:,}")
        return value

    def dollars(self, table: Table, key: str) -> float | None:
        """Return a number of dollars, if there is one."""
        value = table.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
            raise self.wrong((key,), "must be a number of dollars above 0")
        return float(value)

    def flag(self, table: Table, key: str, usual: bool, place: Place = ()) -> bool:
        """Return true or false."""
        value = table.get(key, usual)
        if not isinstance(value, bool):
            raise self.wrong((*place, key), "must be true or false")
        return value

    def texts(self, table: Table, key: str, place: Place) -> dict[str, str]:
        """Return a table of seats and texts."""
        value = table.get(key, {})
        if not isinstance(value, Mapping) or not all(isinstance(v, str) for v in value.values()):
            raise self.wrong((*place, key), "must be a table of seat and text")
        return dict(value)
