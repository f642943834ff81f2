"""The whole ledger of a debate in words, for users that ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutual_dissent.analysis.ledger.entries import Correction, Issue, Ledger, Minority, Quote
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.findings import title_of_changes
from mutual_dissent.views.panel.names import (
    in_panel_order,
    letters,
    name,
    names,
    replace_letters,
    with_names,
)
from mutual_dissent.views.phrases import plural

LONGEST = 600
_BOLD = re.compile(r"\*\*|__(?=\w)|(?<=\w)__")
FATES = {
    "adopted": "taken up in the answer",
    "rebutted": "rejected in the answer",
    "listed": "mentioned in the answer",
    "omitted": "not in the answer",
}
"""Fates of a claim, in words that claim no more than the analyst does: to reject is no proof."""


def ledger_words(t: Transcript, ledger: Ledger) -> str:
    """Every part of a ledger that says something, under a heading of its own."""
    parts = {
        "Who holds what": [f"{_who(t, p.holders)}: {_line(p.statement)}" for p in ledger.positions],
        "Contested": [line for issue in ledger.contested for line in _issue(t, issue)],
        _common(t, ledger): [_line(s.statement) for s in ledger.common_ground],
        "Claims of some, and what the answer made of them": [
            _minority(t, m) for m in ledger.minority
        ],
        title_of_changes(t): [_correction(t, c) for c in ledger.corrections],
        "Not known to the panel": [_line(m) for m in ledger.missing],
        "Seen differently": [_line(with_names(t, d)) for d in ledger.disputes],
    }
    shown = (f"{title}\n{_bullet_list(lines)}" for title, lines in parts.items() if lines)
    return "\n\n".join((*shown, source_words(t, ledger)))


def _common(t: Transcript, ledger: Ledger) -> str:
    if ledger.source == "panel":
        return "Nobody denies"
    return f"Nobody denies, as {name(t, ledger.analyst or '')} reads it"


def source_words(t: Transcript, ledger: Ledger) -> str:
    """Source of a ledger, and the number of its quotes that are in no answer."""
    if ledger.source == "panel":
        return "Said by the panel itself; no analyst has read the debate."
    lost = f"; {plural(ledger.dropped, 'quote')} not found and left out" if ledger.dropped else ""
    return f"Read by {name(t, ledger.analyst or '')}{lost}."


def _issue(t: Transcript, issue: Issue) -> Iterator[str]:
    yield _line(issue.question)
    for side in issue.sides:
        yield f"  {_who(t, side.holders)}: {_line(side.statement)}{_quote_line(t, side.quote)}"


def _minority(t: Transcript, entry: Minority) -> str:
    quote = _quote_line(t, entry.quote)
    # Whoever alone holds it is named with its words.
    is_own = entry.quote is not None and entry.holders == (entry.quote.seat,)
    whose = "" if is_own else f" ({_who(t, entry.holders)})"
    return f"{FATES[entry.fate]}: {_line(entry.claim)}{whose}{quote}"


def _correction(t: Transcript, entry: Correction) -> str:
    way = f"{_line(entry.before) or '?'} -> {_line(entry.after)}"
    reason = f": {_line(entry.reason)}" if entry.reason else ""
    whose = f" (because of {names(t, entry.because_of)})" if entry.because_of else ""
    return f"{name(t, entry.seat)}: {way}{reason}{whose}"


def _who(t: Transcript, seats: tuple[str, ...]) -> str:
    return names(t, in_panel_order(t, seats))


def _quote_line(t: Transcript, quote: Quote | None) -> str:
    if quote is None:
        return ""
    text = _BOLD.sub("", replace_letters(quote.text, letters(t)))
    return f' ({name(t, quote.seat)}: "{_line(text)}")'


def _line(text: str) -> str:
    return one_line(text, LONGEST)


def _bullet_list(lines: list[str]) -> str:
    return "\n".join(f"    {line[2:]}" if line.startswith("  ") else f"  {line}" for line in lines)
