"""Text of an answer as a person reads it: structured answers without their JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.defects import REVIEW_MODE
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.panel.names import (
    letters,
    name,
    named_causes,
    replace_letters,
    text_with_names,
    with_names,
)
from mutual_dissent.views.phrases import with_remark

MOST_LISTED = 12
Naming = Callable[[str], str]

BEFORE = "on what the others had said before"
_ABOUT = {"synthesis": "how the others stand to this, as its writer sees it"}
"""Subject of the views: those of the panel, and those of the answer's writer."""


def readable(r: Response, naming: Naming = str) -> str:
    """An answer as Markdown: its text, then the other fields of its form."""
    return "\n\n".join(p for p in (r.text, *_further(r, naming)) if p)


def named_text(t: Transcript, r: Response) -> str:
    """The same for people: with names in the place of letters."""
    if r.by_code and t.brief.mode == REVIEW_MODE:
        from mutual_dissent.analysis.review.order import ordered_findings
        from mutual_dissent.analysis.review.report import report

        # Its words are the program's own: they are said as this version says them.
        return with_names(t, report(t, ordered_findings(t)))
    return text_with_names(t, readable(r, lambda seat: name(t, seat)), r)


def bottom_line(t: Transcript, r: Response) -> str:
    """Bottom line of a panelist's answer, if it is not part of its text."""
    if not r.usable or r.position is not None:
        return ""
    return one_line(replace_letters(r.bottom_line, letters(t, r)), 600)


def closing_words(t: Transcript, r: Response) -> list[str]:
    """Lines below a panelist's answer: closing lines, and what it looked up."""
    line = bottom_line(t, r)
    views = (
        [v for v in r.closing.views if v.seat != r.model_alias] if r.usable and r.closing else []
    )
    who = letters(t, r)
    views_line = "; ".join(
        f"{name(t, v.seat)} {v.relation}{f': {replace_letters(v.about, who)}' if v.about else ''}"
        for v in views[:MOST_LISTED]
    )
    change = r.closing.change if r.usable and r.closing else None
    changed = with_remark(change.kind, named_causes(change.what, who)) if change else ""
    return [
        *([f"bottom line: {line}"] if line else []),
        *([f"{_ABOUT.get(r.role, BEFORE)}: {one_line(views_line, 800)}"] if views_line else []),
        *([f"changed: {one_line(changed, 400)}"] if change else []),
        *_lookups(r),
    ]


def ballot_line(r: Response, naming: Naming = str) -> str:
    """A ballot in one line: `b > a = c`; empty without one."""
    return " > ".join(" = ".join(map(naming, level)) for level in r.ballot or ())


def _further(r: Response, naming: Naming) -> Iterator[str]:
    if r.position is None:
        return  # the text is the whole answer as it came
    if isinstance(r.critique, dict):
        yield "\n".join(_critique(r.critique, naming))
    if r.ballot:
        yield f"Ranking: {ballot_line(r, naming)}"
    if r.questions:
        yield "\n".join(["Open questions:", "", *(f"- {q}" for q in r.questions[:MOST_LISTED])])


def _critique(critique: dict[str, object], naming: Naming) -> Iterator[str]:
    for seat, points in list(critique.items())[:MOST_LISTED]:
        for kind in ("strengths", "weaknesses"):
            entries = points.get(kind) if isinstance(points, dict) else None
            if isinstance(entries, list) and entries:
                listed = "; ".join(str(g) for g in entries[:MOST_LISTED])
                yield f"- {kind} of {naming(seat)}: {listed}"


def _lookups(r: Response) -> list[str]:
    if not (r.uses or r.tool_calls or r.searches):
        return []
    # Loaded here: few answers rest on anything that was looked up.
    from mutual_dissent.views.remarks.lookups import lookup_words

    return lookup_words(r)
