"""Sentences on citations that were checked: how many checked out, and what of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mutual_dissent.analysis.citations.verdicts import checked_citations
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.citation import (
    CONTRADICTS,
    NOT_CHECKED,
    NOT_FOUND,
    NOT_JUDGED,
    NOT_REACHABLE,
    SUPPORTS,
    CheckedCitation,
)
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.panel.names import names
from mutual_dissent.views.phrases import clip, plural

LONGEST = 160
WORDS = {
    CONTRADICTS: "the page contradicts it",
    NOT_FOUND: "the page does not say so, as far as was found",
    NOT_REACHABLE: "the page could not be read",
    NOT_JUDGED: "not judged",
    NOT_CHECKED: "not checked",
}


def checks_of(t: Transcript) -> tuple[CheckedCitation, ...]:
    """The checks that the heading is about: the answer's, or the panel's where it cites nothing."""
    every = checked_citations(t) if t.cited else ()
    return tuple(c for c in every if c.in_answer) or every


def shown_checks(t: Transcript) -> tuple[CheckedCitation, ...]:
    """Every check, with texts that can be shown as they are."""
    return tuple(
        replace(
            c, url=plain(c.url), title=one_line(c.title, 300), claim=one_line(c.claim, 600),
            passage=plain(c.passage), quote=plain(c.quote), reason=one_line(c.reason, 300),
        )
        for c in (checked_citations(t) if t.cited else ())
    )  # fmt: skip


def citations_heading(t: Transcript) -> str:
    """Sentence of the heading on citations; empty where none was checked."""
    checks = checks_of(t)
    if not checks:
        return ""
    whose = "" if checks[0].in_answer else " of the panel"
    found = Counter(c.verdict for c in checks)
    against = found[CONTRADICTS]
    denied = (
        f"; {plural(against, 'page')} {'contradicts' if against == 1 else 'contradict'} its claim"
    )
    open_ = found[NOT_JUDGED] + found[NOT_CHECKED]
    left = f"; {open_} could not be judged" if open_ else ""
    noun = "citation" if len(checks) == 1 else "citations"
    return (
        f"{found[SUPPORTS]} of {len(checks)} {noun}{whose} checked out"
        f"{denied if against else ''}{left}."
    )


def check_lines(t: Transcript) -> Iterator[str]:
    """Every check in a line: the verdict, the claim, and the address."""
    for c in shown_checks(t):
        why = f" ({c.reason})" if c.reason else f' ("{clip(one_line(c.quote, 400), LONGEST)}")'
        why = why if c.reason or c.quote else ""
        yield f"{c.verdict}: {clip(c.claim, LONGEST)}{why}; {c.url}"


def failed_checks(t: Transcript) -> Iterator[str]:
    """A line for each citation that did not check out, the answer's first."""
    every: Sequence[CheckedCitation] = checked_citations(t) if t.cited else ()
    worst = list(WORDS)
    for c in sorted(
        every, key=lambda c: (not c.in_answer, worst.index(c.verdict) if c.verdict in worst else 0)
    ):
        if c.verdict == SUPPORTS:
            continue
        who = "" if c.in_answer else f" ({names(t, c.cited_by)})"
        why = f" ({one_line(c.reason, LONGEST)})" if c.reason else ""
        says = f', which says: "{clip(one_line(c.quote, 400), LONGEST)}"' if c.quote else ""
        claim = clip(one_line(c.claim, 400), LONGEST).rstrip(" .")
        yield f'"{claim}"{who}: {WORDS[c.verdict]}{why}{says}; {one_line(c.url, 200)}'
