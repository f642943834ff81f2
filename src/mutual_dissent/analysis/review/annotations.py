"""Annotations: the whole text under review, each line with the findings that are about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mutual_dissent.analysis.review.order import OrderedFinding
from mutual_dissent.analysis.review.text import ReviewText, documents
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.text.sanitize import plain

LONGEST = 4_000
"""Characters of a line that are shown; more would be no line that anybody reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedLine(Shape):
    """A line of the text under review.

    Attributes:
        sign: `+` or `-` for what a diff adds or takes away.
        findings: the labels of the findings that are about it.
    """

    number: int | None
    text: str
    sign: str | None = None
    findings: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedText(Shape):
    """A document under review, whole."""

    name: str
    lines: tuple[AnnotatedLine, ...]


def annotated_texts(brief: Brief, findings: Sequence[OrderedFinding]) -> tuple[AnnotatedText, ...]:
    """Every document under review, with its findings at their lines."""
    return tuple(
        AnnotatedText(name=plain(d.name), lines=tuple(_lines(d, _own(d, findings))))
        for d in documents(brief)
    )


def _own(document: ReviewText, findings: Sequence[OrderedFinding]) -> dict[int, list[str]]:
    """Index of a line -> labels of the findings that are about it."""
    own = [f for f in findings if f.path == document.name]
    numbered: dict[int | None, list[int]] = {}
    headed: dict[str, int] = {}
    for n, line in enumerate(document.lines if own else ()):
        numbered.setdefault(line.number, []).append(n)
        headed.setdefault(line.heading, n)
    found: dict[int, list[str]] = {}
    for f in own:
        at = _line(document, f, numbered.get(f.line, [])) if f.line else headed.get(f.heading)
        if at is not None and (f.line or f.heading):
            found.setdefault(at, []).append(f.label)
    return found


def _line(document: ReviewText, f: OrderedFinding, numbered: Sequence[int]) -> int | None:
    """The line that a finding is about: in a diff, what was and what is have the same number."""
    words = f.quote.strip().partition("\n")[0].strip()
    quoted = [n for n in numbered if words and words in document.lines[n].text]
    kept = [n for n in numbered if document.lines[n].sign != "-"]
    # The line with the quote, else the one that is there now, else the one that was.
    return next(iter((*quoted, *kept, *numbered)), None)


def _lines(document: ReviewText, found: dict[int, list[str]]) -> Iterator[AnnotatedLine]:
    for n, line in enumerate(document.lines):
        labels = found.get(n)
        yield AnnotatedLine(
            number=line.number,
            text=_cut(line.text),
            sign=line.sign or None,
            findings=tuple(labels) if labels else None,
        )


def _cut(text: str) -> str:
    more = len(text) - LONGEST
    return plain(text) if more <= 0 else f"{plain(text[:LONGEST])} … and {more:,} more characters"
