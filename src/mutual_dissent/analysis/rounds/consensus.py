"""Consensus: agreement between the panelists of a round, as the panel itself states it.

Panelists' views of each other in their closing lines come first. Where they have not read
each other, or said nothing, bottom lines are compared: estimates by their ranges, closed answers
by value, one-sentence claims by the embedded model. A pair that cannot be told is not measured,
and counts for nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from mutual_dissent.analysis.bottom_lines import (
    Judge,
    Verdict,
    compare_lines,
    decision_asked,
    is_figure,
    line_of,
    stated_answer,
    takes_no_position,
    without_figure,
)
from mutual_dissent.analysis.rounds.clusters import (
    BY_CLAIM,
    CREDIT,
    IMPLIED,
    SAID,
    cluster_of,
    clusters,
    conflicts,
    opinions,
)
from mutual_dissent.analysis.rounds.exposure import answer_before
from mutual_dissent.core.closing import Estimate
from mutual_dissent.core.figures.estimates import one_figure
from mutual_dissent.core.figures.forecasts import FORECAST
from mutual_dissent.core.measures import (
    AGREE,
    BY_ESTIMATE,
    BY_VALUE,
    DISAGREE,
    NOBODY,
    PARTLY,
    Cluster,
    Consensus,
    Nuances,
    Pair,
)
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import MEASURES, Round, Transcript

PANEL, VALUES, ESTIMATES, CLAIMS = "panel", "values", "estimates", "claims"
ANALYZERS = MEASURES | {NOBODY}
"""Sources of a round's agreement; measures of earlier versions from other sources are not read."""

MOST_LISTED = 6
LOW_CONFIDENCE = 0.5
SHORT_LINE = 120  # characters
# With fewer pairs measured, the mean would be that of a few who happened to speak of each other:
# the round has no agreement then (docs/agreement.md).
ENOUGH = 2 / 3
BY_ESTIMATES_FIRST = frozenset({"delphi", FORECAST})
"""Modes whose answers are estimates: there, ranges that overlap agree."""

_ANALYZER = {SAID: PANEL, BY_ESTIMATE: ESTIMATES, BY_VALUE: VALUES, BY_CLAIM: CLAIMS}
"""Analyzer for each source of a pair; implied pairs have none of their own."""


def consensus(t: Transcript, round_: Round, judge: Judge | None = None) -> Consensus:
    """Consensus of the usable answers of a round.

    Args:
        judge: the embedded model, if it may be asked about one-sentence claims.
    """
    answers = opinions(round_.responses)
    lines = {seat: position(r, t.query) for seat, r in answers.items()}
    # Who takes no position is in no pair: a refusal neither agrees nor dissents.
    silent = tuple(s for s in _silent(answers) if not _is_claimed(t, s, answers))
    holders = {seat: r for seat, r in answers.items() if seat not in silent}
    stated = {seat: lines[seat] for seat in holders}
    pairs = judged_pairs(t, holders, stated, judge)
    found = clusters(list(holders), pairs, stated)
    contested = conflicts(stated, pairs, found)
    return Consensus(
        agreement_level=level(list(holders), pairs),
        clusters=found,
        common_ground=_common_ground(found, pairs),
        disagreement_points=_points(pairs),
        nuances=_nuances(holders, pairs),
        conflicts=contested,
        reasoning=_reasoning(holders, silent, pairs),
        analyzer=_analyzer(pairs),
        decided=round(sum(p.measured for p in pairs) / len(pairs), 4) if pairs else 0.0,
        pairs=pairs,
        silent=silent,
    )


def position(response: Response, query: str = "") -> str:
    """The position of an answer: the closed answer that it ends with, or its bottom line.

    Without either, the closed answer that its text plainly has; empty if none is known.
    """
    if response.calls:
        return response.bottom_line
    own = stated_answer(response.text, query) or response.bottom_line
    return own or ("" if response.closing else line_of(response.text, query) or "")


