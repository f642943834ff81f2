"""Findings of a review: what one reviewer reports about a text, and what others say to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from mutual_dissent.core.codec.camel import Shape

SEVERITIES = ("critical", "high", "medium", "low")
"""From the worst to the least."""

REVIEW_MODE = "review"
REVIEW, CHECK = "initial", "evaluation"
"""Roles of the two steps of a review."""

CONFIRM, REFUTE, OPEN = "confirm", "refute", "open"
VERDICTS = (CONFIRM, REFUTE, OPEN)

DOUBTFUL = "line doubtful"
"""Mark of a line where the quote is not in the text."""

MOST_FINDINGS = 40
"""Findings of one answer that are read; a note says how many more there were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defect(Shape):
    """A defect that one reviewer reports.

    Attributes:
        path: the file or document that it is in; empty where that is not said.
        line: the line there, corrected to where the quote stands.
        heading: the section of a document.
        quoted: whether the quote stands in the text under review; None without a quote.
    """

    path: str = ""
    line: int | None = None
    heading: str = ""
    severity: str = "medium"
    claim: str = ""
    quote: str = ""
    fix: str = ""
    quoted: bool | None = None

    @property
    def where(self) -> str:
        """Its place in words: `src/a.py:12`; without its quote a line is only said to be it."""
        if self.path and self.line:
            return f"{self.path}:{self.line}{f' ({DOUBTFUL})' if self.quoted is False else ''}"
        return ", ".join(p for p in (self.path, self.heading) if p)

    @property
    def rank(self) -> int:
        """Place of its severity, 0 for the worst."""
        return SEVERITIES.index(self.severity) if self.severity in SEVERITIES else 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingVerdict:
    """A reviewer's word on a finding that few others reported.

    Attributes:
        label: the finding, as it was shown: `F-0A1B2C`.
        same_as: the label of another finding that it takes for the very same defect, or empty.
        quoted: whether the quote stands in the text under review; None without a quote.
    """

    label: str
    verdict: str
    quote: str = ""
    reason: str = ""
    quoted: bool | None = None
    same_as: str = field(default="", metadata={"alias": "same_as"})


SUPPOSED = (Defect(claim="something", severity="medium"),)
"""The findings of an answer that is only supposed: of a quote, or of a walk through a mode."""
