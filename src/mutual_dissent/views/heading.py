"""The heading of an answer: the panel's position and other vital facts, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mutual_dissent.analysis.ballots import UNREAD
from mutual_dissent.analysis.bottom_lines import kind_of, value_of
from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.analysis.rounds.consensus import is_estimate, position
from mutual_dissent.analysis.rounds.recorded import consensus_of, exit_of
from mutual_dissent.analysis.scores.track_record import is_right
from mutual_dissent.core.brief import AMEND, SELECT
from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.estimates import Estimates, estimates, one_figure
from mutual_dissent.core.figures.forecasts import FORECAST, PooledForecast
from mutual_dissent.core.figures.lead import lead
from mutual_dissent.core.measures import BY_VALUE
from mutual_dissent.core.response import UNUSABLE as NO_CALL
from mutual_dissent.core.response import Finish, Response, same_model
from mutual_dissent.core.transcript import DESCRIPTION, VERDICTS, Transcript, read_once
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.answer import fallback_answer, is_review, round_of, vote_winner
from mutual_dissent.views.findings import election, last_opinions
from mutual_dissent.views.panel.answer_side import departs, side
from mutual_dissent.views.panel.names import in_panel_order, name, names, with_names
from mutual_dissent.views.panel.options_table import table_sentence
from mutual_dissent.views.panel.positions import (
    Group,
    Positions,
    Relation,
    read_apart,
    standing,
)
from mutual_dissent.views.phrases import UNUSABLE, clip, join_names, plural, reason, round_name
from mutual_dissent.views.remarks.earlier import earlier_heading
from mutual_dissent.views.remarks.user_questions import missing

if TYPE_CHECKING:
    from mutual_dissent.analysis.scores.chance import Chance
    from mutual_dissent.core.figures.forecasts import ForecastScore

SINGLE = "single"
DELPHI = "delphi"
ESCALATE = "escalate"
VOTING = frozenset({"ranking", "hybrid"})
"""Modes in which the panel votes."""
_RINGED = re.compile("[぀-ヿ㐀-鿿]")
"""Chinese and Japanese letters, whose sentences end with a ring; Korean ones do not."""
LONGEST = 180
"""Characters of a position in the heading, about."""
MOST_GROUPS = 3
KINDS = {
    "number": "numbers",
    "choice": "choices",
    "yes_no": "yes or no",
    "date": "dates",
    "name": "names",
}
_STOPS = {
    Status.CREATED: "Not begun",
    Status.ACTIVE: "Not finished",
    Status.PAUSED: "Paused",
    Status.INTERRUPTED: "Interrupted",
    Status.STOPPED: "Stopped",
}
NOBODY = "Nobody answered."
_NOT_WRITTEN, _NONE_SHOWN = "No answer was written", "there is no answer"
_ORDERED = ("stopped", "paused")
"""Reasons that are the user's own actions, so that no more need be said."""


class HeadingShape(NamedTuple):
    """The parts of a heading that are said again when they change.

    Attributes:
        groups: groups and their relations, without their statements.
        missing: whether any fact is missing.
        citations: what is said of citations.
        otherwise: what is said of another grouping by the analyst.
    """

    groups: tuple[tuple[tuple[str, ...], Relation], ...]
    missing: bool
    citations: str
    otherwise: str = ""


def shape(t: Transcript) -> HeadingShape:
    """The parts of a heading that are said again when they change."""
    stands = standing(t)
    groups = tuple((g.seats, g.relation) for g in stands.groups)
    return HeadingShape(groups, bool(missing(t)), _citations(t), _otherwise(t, stands))


@read_once
def heading(t: Transcript) -> str:
    """Heading of a debate: the panel's position, how that is known, and other vital facts."""
    return " ".join(s for s in _sentences(t, standing(t)) if s)


def why_no_answer(t: Transcript) -> str:
    """The heading of a debate without an answer, except for the sentence that says so."""
    there_is_none = ("", NOBODY, f"{_NOT_WRITTEN}; {_NONE_SHOWN}.")
    return " ".join(s for s in _sentences(t, standing(t)) if s not in there_is_none)


