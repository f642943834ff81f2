"""Bottom lines compared by value: which say the same, which do not, and which take no position."""

from mutual_dissent.analysis.bottom_lines.lines import line_of
from mutual_dissent.analysis.bottom_lines.refusals import takes_no_position
from mutual_dissent.analysis.bottom_lines.verdicts import (
    Judge,
    Judged,
    Verdict,
    compared,
    kind_of,
    value_of,
)

__all__ = [
    "Judge",
    "Judged",
    "Verdict",
    "compared",
    "kind_of",
    "line_of",
    "takes_no_position",
    "value_of",
]
