"""Sentences on citations that were checked: how many checked out, and what of the others.

A page that could not be read says nothing about the claim: it is told apart from what failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mutual_dissent.analysis.answers.citations import normalise_url
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
from mutual_dissent.views.panel.names import letters, names, replace_letters
from mutual_dissent.views.phrases import clip, plural

LONGEST = 160
WORDS = {
    CONTRADICTS: "the page contradicts it",
    NOT_FOUND: "the page does not say so, as far as was found",
    NOT_REACHABLE: "could not be read",
    NOT_JUDGED: "not judged",
    NOT_CHECKED: "was not read",
}
FAILED = (CONTRADICTS, NOT_FOUND)
UNREAD = (NOT_REACHABLE, NOT_CHECKED)


def checks_of(t: Transcript) -> tuple[CheckedCitation, ...]:
    """The checks that the heading is about: the answer's, or the panel's where it cites nothing."""
    every = checked_citations(t) if t.cited else ()
    return tuple(c for c in every if c.in_answer) or every


def shown_checks(t: Transcript) -> tuple[CheckedCitation, ...]:
    """Every check, with texts that can be shown as they are."""
    return tuple(
        replace(
            c, url=plain(c.url), title=one_line(c.title, 300), claim=one_line(_claim(t, c), 600),
            passage=plain(c.passage), quote=plain(c.quote), reason=one_line(c.reason, 300),
        )
        for c in (checked_citations(t) if t.cited else ())
    )  # fmt: skip


def citations_heading(t: Transcript) -> str:
    """Sentence of the heading on citations; empty where there are none."""
    checks = checks_of(t)
    if not checks:
        return ""
    found = Counter(c.verdict for c in checks)
    unread = len({_page(c) for c in checks if c.verdict in UNREAD})
    not_judged = found[NOT_JUDGED]
    judged = len(checks) - not_judged - sum(found[v] for v in UNREAD)
    if not judged:
        return f"No citation was checked: {_nothing_checked(unread, not_judged)}."
    whose = "" if checks[0].in_answer else " of the panel"
    against = found[CONTRADICTS]
    says = "contradicts its claim" if against == 1 else "contradict their claims"
    return "; ".join(
        (
            _held(found[SUPPORTS], judged, whose, every=judged == len(checks)),
            *([f"{plural(against, 'page')} {says}"] if against else []),
            *([f"{plural(unread, 'page')} could not be read"] if unread else []),
            *([f"{plural(not_judged, 'citation')} could not be judged"] if not_judged else []),
        )
    ) + "."  # fmt: skip


def _held(good: int, judged: int, whose: str, *, every: bool) -> str:
    if every:
        return f"{good} of {plural(judged, 'citation')}{whose} checked out"
    if judged == 1:
        return f"The one citation{whose} that was checked {'holds' if good else 'does not hold'}"
    return f"{good} of {judged} checked citations{whose} {'holds' if good == 1 else 'hold'}"


def _nothing_checked(unread: int, not_judged: int) -> str:
    """Reason why nothing can be said about any citation."""
    if not not_judged:
        pages = f"none of the {unread} cited pages" if unread > 1 else "the cited page"
        return f"{pages} could {'' if unread > 1 else 'not '}be read"
    left = f"{plural(not_judged, 'citation')} could not be judged"
    return f"{plural(unread, 'page')} could not be read, {left}" if unread else left


def check_lines(t: Transcript) -> Iterator[str]:
    """Every check in a line: the verdict, the claim, and the address."""
    for c in shown_checks(t):
        why = f" ({c.reason})" if c.reason else f' ("{clip(one_line(c.quote, 400), LONGEST)}")'
        why = why if c.reason or c.quote else ""
        yield f"{c.verdict}: {clip(c.claim, LONGEST)}{why}; {c.url}"


def failed_checks(t: Transcript) -> Iterable[str]:
    """A line for each citation that did not check out, the answer's first."""
    return dict.fromkeys(_claim_line(t, c) for c in _in_order(t, FAILED))


def open_checks(t: Transcript) -> Iterable[str]:
    """A line for each page that could not be read, and each citation that nobody judged."""
    by_page: dict[str, list[CheckedCitation]] = {}
    for c in _in_order(t, UNREAD):
        by_page.setdefault(_page(c), []).append(c)
    pages = (_page_line(t, cited) for cited in by_page.values())
    return dict.fromkeys((*pages, *(_claim_line(t, c) for c in _in_order(t, (NOT_JUDGED,)))))


def _in_order(t: Transcript, verdicts: tuple[str, ...]) -> list[CheckedCitation]:
    every = [c for c in (checked_citations(t) if t.cited else ()) if c.verdict in verdicts]
    return sorted(every, key=lambda c: (not c.in_answer, verdicts.index(c.verdict)))


def _claim_line(t: Transcript, c: CheckedCitation) -> str:
    who = "" if c.in_answer else f" ({names(t, c.cited_by)})"
    why = f" ({one_line(c.reason, LONGEST)})" if c.reason else ""
    says = f', which says: "{clip(one_line(c.quote, 400), LONGEST)}"' if c.quote else ""
    claim = clip(one_line(_claim(t, c), 400), LONGEST).rstrip(" .")
    return f'"{claim}"{who}: {WORDS[c.verdict]}{why}{says}; {one_line(c.url, 200)}'


def _page_line(t: Transcript, cited: list[CheckedCitation]) -> str:
    """A page once, whoever cites it; seats are named where the answer does not."""
    first = cited[0]
    seats = dict.fromkeys(seat for c in cited for seat in c.cited_by)
    who = "" if first.in_answer else f" ({names(t, seats)})"
    why = f": {one_line(first.reason, LONGEST)}" if first.reason else ""
    return f"{one_line(first.url, 200)}{who} {WORDS[first.verdict]}{why}"


def _page(c: CheckedCitation) -> str:
    return normalise_url(c.url) or c.url


def _claim(t: Transcript, c: CheckedCitation) -> str:
    """The claim with names in the place of panelists' letters."""
    author = t.latest_of(c.cited_by[0]) if c.cited_by and not c.in_answer else t.synthesis
    return replace_letters(c.claim, letters(t, author))