def evidence_warning(t: Transcript) -> str:
    """Reason why agreement is no evidence; empty if the answers are of different models."""
    if not is_one_model(t):
        return ""
    if any(p.route.is_demo for p in t.panelists):
        return "embedded demo model: all panelists share it, so their agreement is no evidence"
    return "one model on every chair, so their agreement is no evidence"


def caveat(t: Transcript) -> str:
    """Note beside a measure that is no evidence; empty if it may be some."""
    if not is_one_model(t):
        return ""
    demo = any(p.route.is_demo for p in t.panelists)
    return " (a demo, no evidence here)" if demo else " (no evidence here)"


def is_one_model(t: Transcript) -> bool:
    """Return whether several answered, and one model wrote all answers of the last round."""
    usable = t.last_round.usable if t.last_round else ()
    # Too few in the last round: each one's last answer counts.
    if len(usable) < 2:
        usable = tuple({r.model_alias: r for r in t.turns() if r.usable}.values())
    ids = [_writer(r) for r in usable]
    return len(ids) > 1 and all(same_model(ids[0], i) for i in ids[1:])


def _made_before(t: Transcript) -> str:
    if t.brief.client is None or t.synthesis is None:
        return ""
    from mutual_dissent.views.remarks.repeated_calls import made_before  # few debates have tools

    return made_before(t.brief, t.synthesis.calls)


def _sentences(t: Transcript, stands: Positions) -> Iterator[str]:
    if t.brief.mode == SINGLE:
        yield _alone(t)
    elif is_review(t) and t.rounds:
        from mutual_dissent.analysis.review.order import ordered_findings
        from mutual_dissent.analysis.review.report import in_short

        yield in_short(ordered_findings(t))
    elif pooled := forecast(t, stands):
        yield f"Panel: {one_line(pooled.words, LONGEST)}."
    else:
        yield from _positions(t, stands)
    is_survey = survey(t, stands) is not None
    figure = "" if forecast(t, stands) else _estimate(t, stands)
    median = f"{figure[0].upper()}{figure[1:]}." if figure else ""
    yield median if is_survey else ""
    yield f"({stands.source})" if stands.sources and not is_survey else ""
    if (taken := side(t, stands)) and not is_survey:
        yield _with_full_stop(taken)
    yield table_sentence(t)
    yield _made_before(t)
    yield what_is_missing(t)
    yield _otherwise(t, stands)
    has_range = is_survey or (stands.is_unanimous and stands.by_estimates)
    yield "" if has_range else median
    yield _chance(t, stands)
    yield earlier_heading(t)
    yield _citations(t)
    yield turned_out(t)
    yield from _circumstances(t)


def _citations(t: Transcript) -> str:
    if not t.cited:
        return ""
    # Loaded here: few debates have their citations checked.
    from mutual_dissent.views.remarks.citation_checks import citations_heading

    return citations_heading(t)


def turned_out(t: Transcript) -> str:
    """Sentence on how it turned out, as the user said; empty if that is not known."""
    if t.outcome is None:
        return ""
    # Loaded here: few debates have an outcome, and every list of headings would pay for it.
    from mutual_dissent.analysis.scores.forecasts import score_forecast

    score = score_forecast(t)
    right = is_right(t, lambda r: position(r, t.query))
    grade = "" if right is None else "right" if right else "wrong"
    told = one_line(t.outcome.outcome, LONGEST)
    if t.outcome.outcome in VERDICTS:
        sentence = f"It turned out {grade}"
    else:
        fared = _fared(score) if score else f": the answer was {grade}" if grade else ""
        sentence = f"It turned out to be {told}{fared}"
    note = one_line(t.outcome.note, LONGEST)
    return _with_full_stop(f"{sentence} ({note})" if note else sentence)


def _fared(score: ForecastScore) -> str:
    """End of a sentence: how a forecast fared."""
    from mutual_dissent.analysis.scores.forecasts import COIN

    own = next(iter(score.panel.values()))
    if score.claims:
        return f": Brier score {own:.2f}, where 0 is perfect and {COIN} a coin"
    held = "" if score.held is None else f", {'within' if score.held else 'outside'} the range"
    return f": the figure was off by {own:.0%}{held}"


def _alone(t: Transcript) -> str:
    if t.synthesis is None:
        return ""
    return f"Answered by {name(t, t.synthesis.model_alias)} alone."