def _silent(answers: Mapping[str, Response]) -> tuple[str, ...]:
    return tuple(seat for seat, r in answers.items() if is_silent(r))


def _is_claimed(t: Transcript, seat: str, answers: Mapping[str, Response]) -> bool:
    """Return whether a silent seat and one with a position both say that they agree.

    Two refusals do: one author calls its refusal a bottom line, the other writes `none`.
    """
    quiet = _silent(answers)
    return any(
        (view := _view(t, answers[seat], other))
        and (back := _view(t, other, answers[seat]))
        and view[0] == back[0] == AGREE
        for name, other in answers.items()
        if name not in quiet
    )


def is_silent(response: Response) -> bool:
    """Return whether an answer takes no position: it says so, or it is a refusal in prose."""
    line = response.bottom_line
    if response.closing is not None and not line:
        return True
    if line:  # an author that states a bottom line at some length means it
        return len(line) <= SHORT_LINE and takes_no_position(line)
    return takes_no_position(response.text)


def judged_pairs(
    t: Transcript,
    answers: Mapping[str, Response],
    lines: Mapping[str, str],
    judge: Judge | None = None,
) -> tuple[Pair, ...]:
    """The pair of every two answers, in the order of their names."""
    estimates_first = t.brief.mode in BY_ESTIMATES_FIRST
    by_seats: dict[tuple[str, str], Pair] = {}
    for a, b in combinations(sorted(answers), 2):
        stated = _stated_pair(t, answers[a], answers[b])
        ranges = _estimate_pair(t, answers[a], answers[b], in_survey=estimates_first)
        # The panel itself goes first: a strong model has just compared the two answers, and rules
        # or the small model only fill in what it left open (decision 17).
        pair = _both(stated, ranges) if estimates_first else stated or ranges
        pair = _call_pair(t, answers[a], answers[b]) or pair
        if pair:
            by_seats[a, b] = pair
    # Only seats with an open pair, or the embedded model would be asked about all others in vain.
    rest = [s for s in sorted(answers) if lines[s] and _is_open(s, answers, by_seats)]
    verdicts = _verdicts(t, {s: answers[s] for s in rest}, lines, judge) if len(rest) > 1 else {}
    pairs = [
        by_seats.get((a, b)) or _compared_pair(a, b, verdicts)
        for a, b in combinations(sorted(answers), 2)
    ]
    # Implied from measured pairs alone, never from one another.
    return tuple(p if p.measured else _imply(p, pairs) for p in pairs)


def _verdicts(
    t: Transcript, answers: Mapping[str, Response], lines: Mapping[str, str], judge: Judge | None
) -> dict[tuple[str, str], Verdict]:
    """Compare lines; of decisions that come with a figure, the decisions."""
    figures = {
        s: r.closing.estimate for s, r in answers.items() if r.closing and r.closing.estimate
    }
    asked = decision_asked(t.query) if figures else ""
    if not asked or all(is_estimate(t, answers[s]) for s in figures):
        return compare_lines({s: lines[s] for s in answers}, t.query, judge)
    decisions = {s: without_figure(lines[s], figures.get(s)) for s in answers}
    return compare_lines(decisions, asked, judge)


def _imply(pair: Pair, pairs: Sequence[Pair]) -> Pair:
    """Let two agree that both agree with a third, if nothing else is known of them."""
    agrees = [{p.a, p.b} for p in pairs if p.relation == AGREE]
    third = next(
        (
            c
            for c in sorted({s for p in pairs for s in (p.a, p.b)} - {pair.a, pair.b})
            if {pair.a, c} in agrees and {pair.b, c} in agrees
        ),
        None,
    )
    if third is None:
        return pair
    return replace(pair, relation=AGREE, source=IMPLIED, reason=f"both agree with {third}")


