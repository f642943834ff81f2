"""Bottom lines compared by value: which say the same, which do not, and which take no position.

The modules that read lines are imported on first use: their many patterns take time to compile,
and commands that compare nothing start at once.
"""

from __future__ import annotations

from collections.abc import Mapping

from mutual_dissent.analysis.bottom_lines.verdict import Judge, Judged, Verdict
from mutual_dissent.core.closing import Estimate

__all__ = [
    "Judge",
    "Judged",
    "Verdict",
    "compare_lines",
    "decision_asked",
    "is_figure",
    "kind_of",
    "line_of",
    "stated_answer",
    "takes_no_position",
    "value_of",
    "without_figure",
]


def compare_lines(
    lines: Mapping[str, str], query: str = "", judge: Judge | None = None
) -> dict[tuple[str, str], Verdict]:
    """Relations between the seats' lines, by pairs of seats in alphabetical order.

    Args:
        lines: seat -> its bottom line, or its whole answer if it has none.
        query: the question; with it many more lines can be compared.
        judge: the embedded model, asked only about pairs of English one-sentence claims.

    Returns:
        The verdicts; a pair that could not be told is absent.
    """
    from mutual_dissent.analysis.bottom_lines import verdicts

    return verdicts.compare_lines(lines, query, judge)


def kind_of(line: str, query: str = "") -> str | None:
    """The kind of a closed answer (number, choice, yes_no, date, name); None for an open one."""
    from mutual_dissent.analysis.bottom_lines import verdicts

    return verdicts.kind_of(line, query)


def value_of(line: str, query: str = "") -> str | None:
    """The closed answer that a line gives, normalised; None if it is open or cannot be read."""
    from mutual_dissent.analysis.bottom_lines import verdicts

    return verdicts.value_of(line, query)


def line_of(text: str, query: str = "") -> str | None:
    """The sentence that an answer comes to, without markup; None if it cannot be told."""
    from mutual_dissent.analysis.bottom_lines import lines

    return lines.line_of(text, query)


def stated_answer(text: str, query: str = "") -> str | None:
    """The closed answer that ends a text, on a line such as `Answer: 913`; None without one."""
    from mutual_dissent.analysis.bottom_lines import lines

    return lines.stated_answer(text, query)


def takes_no_position(text: str) -> bool:
    """Return whether an answer takes no position: it is empty, refuses, or does not know."""
    from mutual_dissent.analysis.bottom_lines import refusals

    return refusals.takes_no_position(text)


def is_figure(line: str, estimate: Estimate, query: str) -> bool:
    """Return whether a bottom line states its estimate and nothing more, such as a decision."""
    from mutual_dissent.analysis.bottom_lines import figure_lines

    return figure_lines.is_figure(line, estimate, query)


def decision_asked(query: str) -> str:
    """The part of a query that asks for more than a quantity: a decision; empty without one."""
    from mutual_dissent.analysis.bottom_lines import figure_lines

    return figure_lines.decision_asked(query)


def without_figure(line: str, estimate: Estimate | None) -> str:
    """A decision without the part that only gives its figure."""
    from mutual_dissent.analysis.bottom_lines import figure_lines

    return figure_lines.without_figure(line, estimate)
