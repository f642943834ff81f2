"""The ledger for readers: cut to a length, its texts with names of panelists on one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from mutual_dissent.analysis.ledger.entries import Issue, Ledger, Quote
from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.panel.names import in_panel_order, letters, replace_letters

Show = Callable[[str], str]

MOST, MOST_SIDES, LONGEST = 12, 8, 1_000


def named_ledger(t: Transcript, ledger: Ledger | None = None) -> Ledger | None:
    """A debate's ledger, by default its own, as it is shown; None without one."""
    ledger = ledger or ledger_of(t)
    if ledger is None:
        return None
    who = letters(t)

    def show(text: str) -> str:
        return one_line(replace_letters(text, who), LONGEST)

    def order(seats: Iterable[str]) -> tuple[str, ...]:
        return tuple(in_panel_order(t, seats))

    return replace(
        ledger,
        positions=tuple(
            replace(p, statement=show(p.statement), holders=order(p.holders))
            for p in ledger.positions[:MOST]
        ),
        contested=tuple(_issue(i, show, order) for i in ledger.contested[:MOST]),
        common_ground=tuple(
            replace(s, statement=show(s.statement), quotes=_quotes(s.quotes, show))
            for s in ledger.common_ground[:MOST]
        ),
        minority=tuple(
            replace(m, claim=show(m.claim), holders=order(m.holders), quote=_quote(m.quote, show))
            for m in ledger.minority[:MOST]
        ),
        corrections=tuple(
            replace(c, before=show(c.before), after=show(c.after), reason=show(c.reason))
            for c in ledger.corrections[:MOST]
        ),
        missing=tuple(map(show, ledger.missing[:MOST])),
        earlier=ledger.earlier
        and replace(
            ledger.earlier,
            before=show(ledger.earlier.before),
            now=show(ledger.earlier.now),
            reason=show(ledger.earlier.reason),
        ),
        disputes=tuple(map(show, ledger.disputes[:MOST])),
    )


def _issue(issue: Issue, show: Show, order: Callable[[Iterable[str]], tuple[str, ...]]) -> Issue:
    sides = (
        replace(
            s, statement=show(s.statement), holders=order(s.holders), quote=_quote(s.quote, show)
        )
        for s in issue.sides[:MOST_SIDES]
    )
    return replace(issue, question=show(issue.question), sides=tuple(sides))


def _quotes(quotes: Iterable[Quote], show: Show) -> tuple[Quote, ...]:
    return tuple(replace(q, text=show(q.text)) for q in [*quotes][:MOST_SIDES])


def _quote(quote: Quote | None, show: Show) -> Quote | None:
    return replace(quote, text=show(quote.text)) if quote else None
