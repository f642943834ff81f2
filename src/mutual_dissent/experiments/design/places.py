"""Places in an experiment's file: the line that a mistake is in, also where tables repeat."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mutual_dissent.config.file import line_of
from mutual_dissent.core.errors import BadConfig


def wrong(
    file: str, text: str, place: Sequence[str], sentence: str, *, number: int = 0
) -> BadConfig:
    """Return the error that names file, line and key.

    Args:
        number: its number among the tables of that name, from 1, where they are a list.
    """
    return BadConfig(file, ".".join(place), sentence, line_in(text, tuple(place), number))


def line_in(text: str, place: tuple[str, ...], number: int = 0) -> int | None:
    """Return the line of a place; `number` is that of the table among several of its name."""
    if not number or not place:
        return line_of(text, place)
    lines = text.split("\n")
    heading = re.compile(rf"\s*\[\[\s*{re.escape(place[0])}\s*\]\]")
    starts = [i for i, line in enumerate(lines) if heading.match(line)]
    if number > len(starts):
        return line_of(text, place)
    start = starts[number - 1]
    end = next((i for i in starts if i > start), len(lines))
    line = line_of("\n".join(lines[start:end]), place)
    return start + (line or 1)