def _positions(t: Transcript, s: Positions) -> Iterator[str]:
    holders = sum(len(g.seats) for g in s.groups)
    # The order matters: a survey has figures in place of groups, and a tie has no first group to
    # name.
    if not s.answers:
        yield "" if t.status is Status.CREATED else NOBODY
    elif not holders:
        last = t.last_round.usable if t.last_round else ()
        broken = sum(any(f.startswith(NO_CALL) for f in r.flags) for r in last)
        why = f"{broken} proposed calls that cannot be made" if broken else f"{s.answers} declined"
        yield f"Nobody took a position ({why})."
    elif s.answers == 1:
        yield _with_full_stop(f"One answer, by {_author_words(t, s.groups[0])}")
    elif holders == 1:
        yield _with_full_stop(f"1 of {s.answers} took a position, {_author_words(t, s.groups[0])}")
    elif not s.known:
        yield f"{s.answers} answers; whether they agree was not measured."
    elif figures := _figures(t, s):
        yield figures
    elif s.is_tied:
        yield _tie(t, s)
    elif s.is_unanimous and s.by_estimates and (figure := _estimate(t, s)):
        yield f"All {s.answers}: {figure}."
    # The largest group is half or less, and the answer is not theirs.
    elif s.is_contested and not s.has_majority and not s.support and departs(t, s):
        yield _no_majority(t, s)
    else:
        yield from _majority(t, s)
    if s.known and s.silent and holders > 1:
        yield f"{names(t, s.silent)} took no position."


def _figures(t: Transcript, s: Positions) -> str:
    """All estimates, in a survey of estimates: `p1 25, p2 47, p3 55 tuners`."""
    estimates_ = survey(t, s)
    if estimates_ is None:
        return ""
    unit = f" {one_line(estimates_.unit, 40)}" if estimates_.unit else ""
    figures = ", ".join(f"{name(t, seat)} {e.figure}" for seat, e in estimates_.values.items())
    return f"Estimates: {figures}{unit}."


def survey(t: Transcript, s: Positions) -> Estimates | None:
    """The estimates of a survey that all have answered with one, in one unit."""
    estimates_ = estimates(s.responses)
    is_one = t.brief.mode in (DELPHI, FORECAST) and estimates_.median is not None
    all_are = len(estimates_.values) == s.answers and not _has_decision(t, s)
    return estimates_ if is_one and all_are else None


def forecast(t: Transcript, s: Positions) -> PooledForecast | None:
    """The panel's figure, in a debate that forecasts."""
    if t.brief.mode != FORECAST:
        return None
    from mutual_dissent.analysis.scores.forecasts import pool

    return pool(t, s.responses)


def _tie(t: Transcript, s: Positions) -> str:
    """Sentence for a tie: no group is largest; all groups, as far as there is room."""
    if s.is_contested and (camp := _camp(s)):
        return _in_part(t, s, camp)
    shown = "; ".join(_group_words(t, g) for g in s.groups[:MOST_GROUPS])
    more = f"; {_more(s)}" if _more(s) else ""
    sizes = ":".join(str(len(g.seats)) for g in s.groups)
    lead = f"Split {sizes}" if s.is_divided else "Agreed only in part"
    # Groups that nobody has compared are no split.
    if all(g.relation in ("same", "unknown") for g in s.groups):
        lead = "Not all were compared"
    return _with_full_stop(f"{lead}: {shown}{more}")


def _camp(s: Positions) -> list[Group]:
    """The first group and those that agree with it in part, if they are more than half."""
    groups = [g for g in s.groups if g.relation in ("same", "partly")]
    return groups if sum(len(g.seats) for g in groups) * 2 > s.answers else []


def _in_part(t: Transcript, s: Positions, camp: list[Group]) -> str:
    """Sentence for a majority that agrees in part, with the groups that contradict it."""
    count = sum(len(g.seats) for g in camp)
    held = "; ".join(_group_words(t, g) for g in camp[:MOST_GROUPS])
    others = [_with_full_stop(_group_words(t, g)) for g in s.groups if g not in camp][:MOST_GROUPS]
    return " ".join([_with_full_stop(f"{count} of {s.answers} agree in part: {held}"), *others])