def _both(stated: Pair | None, ranges: Pair | None) -> Pair | None:
    """Combine what two panelists say with what their ranges say; in doubt, the lower relation."""
    if stated is None or ranges is None:
        return stated or ranges
    order = (DISAGREE, PARTLY, AGREE)
    # Division rounds down, to the lower relation.
    mean = (order.index(stated.relation) + order.index(ranges.relation)) // 2
    reason = f"{ranges.reason}; {stated.reason}"
    return replace(stated, relation=order[mean], source=BY_ESTIMATE, reason=reason)


def _is_open(seat: str, seats: Iterable[str], pairs: Mapping[tuple[str, str], Pair]) -> bool:
    """Return whether any pair with this seat is still unknown."""
    return any((min(seat, o), max(seat, o)) not in pairs for o in seats if o != seat)


def level(seats: Sequence[str], pairs: Sequence[Pair]) -> float | None:
    """The agreement of a round over its measured pairs; None if they are too few to tell."""
    known = [p for p in pairs if p.measured]
    # Two groups without a measured pair between them may agree or not: a mean would hide that.
    if len(seats) < 2 or len(known) < ENOUGH * len(pairs) or not _are_linked(seats, known):
        return None
    return round(sum(CREDIT[p.relation] for p in known) / len(known), 4)


def _are_linked(seats: Sequence[str], known: Sequence[Pair]) -> bool:
    """Return whether measured pairs connect all seats with each other."""
    reached = {seats[0]}
    while more := {s for p in known for s in (p.a, p.b) if {p.a, p.b} & reached} - reached:
        reached |= more
    return reached >= set(seats)


def _stated_pair(t: Transcript, a: Response, b: Response) -> Pair | None:
    """The pair of two panelists by what they say about each other; both directions count."""
    views = _fresh(t, a, b), _fresh(t, b, a)
    says = [v[0] if v else None for v in views]
    relations = [s for s in says if s is not None]
    if not relations:
        return None
    # Where they differ, neither word is taken for the truth: the pair keeps both.
    relation = relations[0] if len(set(relations)) == 1 else PARTLY
    about = [v[1] if v else "" for v in views]
    words = [f"{one.model_alias} says {say}" for one, say in zip((a, b), says, strict=True) if say]
    return Pair(
        a=a.model_alias,
        b=b.model_alias,
        relation=relation,
        source=SAID,
        reason=", ".join(words),
        a_says=says[0],
        b_says=says[1],
        a_about=about[0],
        b_about=about[1],
    )


def _fresh(t: Transcript, reader: Response, subject: Response) -> tuple[str, str] | None:
    """The same view, except for a reservation about a detail that the subject has since corrected.

    Then the subject's own word counts, if it has read the reader's present answer.
    """
    view = _view(t, reader, subject)
    if view is None or view[0] != PARTLY or _change_kind(subject) != "detail":
        return view
    # In turns, the reader had the corrected answer before it, and still has its reservation.
    if answer_before(t, subject.model_alias, reader) is subject:
        return view
    back = _view(t, subject, reader)
    return None if back and _change_kind(reader) in (None, "nothing") else view


def _view(t: Transcript, reader: Response, subject: Response) -> tuple[str, str] | None:
    """A reader's view of the subject's answer; None if the subject has given up that answer.

    A view is about the answer that its author had read. If the subject has changed its bottom line
    since, the view no longer applies.
    """
    view = reader.closing.view_of(subject.model_alias) if reader.closing else None
    if view is None:
        return None
    # The reader had read an earlier answer, and the subject no longer holds it. Whether one that
    # answers without closing lines still does, it has not said: no reason to call it a dissenter.
    untold = subject.closing is None and view.relation == DISAGREE
    if (_has_moved(subject) or untold) and _read_earlier(t, reader, subject):
        return None
    return view.relation, view.about


def _read_earlier(t: Transcript, reader: Response, subject: Response) -> bool:
    return answer_before(t, subject.model_alias, reader) is not subject


