"""Places: every quote is looked up in the text under review, and the line follows from it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mutual_dissent.analysis.answers.verbatim import plain
from mutual_dissent.analysis.review.text import ReviewText, documents
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.values.defects import Defect, FindingVerdict

LEAST_QUOTE = 4
"""Characters, blanks aside, of a quote that can be found anywhere; shorter ones mean nothing."""

_BLANK = re.compile(r"\s+")
# "+    return x", "12: - foo()": models copy marks and line numbers of a diff into quotes.
_MARK = re.compile(r"^[ \t]{0,20}(?:\d{1,7}[:|]\s{0,4})?[+-](?=\s|\w|[({\[\"'@#/])", re.MULTILINE)
_GAP = re.compile(r"\[?\.{3}\]?|…")
_MOST_PLACES = 200


class Places:
    """The documents of one review, to look things up in."""

    def __init__(self, brief: Brief) -> None:
        self._documents = [_Squeezed(d) for d in documents(brief)]
        self._order = {d.name: n for n, d in enumerate(self._documents)}

    def locate(self, finding: Defect) -> Defect:
        """The finding at its true place; what cannot be found keeps its words, and is flagged."""
        known = self._named(finding.path)
        first = [known] if known else []
        for document in (*first, *(d for d in self._documents if d is not known)):
            if at := document.find(finding.quote, finding.line if document is known else None):
                line, heading = at
                return replace(
                    finding, path=document.name, line=line, quoted=True,
                    heading=heading or finding.heading,
                )  # fmt: skip
        quoted = False if finding.quote else None
        if known is None:  # a place that is not in the text is no place: it is said, not used
            said = " ".join(p for p in (finding.path, finding.heading) if p)
            return replace(finding, path="", line=None, heading=said[:300], quoted=quoted)
        line = finding.line if known.has(finding.line) else None
        return replace(finding, path=known.name, line=line, quoted=quoted)

    def look_up(self, verdict: FindingVerdict) -> FindingVerdict:
        """The verdict with whether its quote stands in the text."""
        if not verdict.quote:
            return verdict
        found = any(d.find(verdict.quote, None) for d in self._documents)
        return replace(verdict, quoted=found)

    def _named(self, path: str) -> _Squeezed | None:
        """The document that a name means: the whole path, or the end of it."""
        said = path.strip().strip("`'\"").removeprefix("./")
        if not said:
            return self._documents[0] if len(self._documents) == 1 else None
        for name in (said, said.removeprefix("a/"), said.removeprefix("b/")):
            if exact := [d for d in self._documents if d.name == name]:
                return exact[0]
        alike = [d for d in self._documents if _may_mean(said, d.name)]
        return alike[0] if len(alike) == 1 else None


class _Squeezed:
    """A document without blanks and markup, in which every character knows its line."""

    def __init__(self, document: ReviewText) -> None:
        self.name = document.name
        self._lines = document.lines
        self._numbers = frozenset(line.number for line in document.lines)
        pieces = [_squeezed(line.text) for line in document.lines]
        self._text = "".join(pieces)
        self._starts: list[int] = []
        at = 0
        for piece in pieces:
            self._starts.append(at)
            at += len(piece)

    def has(self, line: int | None) -> bool:
        """Return whether it has a line of that number."""
        return line in self._numbers

    def find(self, quote: str, near: int | None) -> tuple[int | None, str] | None:
        """Line and heading at which a quote begins; of several the one nearest to a line."""
        for pieces in _readings(quote):
            if places := self._places(pieces):
                lines = [self._lines[bisect_right(self._starts, at) - 1] for at in places]
                # The stated line need not be exact to tell which of equal passages is meant.
                best = min(lines, key=lambda line: abs((line.number or 0) - (near or 0)))
                first = best if near else lines[0]
                return first.number, first.heading
        return None

    def _places(self, pieces: Sequence[str]) -> list[int]:
        """Beginnings of the first piece, where the others follow it."""
        found: list[int] = []
        at = self._text.find(pieces[0])
        while at >= 0 and len(found) < _MOST_PLACES:
            if self._follow(pieces[1:], at + len(pieces[0])):
                found.append(at)
            at = self._text.find(pieces[0], at + 1)
        return found

    def _follow(self, pieces: Sequence[str], at: int) -> bool:
        for piece in pieces:
            start = self._text.find(piece, at)
            if start < 0:
                return False
            at = start + len(piece)
        return True


def _may_mean(said: str, name: str) -> bool:
    """Return whether a path is the end of a name, or the other way round; or names a piece."""
    # "a.py" for "src/a.py", "/repo/src/a.py" for it, "src/a.py (lines 1-90)" for a piece.
    return name.endswith(f"/{said}") or said.endswith(f"/{name}") or said.startswith(f"{name} (")


def _readings(quote: str) -> Iterator[list[str]]:
    """Ways to take a quote: as it is, without the marks of a diff, with three dots as a gap."""
    for words in dict.fromkeys((quote, _MARK.sub("", quote))):
        for texts in ([words], _GAP.split(words)):
            pieces = [p for p in map(_squeezed, texts) if p]
            if pieces and len(pieces[0]) >= LEAST_QUOTE:
                yield pieces


def _squeezed(text: str) -> str:
    return _BLANK.sub("", plain(text))