def _majority(t: Transcript, s: Positions) -> Iterator[str]:
    # As in: 3 of 4: Go. p4: Rust, if one person knows it.
    first, *others = s.groups
    count = f"All {s.answers}" if s.is_unanimous else f"{len(first.seats)} of {s.answers}"
    count += " in the main" if first.in_the_main else ""
    who = "" if first.statement else f" {names(t, first.seats)} agree"
    count += f" (in the words of {name(t, first.spokesman)})" if first.spokesman else ""
    yield _with_full_stop(
        f"{count}:{who}{f' {_short(first.statement)}' if first.statement else ''}"
    )
    for group in others[: MOST_GROUPS - 1]:
        yield _with_full_stop(_other(t, group))
    if more := _more(s):
        yield f"{more[0].upper()}{more[1:]}."


def _no_majority(t: Transcript, s: Positions) -> str:
    """Sentence for groups of which none has a majority, where the answer is not the largest's."""
    shown = [_group_words(t, g) for g in s.groups[:MOST_GROUPS]]
    return _with_full_stop(f"No majority: {'; '.join([*shown, *filter(None, [_more(s)])])}")


def _other(t: Transcript, group: Group) -> str:
    """A group beside the first, and whether it agrees with that in part."""
    if group.relation == "partly":
        statement = f": {_short(group.statement)}" if group.statement else ""
        verb = "agrees" if len(group.seats) == 1 else "agree"
        return f"{names(t, group.seats)} {verb} in part{statement}"
    return f"{_group_words(t, group)}{' (not compared)' if group.relation == 'unknown' else ''}"


def _more(s: Positions) -> str:
    left = len(s.groups) - MOST_GROUPS
    return f"and {plural(left, 'more position')}" if left > 0 else ""


def _group_words(t: Transcript, group: Group) -> str:
    """A group and its position: `p4: Rust, if one person knows it`."""
    who = names(t, group.seats)
    who += f" (in the words of {name(t, group.spokesman)})" if group.spokesman else ""
    near = group.beside if group.relation == "other" else ()
    who += f" (in part with {names(t, near)})" if near else ""
    # Without words a name would say nothing: whose bottom line is not known is told so.
    untold = f"{who} gives no bottom line" if len(group.seats) == 1 else f"{who} agree"
    return f"{who}: {_short(group.statement)}" if group.statement else untold


def _author_words(t: Transcript, group: Group) -> str:
    """The same of a group that stands alone, whose answer is there to be read."""
    return _group_words(t, group) if group.statement else names(t, group.seats)


def _short(statement: str) -> str:
    return clip(statement, LONGEST).rstrip(" .;,。")


def what_is_missing(t: Transcript) -> str:
    """Sentence about facts that only the user can tell; empty if none are missing."""
    facts, _ = missing_in_short(t)
    return f"Missing: {_with_full_stop(clip('; '.join(facts), LONGEST))}" if facts else ""


def missing_in_short(t: Transcript) -> tuple[list[str], list[str]]:
    """Facts that only the user can tell: those with room in the heading, and the rest."""
    facts = missing(t)
    fits = [i for i in range(1, len(facts) + 1) if len("; ".join(facts[:i])) <= LONGEST]
    at = fits[-1] if fits else 1
    return facts[:at], facts[at:]


def _with_full_stop(sentence: str) -> str:
    """The sentence with a full stop, unless it has an end mark already."""
    bare = sentence.rstrip(" .;,。")
    if bare.endswith(("…", "?", "!", "？", "！")):
        return bare
    return f"{bare}。" if _RINGED.search(bare[-1:]) else f"{bare}."


def _otherwise(t: Transcript, s: Positions) -> str:
    """Sentence about a contradiction between the analyst's grouping and the panel's."""
    ledger = ledger_of(t) if s.known else None
    if not ledger or not (ledger.disputes or any(read_apart(t, g) for g in s.groups)):
        return ""
    groups = "; ".join(names(t, in_panel_order(t, p.holders)) for p in ledger.positions)
    who = f" {name(t, ledger.analyst)}" if ledger.analyst else ""
    return f"The analyst{who} groups them otherwise{f': {groups}' if groups else ''}."