def _has_moved(response: Response) -> bool:
    return _change_kind(response) == "yes"


def _change_kind(response: Response) -> str | None:
    change = response.closing.change if response.closing else None
    return change.kind if change else None


def is_estimate(t: Transcript, response: Response) -> bool:
    """Return whether an answer is its estimate, and no decision that has a figure beside it."""
    figure = response.closing.estimate if response.closing else None
    if figure is None:
        return False
    # In a survey a figure in percent answers yes or no: it is the chance of it.
    if t.brief.mode in BY_ESTIMATES_FIRST and (t.brief.mode == FORECAST or _is_share(figure)):
        return True
    return is_figure(position(response, t.query), figure, t.query)


def _is_share(figure: Estimate) -> bool:
    return figure.unit.strip().casefold().startswith(("%", "percent", "per cent", "pct"))


def _estimate_pair(t: Transcript, a: Response, b: Response, *, in_survey: bool) -> Pair | None:
    """Two estimates, by their ranges; exact figures are the same but for rounding, or no estimates.

    Whether exact figures that are near each other agree, the bottom lines have to tell, and so of
    decisions: who expects the same figure may draw the opposite conclusion from it.
    """
    if not is_estimate(t, a) or not is_estimate(t, b):
        return None
    mine = a.closing.estimate if a.closing else None
    theirs = b.closing.estimate if b.closing else None
    if not mine or not theirs:
        return None
    # Loaded only by debates that have estimates, as all that few debates need.
    from mutual_dissent.analysis.rounds.estimates import overlap

    overlapping = overlap(mine, theirs)
    if overlapping is None:
        return None
    exact = not in_survey and mine.is_exact and theirs.is_exact
    if exact and overlapping[0] == AGREE and not one_figure([mine, theirs]):
        return None
    relation, reason = overlapping
    return Pair(
        a=a.model_alias, b=b.model_alias, relation=relation, source=BY_ESTIMATE, reason=reason
    )


def _call_pair(t: Transcript, a: Response, b: Response) -> Pair | None:
    """Two proposals of what to call, by value: the panel does the one or the other."""
    if t.brief.client is None or not (a.calls or b.calls):
        return None
    pair = Pair(a=a.model_alias, b=b.model_alias, source=BY_VALUE)
    if t.brief.client.same(a.calls, b.calls):
        return replace(pair, relation=AGREE, reason="the same call")
    same_tools = {c.name for c in a.calls} == {c.name for c in b.calls}
    reason = "the same tool with other arguments" if same_tools else "another next step"
    return replace(pair, relation=DISAGREE, reason=reason)


def _compared_pair(a: str, b: str, verdicts: Mapping[tuple[str, str], Verdict]) -> Pair:
    verdict = verdicts.get((a, b))
    if verdict is None:
        return Pair(a=a, b=b, reason="not measured")
    return Pair(a=a, b=b, relation=verdict.relation, source=verdict.source, reason=verdict.reason)


def _common_ground(groups: Sequence[Cluster], pairs: Sequence[Pair]) -> tuple[str, ...]:
    """The statement that all panelists hold, if that is known of all."""
    together = len(groups) == 1 and len(groups[0].members) > 1
    agreed = together and all(p.relation in (AGREE, PARTLY) for p in pairs if p.measured)
    same = all(p.source == BY_VALUE for p in pairs)  # else they are one panelist's words alone
    return (groups[0].summary,) if agreed and same and groups[0].summary else ()


