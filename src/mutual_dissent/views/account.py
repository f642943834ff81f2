"""The account of a debate in words, once for all views."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mutual_dissent.analysis.ledger.entries import Correction, Issue, Ledger
from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.core.closing import Estimate
from mutual_dissent.core.codec.camel import Shape, about
from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.measures import DISAGREE
from mutual_dissent.core.transcript import Transcript, read_once
from mutual_dissent.views.heading import LONGEST, heading, missing_in_short, survey
from mutual_dissent.views.panel.names import (
    Letters,
    in_panel_order,
    letters,
    name,
    named_causes,
    names,
    replace_letters,
)
from mutual_dissent.views.panel.own_seat import own_fate
from mutual_dissent.views.panel.positions import (
    Group,
    Positions,
    read_apart,
    reservations,
    standing,
)
from mutual_dissent.views.phrases import clip, cost, join_names, plural, seconds
from mutual_dissent.views.remarks.earlier import earlier_lines

MOST = 6
"""Most lines of one part; further ones are counted."""
LINE = 320
"""Characters of a line, about."""
ITSELF = "the answer itself"
CHECKED = "Citations that did not check out"
NOT_CHECKED = "Citations that could not be checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account(Shape):
    """The words above and under an answer; each part is empty where there is nothing to say."""

    headline: str = field(metadata=about("What the panel holds, in words."))
    holds: tuple[str, ...] = field(
        metadata=about("Who holds what, a group a line, the largest first.")
    )
    corrected: tuple[str, ...] = field(metadata=about("What panelists corrected or revised."))
    open: tuple[str, ...] = field(metadata=about("What stays open, and what would settle it."))
    cost: str
    source: str = field(
        metadata=about("How it is known who agrees with whom; empty where it is not.")
    )
    earlier: tuple[str, ...] | None = field(
        default=None,
        metadata=about("How the answer stands to that of an earlier debate on the matter."),
    )
    citations: tuple[str, ...] | None = field(
        default=None, metadata=about("Citations that did not check out, and why.")
    )
    unchecked: tuple[str, ...] | None = field(
        default=None,
        metadata=about("Cited pages that could not be read, and what of others was not judged."),
    )
    yours: tuple[str, ...] | None = field(
        default=None, metadata=about("How the user's own answer fared, if it sat on the panel.")
    )


@read_once
def account(t: Transcript) -> Account:
    """The account of a debate, by every view in the same words."""
    stands, ledger = standing(t), ledger_of(t)
    return Account(
        headline=heading(t),
        holds=_cap(_holds(t, stands)),
        corrected=_cap(corrections(t, ledger)),
        open=_cap(_open(t, stands, ledger)),
        cost=_cost(t, stands),
        source=stands.source if stands.known else "",
        earlier=tuple(earlier_lines(t)) or None,
        citations=_cap(_failed_citations(t)) or None,
        unchecked=_cap(_open_citations(t)) or None,
        yours=own_fate(t) or None,
    )


def _failed_citations(t: Transcript) -> Iterable[str]:
    if not t.cited:
        return ()
    from mutual_dissent.views.remarks.citation_checks import failed_checks

    return failed_checks(t)


def _open_citations(t: Transcript) -> Iterable[str]:
    if not t.cited:
        return ()
    from mutual_dissent.views.remarks.citation_checks import open_checks

    return open_checks(t)


def _holds(t: Transcript, s: Positions) -> Iterator[str]:
    """Every position with its holders; empty if all hold the same, which the heading says."""
    if s.answers < 2 or not s.groups:
        return
    if own := _estimates(t, s):
        yield from own
        return
    if s.is_unanimous:
        yield from _inside(t, s.groups[0])
        return
    stated = [g for g in s.groups if g.statement or len(g.seats) > 1 or s.known]
    if len(s.groups) > 1 and (s.known or len(stated) > 1):  # one of many says little
        for group in stated:
            yield _group_line(t, group, tied=s.is_tied)
            yield from _inside(t, group)
    if s.silent:
        yield f"{names(t, s.silent)} took no position"


def _inside(t: Transcript, group: Group) -> Iterator[str]:
    """Reservations within a group that agrees in the main, and the analyst's reading of it."""
    if not group.in_the_main:
        return
    who = letters(t)
    for p in read_apart(t, group):
        yield clip(f"{names(t, p.holders)}: {replace_letters(p.statement, who)}", LINE)
    yield from (clip(line, LINE) for line in reservations(t, group))


def _estimates(t: Transcript, s: Positions) -> list[str]:
    """Every panelist's estimate with its range, and its first one, in a survey of estimates."""
    estimates = survey(t, s)
    if estimates is None:
        return []
    from mutual_dissent.views.panel.tables import estimate_words

    return [
        f"{name(t, seat)}: {estimate_words(e)}{_at_first(t, seat, e)}"
        for seat, e in estimates.values.items()
    ]


def _at_first(t: Transcript, seat: str, last: Estimate) -> str:
    """The figure that a panelist gave before it read the others, if it was another one."""
    first = next((r.closing for r in t.turns() if r.usable and r.model_alias == seat), None)
    own = first.estimate if first else None
    return f" (at first {own.figure})" if own and own.value != last.value else ""