def _estimate(t: Transcript, s: Positions) -> str:
    """The panel's figure, if most panelists give one."""
    estimates_ = estimates(s.responses)
    # Two of five figures are no figure of the panel; a survey has asked everybody for one.
    enough = len(estimates_.values) * 2 > s.answers or t.brief.mode == DELPHI
    if estimates_.median is None or len(estimates_.values) < 2 or not enough:
        return ""
    unit = f" {one_line(estimates_.unit, 40)}" if estimates_.unit else ""
    if _has_decision(t, s) and (exact := _exact_figures(t, estimates_)):
        return f"{exact}{unit}"
    if t.brief.mode != DELPHI and not _has_decision(t, s) and _is_exact(estimates_, s):
        return ""
    return f"median {estimates_.median:,.15g}{unit}{_spread(estimates_)}"


def _spread(given: Estimates) -> str:
    """The range around a median, and of how many figures it is unless all gave one.

    It is that of the panel's own ranges; where not all gave one, that of the figures.
    """
    # 15 digits are what a float surely holds: 0.1 + 0.2 is shown as 0.3.
    few = f"{len(given.values)} of {given.answers}" if len(given.values) < given.answers else ""
    if given.low is not None and given.high is not None:
        spread = f" [{given.low:,.15g} to {given.high:,.15g}]" if given.low < given.high else ""
        return f"{spread} ({few} gave a figure)" if few else spread
    figures = [e.value for e in given.values.values()]
    low, high = min(figures), max(figures)
    ends = f"figures from {low:,.15g} to {high:,.15g}" if low < high else ""
    notes = "; ".join(filter(None, [f"{few} gave a figure" if few else "", ends]))
    return f" ({notes})" if notes else ""


def _has_decision(t: Transcript, s: Positions) -> bool:
    """Return whether an estimate stands beside a decision: the positions do not tell it then."""
    given = (r for r in s.responses if r.closing and r.closing.estimate)
    return any(not is_estimate(t, r) for r in given)


def _exact_figures(t: Transcript, given: Estimates) -> str:
    """The figures without a range that panelists name beside their decisions."""
    figures = given.values
    if sum(not e.is_exact for e in figures.values()) * 2 >= len(figures):
        return ""
    if one := one_figure(list(figures.values())):
        who = "all" if len(figures) == given.answers else names(t, list(figures))
        return f"the estimate of {who}: {one.figure}"
    return f"estimates: {', '.join(f'{name(t, s)} {e.figure}' for s, e in figures.items())}"


def _is_exact(given: Estimates, s: Positions) -> bool:
    """Return whether most figures are exact, or the first group's are one: no median means more."""
    exact = [e for e in given.values.values() if e.is_exact]
    leading = s.groups[0].seats if s.groups else ()
    one = one_figure([e for seat, e in given.values.items() if seat in leading])
    return len(exact) * 2 > len(given.values) or (one is not None and len(leading) > 1)


def _chance(t: Transcript, s: Positions) -> str:
    """Sentence on the checked chance of such agreement, if it was checked."""
    checked = checked_chance(t, s)
    if checked is None:
        return ""
    from mutual_dissent.analysis.scores.chance import PUBLIC

    chance_, kind = checked
    cases = "of recorded cases" if chance_.source == PUBLIC else f"of {chance_.source}"
    return f"Such agreement was right in {chance_.share * 100:.0f} % {cases} ({KINDS[kind]})."


def checked_chance(t: Transcript, s: Positions) -> tuple[Chance, str] | None:
    """The chance that the leading closed answer is right, and the kind of answer.

    It holds for first answers that different models gave before they read each other, all of them
    compared by value, and for a panel that has not left its first answer since.
    """
    first = consensus_of(t).get(0)
    if first is None or not s.known or s.is_tied or not first.clusters or _is_cast(t):
        return None
    if not first.pairs or any(p.source != BY_VALUE for p in first.pairs):
        return None
    lines = [c.summary for c in first.clusters]
    kinds = {kind_of(line, t.query) for line in lines}
    kind = kinds.pop() if len(kinds) == 1 else None
    # The chance is that of first answers: it says nothing once the panel has left them.
    kept = value_of(lines[0], t.query) == value_of(s.groups[0].statement, t.query)
    if kind not in KINDS or not kept or value_of(lines[0], t.query) is None:
        return None
    from mutual_dissent.analysis.scores.chance import OWN, chance, read_table

    sizes = [len(c.members) for c in first.clusters]
    own = read_table(t.brief.own_chances, OWN) if t.brief.own_chances else None
    chance_ = chance(leading=sizes[0], panel=sum(sizes), kind=kind, own=own)
    return (chance_, kind) if chance_ and (len(sizes) == 1 or sizes[1] < sizes[0]) else None