def _points(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """Points on which pairs say that they differ, contradictions first."""
    ordered = [p for kind in (DISAGREE, PARTLY) for p in pairs if p.relation == kind]
    lines = (f"{p.a} and {p.b}: {about}" for p in ordered for about in p.about)
    return tuple(dict.fromkeys(lines))[:MOST_LISTED]


def _nuances(answers: Mapping[str, Response], pairs: Sequence[Pair]) -> Nuances:
    partial = [
        f"{p.a} and {p.b}: {'; '.join(p.about) or p.reason}" for p in pairs if p.relation == PARTLY
    ]
    unsure = [
        f"{s} is {r.confidence:.0%} sure"
        for s, r in answers.items()
        if r.confidence is not None and 0 <= r.confidence < LOW_CONFIDENCE
    ]
    return Nuances(partial=tuple(partial[:MOST_LISTED]), uncertain=tuple(unsure[:MOST_LISTED]))


def _analyzer(pairs: Sequence[Pair]) -> str:
    """Source of most measured pairs."""
    sources = Counter(p.source for p in pairs if p.source in _ANALYZER)
    return _ANALYZER[sources.most_common(1)[0][0]] if sources else NOBODY


def _reasoning(
    answers: Mapping[str, Response], silent: Sequence[str], pairs: Sequence[Pair]
) -> str:
    apart = f" {len(silent)} took no position." if silent else ""
    if len(answers) < 2:
        number = "No position" if not answers else "One position"
        return f"{number} to compare.{apart}"
    words = {
        SAID: "said by the panelists themselves",
        BY_ESTIMATE: "by their estimates",
        BY_VALUE: "by value",
        BY_CLAIM: "by the embedded model",
        IMPLIED: "because both agree with a third",
        "": "not measured",
    }
    counts = Counter(p.source if p.measured else "" for p in pairs)
    counted = ", ".join(f"{counts[s]} {word}" for s, word in words.items() if counts[s])
    word = "pair" if len(pairs) == 1 else "pairs"
    return f"{len(pairs)} {word} of {len(answers)} answers: {counted}.{apart}"


def majority(outcome: Consensus) -> tuple[str, ...]:
    """The largest group and those that agree with it in part, if together more than half of all."""
    seats = [m for c in outcome.clusters for m in c.members]
    most = len(outcome.clusters[0].members) if outcome.clusters else 0
    # Largest groups alone: who agrees with a small group in part does not make it the majority.
    camps = {
        frozenset(camp): camp
        for c in outcome.clusters
        if len(c.members) == most
        for camp in [_camp(c, outcome)]
    }
    largest = max(map(len, camps), default=0)
    first = [camp for camp in camps.values() if len(camp) == largest]
    # Half of a panel is no majority, and neither is one of two equal camps.
    return first[0] if len(first) == 1 and largest * 2 > len(seats) > 1 else ()


def _camp(group: Cluster, outcome: Consensus) -> tuple[str, ...]:
    """A group with those other groups of which every member agrees with it at least in part."""
    along = [
        m
        for c in outcome.clusters
        if c is not group and all(_is_along(m, group.members, outcome.pairs) for m in c.members)
        for m in c.members
    ]
    return (*group.members, *along)


def _is_along(seat: str, group: Sequence[str], pairs: Sequence[Pair]) -> bool:
    """Return whether a seat agrees with a group at least in part, and contradicts no member."""
    own = [p for p in pairs if seat in (p.a, p.b) and (p.a in group or p.b in group)]
    known = [p for p in own if p.measured]
    return bool(known) and all(p.relation != DISAGREE for p in known)


def dissenters(outcome: Consensus) -> tuple[str, ...]:
    """Seats outside the majority that contradict it."""
    camp = majority(outcome)
    against = {
        s
        for p in outcome.pairs
        if p.relation == DISAGREE and (p.a in camp) != (p.b in camp)
        for s in (p.a, p.b)
    }
    return tuple(m for c in outcome.clusters for m in c.members if m not in camp and m in against)


def is_split(outcome: Consensus) -> bool:
    """Return whether any two groups contradict each other."""
    return any(
        p.relation == DISAGREE
        and cluster_of(p.a, outcome.clusters) is not cluster_of(p.b, outcome.clusters)
        for p in outcome.pairs
    )