def _group_line(t: Transcript, group: Group, *, tied: bool) -> str:
    """A group with assigned roles: an assigned opponent does not oppose of its own accord."""
    parts = {p.seat: p.role or p.team for p in t.panelists}
    roles = list(dict.fromkeys(p.lower() for s in group.seats if (p := parts.get(s))))
    who = names(t, group.seats) + (
        f" ({join_names([clip(p, 40) for p in roles])})" if roles else ""
    )
    if group.spokesman:
        others = [s for s in group.seats if s != group.spokesman]
        agree = "agrees" if len(others) == 1 else "agree"
        in_main = " in the main" if group.in_the_main else ""
        who = f"{name(t, group.spokesman)} ({names(t, others)} {agree}{in_main})"
        return clip(f"{who}: {group.statement}", LINE)
    in_part = " in part" if group.relation == "partly" and not tied else ""
    in_part = " in the main" if group.in_the_main else in_part
    untold = f"{who} gives no bottom line" if len(group.seats) == 1 else f"{who} agree"
    return clip(f"{who}{in_part}: {group.statement}" if group.statement else untold, LINE)


def corrections(t: Transcript, ledger: Ledger | None) -> Iterator[str]:
    """Corrections that panelists made in the debate, a line each."""
    who = letters(t)
    for c in ledger.corrections if ledger else ():
        yield clip(_correction(t, c, who), LINE)


def _correction(t: Transcript, c: Correction, who: Letters) -> str:
    """A correction in words: `p2: 125 -> 75: had doubled the rate (because of p3)`."""
    before, after = clip(c.before, LONGEST), clip(c.after, LONGEST)
    moved = f"{before} -> {after}" if before and after else after or before
    why = named_causes(c.reason, who).strip(" .")
    sentence = ": ".join(x for x in (moved, why) if x)
    sentence = sentence or "changed its position"
    due = f" (because of {names(t, c.because_of)})" if c.because_of else ""
    return f"{name(t, c.seat)}: {sentence}{due}"


def _open(t: Transcript, s: Positions, ledger: Ledger | None) -> Iterator[str]:
    """Contested issues, points that the answer left out, and missing facts."""
    yield from in_dispute(t, ledger)
    shown, more = missing_in_short(t)
    questions = [w for w in shown if len(w) > LONGEST] + more
    if questions:
        yield clip(f"not known to the panel: {'; '.join(questions)}", LINE)


def in_dispute(t: Transcript, ledger: Ledger | None) -> Iterator[str]:
    """Contested issues, and points that the answer left out, a line each."""
    who = letters(t)
    if ledger:
        for issue in ledger.contested:
            yield from _issue(t, issue, ledger, who)
        for m in ledger.minority:
            if m.fate == "omitted":
                claim = replace_letters(m.claim, who).rstrip(" .")
                yield clip(f"not taken up in the answer: {claim} ({names(t, m.holders)})", LINE)


def _issue(t: Transcript, issue: Issue, ledger: Ledger, who: Letters) -> Iterator[str]:
    """A contested issue with its sides; views from closing lines are listed with the positions."""
    question = clip(replace_letters(issue.question, who), LONGEST).rstrip(" .。")
    if ledger.source == "panel":
        if issue.question != ITSELF and len(issue.sides) > 1:
            sides = " against ".join(names(t, in_panel_order(t, s.holders)) for s in issue.sides)
            yield clip(f"{question} ({sides})", LINE)
        return
    # Room for each, so that of three long sides the last is not cut off.
    room = max(60, min(LONGEST, (2 * LINE - len(question)) // max(1, len(issue.sides)) - 40))
    sides = "; ".join(
        f"{names(t, in_panel_order(t, s.holders))}: "
        f"{clip(replace_letters(s.statement, who), room).rstrip(' .;。')}"
        for s in issue.sides
    )
    yield clip(
        f"{question} {sides}" if question.endswith(("?", "？")) else f"{question}: {sides}",
        2 * LINE,
    )


def _cost(t: Transcript, s: Positions) -> str:
    """Cost and duration of a debate, and the writer of the answer."""
    total = stats(t).total
    if not total.calls:
        return ""
    price = "cost unknown" if total.unpriced and total.cost_usd is None else cost(total)
    spent = t.worked.total_seconds()
    sane = t.status is Status.COMPLETED and 0 <= spent < 3600  # clocks may have been adjusted
    took = f" in {seconds(int(spent * 1000))}" if sane else ""
    how = "in the words of" if t.synthesis and t.synthesis.chosen else "written by"
    by_model = t.synthesis is not None and t.synthesis.model_id
    writer = f", {how} {_writer(t, s)}" if by_model else ""
    return f"{price} for {plural(total.calls, 'call')}{took}{writer}"


def _writer(t: Transcript, s: Positions) -> str:
    """The writer of the answer, and whether it holds another view.

    Its own word about that counts; else its group, if most are in another one.
    """
    assert t.synthesis is not None
    seat = t.synthesis.model_alias
    own = t.synthesis.closing.view_of(seat) if t.synthesis.closing else None
    outside = any(seat in g.seats and g.relation == "other" for g in s.groups)
    apart = own.relation == DISAGREE if own else outside and not s.is_tied
    return f"{name(t, seat)}{', who holds another view' if apart else ''}"


def _cap(lines: Iterable[str]) -> tuple[str, ...]:
    rows = tuple(dict.fromkeys(x for x in lines if x))
    # "And 1 more" would take as much room as the line itself.
    return (*rows[:MOST], f"and {len(rows) - MOST} more") if len(rows) > MOST + 1 else rows
