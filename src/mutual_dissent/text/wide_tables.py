"""Tables with more columns than a terminal has room for: shown as they are written.

Drawn, their cells would be cut to nothing, and their text would be lost.
"""

from __future__ import annotations

from collections.abc import Iterator

MOST_COLUMNS = 12
_RULE = frozenset("|-: \t>")


def undrawn(markdown: str) -> str:
    """Output of `inert` with its wide tables as lines of text."""
    return "\n".join(_lines(markdown.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    fence = ""
    for line in lines:
        if line.startswith("```"):
            run = line[: len(line) - len(line.lstrip("`"))]
            fence = "" if line == fence else fence or run
        if fence or line.count("|") <= MOST_COLUMNS:
            yield line
        elif _RULE.issuperset(line):
            # Escaped, or the row above it would become the head of a table after all.
            yield "\\" + line.strip() + "  "
        else:
            yield line + "  "  # a new line after it, as it was written