def _is_cast(t: Transcript) -> bool:
    """Return whether agreement means little: a model sits twice, or was told what to say."""
    first = t.round(0)
    writers = [_writer(r) for r in first.usable] if first else []
    twice = any(same_model(a, b) for i, a in enumerate(writers) for b in writers[:i])
    return twice or any(p.team or p.role == "devils-advocate" for p in t.panelists)


def _circumstances(t: Transcript) -> Iterator[str]:
    yield from _absences(t)
    yield from _substitutes(t)
    yield _described(t)
    if warning := evidence_warning(t):
        yield f"{warning[0].upper()}{warning[1:]}."
    yield from _winners(t)
    yield _early_end(t)
    yield _stop(t)
    yield _unasked(t)
    yield _ending(t)
    yield _origin(t)
    yield f"Not saved{_colon(t.unsaved)}." if t.unsaved else ""
    if lost := [n.text for n in t.notes if n.code == "damaged"]:
        yield f"Its record is damaged{_colon(lost[0])}."


def _described(t: Transcript) -> str:
    """Sentence on who saw no picture, and whose description it was given instead."""
    told = t.description
    if told is None:
        return ""
    what = "The picture was" if len(t.brief.pictures) == 1 else "The pictures were"
    return f"{what} described by {name(t, told.model_alias)} for {names(t, t.brief.blind)}."


