"""The ledger for programs: under names in camel case, its texts with names of panelists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mutual_dissent.analysis.ledger import Issue, Ledger, Quote, Side
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.aliases import letters, named
from mutual_dissent.views.names import in_panel_order
from mutual_dissent.views.safe import one_line

Json = dict[str, Any]
Show = Callable[[str], str]

MOST, MOST_SIDES, LONGEST = 12, 8, 1_000


def ledger_to_json(t: Transcript, found: Ledger) -> Json:
    """The ledger of a debate as plain values."""
    who = letters(t)

    def show(text: str) -> str:
        return one_line(named(text, who), LONGEST)

    return {
        "source": found.source,
        "analyst": found.analyst or None,
        "positions": [
            {"statement": show(p.statement), "holders": in_panel_order(t, p.holders)}
            for p in found.positions[:MOST]
        ],
        "contested": [_issue(t, i, show) for i in found.contested[:MOST]],
        "commonGround": [
            {"statement": show(s.statement), "quotes": _quotes(s.quotes, show)}
            for s in found.common_ground[:MOST]
        ],
        "minority": [
            {
                "claim": show(m.claim),
                "holders": in_panel_order(t, m.holders),
                "fate": m.fate,
                "quote": _quote(m.quote, show),
            }
            for m in found.minority[:MOST]
        ],
        "corrections": [
            {
                "by": c.seat,
                "before": show(c.before),
                "after": show(c.after),
                "reason": show(c.reason),
                "becauseOf": list(c.because_of),
            }
            for c in found.corrections[:MOST]
        ],
        "missing": [show(m) for m in found.missing[:MOST]],
        "disputes": [show(d) for d in found.disputes[:MOST]],
        "droppedQuotes": found.dropped,
    }


def _issue(t: Transcript, issue: Issue, show: Show) -> Json:
    sides = [_side(t, s, show) for s in issue.sides[:MOST_SIDES]]
    return {"question": show(issue.question), "sides": sides}


def _side(t: Transcript, side: Side, show: Show) -> Json:
    return {
        "statement": show(side.statement),
        "holders": in_panel_order(t, side.holders),
        "quote": _quote(side.quote, show),
    }


def _quotes(quotes: Sequence[Quote], show: Show) -> list[Json]:
    return [{"by": q.seat, "text": show(q.text)} for q in quotes[:MOST_SIDES]]


def _quote(quote: Quote | None, show: Show) -> Json | None:
    return _quotes([quote], show)[0] if quote else None