def _absences(t: Transcript) -> Iterator[str]:
    """Yield sentences about absent panelists; a shared reason is told once."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for failed in t.absent:
        by_reason.setdefault(_absence(t, failed), []).append(name(t, failed.model_alias))
    for (of_one, of_many), those in by_reason.items():
        if of_many and len(those) > 1:
            yield f"{join_names(list(dict.fromkeys(those)))}{of_many}"
        else:
            yield from (f"{one}{of_one}" for one in those)


def _absence(t: Transcript, failed: Response) -> tuple[str, str]:
    """Predicate of a sentence about one absent panelist, and about several, if that can be told."""
    stage = round_of(t, failed)
    if failed.finish is Finish.LATE:
        late = f"{reason(failed)} ({stage})."
        return f" was {late}", f" were {late}"
    if failed.finish is Finish.INCOMPLETE:
        why = reason(failed)
        because = "" if why in (UNUSABLE[Finish.INCOMPLETE], failed.finish) else f": {why}"
        place = f" in {stage}" if failed.round_number else ""
        return f"'s answer broke off{place}{because}.", ""
    predicate = f" dropped out in {stage}: {reason(failed)}."
    if t.latest_of(failed.model_alias) is None:
        predicate = f" did not answer: {reason(failed)}."
    return predicate, predicate


def _substitutes(t: Transcript) -> Iterator[str]:
    """The answers that another model wrote than the one asked for."""
    yield from dict.fromkeys(
        f"{name(t, r.model_alias)} was answered by {one_line(r.served_model or '', 60)} "
        f"instead of {one_line(r.model_id, 60)}."
        for _, r in t.responses()
        if r.usable and r.served_by_another
    )


def _winners(t: Transcript) -> Iterator[str]:
    votes = election(t)
    if votes is not None:
        from mutual_dissent.views.panel.ballot_words import ballot_result

        yield f"{ballot_result(t, votes)}."
    elif any(UNREAD in r.flags or _is_vote(t, r) for r in t.turns()):
        yield "No ballot could be read."


def _is_vote(t: Transcript, r: Response) -> bool:
    return t.brief.mode in VOTING and r.role == "evaluation" and r.usable


def _early_end(t: Transcript) -> str:
    exit_ = exit_of(t)
    if exit_ is None or exit_[1].reason == "max_rounds":
        return ""
    why = {
        "consensus": "the panel agreed",
        "convergence": "nobody changed its position any more",
        "confidence": "everyone was sure enough",
        "budget": "another round would have exceeded the budget",
    }.get(exit_[1].reason, one_line(exit_[1].details, 120))
    return f"Ended after {round_name(exit_[0])}: {why}."


def _stop(t: Transcript) -> str:
    if t.status not in _STOPS:
        few = t.status is Status.ERROR and t.closed_reason == "quorum"
        if t.status is Status.ERROR and t.closed_reason == DESCRIPTION:
            return f"It did not begin{_colon(with_names(t, t.closed_text))}."
        return f"Too few answered{_colon(t.closed_text)}." if few else ""
    if t.status is Status.ACTIVE and t.synthesis is not None:
        return ""  # the answer stands; later readers of it only add to what is said about it
    word = _STOPS[t.status]
    text = "" if t.closed_reason in _ORDERED else t.closed_text
    reason_ = (t.closed_reason, with_names(t, text))
    # It is not said twice, as in "Paused: paused".
    why = [one_line(x, 160) for x in reason_ if x and x != word.casefold()]
    return f"{word}{_colon(' - '.join(why))}."


def _colon(text: str) -> str:
    line = one_line(text, 200).rstrip(".")
    return f": {line}" if line else ""


def _ending(t: Transcript) -> str:
    failed = list(dict.fromkeys((name(t, r.model_alias), reason(r)) for r in t.failed_syntheses))
    if t.synthesis is not None:
        cut = t.synthesis.finish.value == "truncated"
        stood_in = f"{name(t, t.synthesis.model_alias)} wrote the answer in place of"
        others = join_names([f"{who} ({why})" for who, why in failed])
        sentences = [f"{stood_in} {others}."] if failed else []
        return " ".join([*sentences, *(["The answer was cut at a length limit."] if cut else [])])
    if t.status is Status.CREATED or (t.status is Status.ACTIVE and fallback_answer(t) is None):
        return ""
    # A debate that is complete without an answer was begun without wanting one.
    asked = t.status is not Status.COMPLETED
    lead = _NOT_WRITTEN if asked else "No joint answer was asked for"
    why = f" ({join_names([f'{who}: {why}' for who, why in failed])})" if failed else ""
    return f"{lead}{why}; {_shown_instead(t)}."


def _unasked(t: Transcript) -> str:
    """Sentence about panelists that were not asked, or not again, because enough others agreed."""
    heard = {r.model_alias for r in t.turns()}
    left = [p.seat for p in t.panelists if p.seat not in heard]
    if t.synthesis is None or not heard:
        return ""
    stands = standing(t)
    if left:
        why = ": the first two agree" if stands.is_unanimous else ""
        return f"{names(t, left)} {'was' if len(left) == 1 else 'were'} not asked{why}."
    others = [seat for g in stands.groups[1:] for seat in g.seats]
    if t.brief.mode != ESCALATE or len(t.rounds) > 1 or not others:
        return ""
    was = f"{names(t, in_panel_order(t, others))} {'was' if len(others) == 1 else 'were'}"
    return f"{was} not shown the other answers, nor asked again."


def _origin(t: Transcript) -> str:
    """Sentence about an answer that was chosen or amended, or could not be."""
    final, wanted = t.synthesis, t.brief.answer
    if final is None:
        return ""
    if final.chosen:
        whose = name(t, final.model_alias)
        return f"The answer is {whose}'s, word for word: {one_line(final.chosen.reason, LONGEST)}."
    if wanted not in (SELECT, AMEND):
        return ""
    best = lead(t)
    if isinstance(best, str):
        return f"Synthesized, since nothing could be selected: {with_names(t, best)}."
    return f"Amended from the answer of {name(t, t.answered[best.about].model_alias)}."


def _shown_instead(t: Transcript) -> str:
    shown, held = fallback_answer(t), last_opinions(t)
    if shown is None or held is None:
        return _NONE_SHOWN
    which = "the only one" if len(held.usable) == 1 else _which(t, shown)
    return f"shown is {which}, by {name(t, shown.model_alias)}"


def _which(t: Transcript, shown: Response) -> str:
    if vote_winner(t) is shown:
        return "the best-ranked one"
    stands = standing(t)
    largest = stands.groups[:1]
    enough = largest and (len(largest[0].seats) > 1 or stands.support)
    speaks = enough and shown.model_alias in largest[0].seats
    which = "weightiest" if stands.support else "largest"
    return f"one that speaks for the {which} group" if speaks else "the first one of the panel"


def _writer(response: Response) -> str:
    served = response.served_model
    return served if served and response.served_by_another else response.model_id
