"""Positions of a debate's last round, as far as they can be told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from mutual_dissent.analysis.bottom_lines import without_figure
from mutual_dissent.analysis.ledger.entries import Ledger, Position
from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.analysis.rounds.consensus import is_estimate, majority
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.core.figures.estimates import estimates, one_figure
from mutual_dissent.core.measures import (
    AGREE,
    BY_ESTIMATE,
    BY_VALUE,
    DISAGREE,
    PARTLY,
    Cluster,
    Consensus,
    Pair,
)
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript, read_once
from mutual_dissent.views.findings import PAIRS, findings, last_opinions
from mutual_dissent.views.panel.names import in_panel_order, letters, name, replace_letters
from mutual_dissent.views.phrases import join_names, plural

MOST_FIGURES = 4
"""Figures of a group that are listed; of more, the lowest and the highest."""
SHORT = 40
"""So short a statement has no room for anything but the position itself."""

Relation = Literal["same", "other", "partly", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Some panelists that hold the same; `relation` is that to the first group.

    Attributes:
        in_the_main: whether some of them say that they agree in part only.
        spokesman: the author of the statement, if it is not shared by all members.
        beside: the other group, not the first, that it agrees with in part.
    """

    seats: tuple[str, ...]
    statement: str
    relation: Relation = "same"
    in_the_main: bool = False
    spokesman: str = ""
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Positions:
    """The positions of a round.

    Attributes:
        answers: how many usable answers it has.
        groups: panelists with the same position, the largest first; single ones if not measured.
        silent: panelists that answered and took no position.
        known: whether anything was measured.
        sources: how it is known, in words; empty if it is not.
        responses: its usable answers.
        is_divided: whether any two groups contradict each other.
        support: the weight behind each group, where the rule weighs them; empty if it does not.
    """

    answers: int
    groups: tuple[Group, ...] = ()
    silent: tuple[str, ...] = ()
    known: bool = False
    sources: tuple[str, ...] = ()
    responses: tuple[Response, ...] = ()
    is_divided: bool = False
    support: tuple[float, ...] = ()

    @property
    def source(self) -> str:
        """Sources in words, joined."""
        start, compared, more = join_names(list(self.sources)).partition("compared ")
        return f"{start}{compared}{more.replace('compared ', '')}"

    @property
    def is_tied(self) -> bool:
        """Return whether no group is larger than all others, or weighs more."""
        if len(self.support) > 1:
            return self.support[0] == self.support[1]
        return len(self.groups) > 1 and len(self.groups[0].seats) == len(self.groups[1].seats)

    @property
    def has_majority(self) -> bool:
        """Return whether more than half of those who take a position hold the same."""
        holders = sum(len(g.seats) for g in self.groups)
        return bool(self.groups) and len(self.groups[0].seats) * 2 > holders

    @property
    def is_contested(self) -> bool:
        """Return whether any group contradicts the first."""
        return any(g.relation == "other" for g in self.groups)

    @property
    def by_estimates(self) -> bool:
        """Return whether only ranges show agreement: then no single statement speaks for all."""
        return self.sources == (PAIRS[BY_ESTIMATE],)

    @property
    def is_unanimous(self) -> bool:
        """Return whether all who answered hold the same."""
        return self.known and len(self.groups) == 1 and not self.silent and self.answers > 1


@read_once
def standing(t: Transcript) -> Positions:
    """Positions after the last round; from the analyst's reading if nothing was measured."""
    last = findings(t)
    if last is None:
        return _not_measured(t, last_opinions(t))
    round_ = t.round(last.round_number)
    found = _with_silent(t, last.consensus, round_)
    measured = any(p.measured for p in last.consensus.pairs)
    ledger = None if measured else ledger_of(t)
    if ledger and ledger.source == "analyst" and ledger.positions:
        return _as_read(t, found, ledger, round_)
    return _as_said(t, found, round_, measured=measured)


def read_apart(t: Transcript, group: Group) -> list[Position]:
    """Positions that the analyst finds among members of a group; none if it finds one."""
    ledger = ledger_of(t) if t.synthesis and group.in_the_main else None
    if not ledger or ledger.source != "analyst":
        return []
    found = [replace(p, holders=held) for p in ledger.positions if (held := _of(p, group))]
    return found if len(found) > 1 else []


def _of(position: Position, group: Group) -> tuple[str, ...]:
    return tuple(seat for seat in group.seats if seat in position.holders)


def reservations(t: Transcript, group: Group) -> Iterator[str]:
    """Yield what members of a group say against each other, in their own words."""
    last = findings(t)
    for p in last.consensus.pairs if last else ():
        if p.relation == PARTLY and {p.a, p.b} <= {*group.seats}:
            for one, other, says, about in (
                (p.a, p.b, p.a_says, p.a_about),
                (p.b, p.a, p.b_says, p.b_about),
            ):
                if says and says != AGREE:
                    agrees = "agrees in part with" if says == PARTLY else "contradicts"
                    words = f": {_words(t, about)}" if about else ""
                    yield f"{name(t, one)} {agrees} {name(t, other)}{words}"


def _with_silent(t: Transcript, found: Consensus, round_: Round | None) -> Consensus:
    """A round's consensus, with those who took no position before it and were not asked again."""
    first = consensus_of(t).get(0)
    asked = {r.model_alias for r in round_.responses} if round_ else set()
    left = [s for s in first.silent if s not in asked] if first else []
    return replace(found, silent=(*found.silent, *left))


def _not_measured(t: Transcript, round_: Round | None) -> Positions:
    """Positions of answers that were not compared: each stands alone."""
    usable = round_.usable if round_ else ()
    groups = [
        Group(seats=(r.model_alias,), statement=_words(t, r.bottom_line), relation="unknown")
        for r in usable
    ]
    return Positions(answers=len(usable), groups=tuple(groups), responses=usable)


def _as_said(
    t: Transcript, consensus: Consensus, round_: Round | None, *, measured: bool
) -> Positions:
    ledger = ledger_of(t) if t.synthesis else None
    positions = ledger.positions if ledger and ledger.source == "analyst" else ()
    joined = _merge_groups(consensus, positions)
    ordered = _by_size(t, joined, consensus)
    # Joining changes sizes, and so the order. Where groups are weighed, weights decide instead.
    if not consensus.support:
        ordered = _by_size(t, _along(ordered, consensus), consensus)
    first = ordered[0] if ordered else None
    usable = round_.usable if round_ else ()
    groups = tuple(
        Group(
            seats=tuple(in_panel_order(t, c.members)),
            statement=_words(t, statement or _summary(t, c, usable)),
            relation="same" if c is first else _relation(first, c, consensus.pairs),
            in_the_main=any(p.relation == PARTLY for p in _inside(c, consensus.pairs)),
            spokesman=c.spokesman if not statement and _is_ones_own(c, consensus.pairs) else "",
            beside=_beside(t, ordered[1:i], c, consensus.pairs),
        )
        for i, c in enumerate(ordered)
        for statement in [_statement(t, c, usable, positions)]
    )
    present = {r.source for r in consensus.pairs if r.measured}
    sources = [words for source, words in PAIRS.items() if source in present]
    if ledger and any(c not in consensus.clusters for c in joined):
        sources.append(f"as the analyst {name(t, ledger.analyst or '')} reads it")
    elif any(len(g.seats) > 1 and _is_worded(t, g, positions) for g in groups):
        sources.append("worded by the analyst")
    if consensus.support and t.brief.weights:
        sources.append(f"weighted by {plural(t.brief.weights.answers, 'graded answer')}")
    return Positions(
        answers=sum(len(c.members) for c in consensus.clusters) + len(consensus.silent),
        support=tuple(_weight(c, consensus) for c in ordered) if consensus.support else (),
        groups=groups,
        silent=tuple(in_panel_order(t, consensus.silent)),
        known=measured,
        sources=tuple(sources),
        responses=usable,
        is_divided=any(
            p.relation == DISAGREE
            for a, b in combinations(ordered, 2)
            for p in _between(a, b, consensus.pairs)
        ),
    )


def _merge_groups(consensus: Consensus, positions: Sequence[Position]) -> list[Cluster]:
    """The groups; those that agree with each other in part and of which an analyst makes one are.

    A reservation is often about an answer that was mended since: who has read the last answers of
    all can tell.
    """
    groups = list(consensus.clusters)
    for position in positions:
        parts = [c for c in groups if {*c.members} <= {*position.holders}]
        seats = sorted(m for c in parts for m in c.members)
        pairs = [p for p in consensus.pairs if {p.a, p.b} <= {*seats}]
        # Pairs that nobody could compare, the analyst was asked about.
        if len(parts) > 1 and all(p.relation != DISAGREE for p in pairs):
            whole = Cluster(theme="", members=tuple(seats), summary=position.statement)
            groups = [whole, *(c for c in groups if c not in parts)]
    return groups


def _along(ordered: Sequence[Cluster], consensus: Consensus) -> list[Cluster]:
    """The groups; one that agrees with the first group's own words is joined to it.

    Other members of that group may have reservations, and it about them.
    """
    if not ordered or not ordered[0].spokesman:
        return list(ordered)
    first, *rest = ordered
    joining = [
        c for c in rest
        if all(_agrees(m, first.spokesman, consensus.pairs) for m in c.members)
        and not any(p.relation == DISAGREE for p in _between(first, c, consensus.pairs))
    ]  # fmt: skip
    members = tuple(sorted({*first.members, *(m for c in joining for m in c.members)}))
    return [replace(first, members=members), *(c for c in rest if c not in joining)]


def _agrees(one: str, other: str, pairs: Sequence[Pair]) -> bool:
    return any(p.relation == AGREE and {p.a, p.b} == {one, other} for p in pairs)


def _statement(
    t: Transcript, held: Cluster, usable: Sequence[Response], positions: Sequence[Position]
) -> str:
    """A group's position in one sentence that is not one member's alone; empty if none is known.

    Of several panelists that is the analyst's statement of their position. Where it groups them
    otherwise, it is the answer's bottom line, if its writer says that all of them agree with it.
    """
    if len(held.members) == 1:
        # Who gives no bottom line is never a bare name: the analyst was asked what it holds.
        own = (p.statement for p in positions if held.members[0] in p.holders)
        return held.summary or next(own, "")
    if figures := _figures(t, held, usable):
        return figures
    final = t.synthesis.closing if t.synthesis else None
    views = {v.seat: v.relation for v in final.views} if final else {}
    agreed = all(views.get(m) == AGREE for m in held.members)
    shared = final.bottom_line if final and agreed else ""
    own = (p.statement for p in positions if {*p.holders} == {*held.members})
    read = next(filter(None, own), "")
    # Where a decision and a figure were asked for, the analyst's position is the decision alone.
    beside = (r for r in usable if r.model_alias in held.members and not is_estimate(t, r))
    if any(r.closing and r.closing.estimate for r in beside):
        return shared or read
    return read or shared


def _summary(t: Transcript, held: Cluster, usable: Sequence[Response]) -> str:
    """The words of a group's spokesman, without the figure that it puts beside its decision.

    Figures of others may differ; the heading tells them apart from what is decided.
    """
    own = {r.model_alias: r for r in usable if r.model_alias in held.members}
    speaks = own.get(held.spokesman)
    figure = speaks.closing.estimate if speaks and speaks.closing else None
    if len(own) < 2 or not speaks or not figure or is_estimate(t, speaks):
        return held.summary
    given = [r.closing.estimate for r in own.values() if r.closing and r.closing.estimate]
    return held.summary if one_figure(given) else without_figure(held.summary, figure)


def _is_worded(t: Transcript, group: Group, positions: Sequence[Position]) -> bool:
    """Return whether a statement is the analyst's, and long enough to say more than all hold."""
    own = {_words(t, p.statement) for p in positions}
    return group.statement in own and len(group.statement) > SHORT


def _inside(held: Cluster, pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs within one group."""
    return [p for p in pairs if {p.a, p.b} <= {*held.members}]


def _is_ones_own(held: Cluster, pairs: Sequence[Pair]) -> bool:
    """Return whether the words of a group may say more than all of its members do."""
    same = all(p.source == BY_VALUE for p in _inside(held, pairs))
    return len(held.members) > 1 and not same and len(held.summary) > SHORT


def _figures(t: Transcript, held: Cluster, usable: Sequence[Response]) -> str:
    """The estimates of a group that are its answers, of one unit; rounded ones as the answer's."""
    own = [r for r in usable if r.model_alias in held.members]
    # Of a decision the figure is a second fact: alone it would hide what they hold.
    if not all(is_estimate(t, r) for r in own):
        return ""
    summary = estimates(own)
    if summary.median is None or len(summary.values) < len(held.members):
        return ""
    given = sorted(summary.values.values(), key=lambda e: e.value)
    unit = f" {summary.unit}" if summary.unit else ""
    if one := one_figure(given):
        final = t.synthesis.closing.estimate if t.synthesis and t.synthesis.closing else None
        return f"{(final if final and one_figure([*given, final]) else one).figure}{unit}"
    figures = list(dict.fromkeys(e.figure for e in given))
    few = len(figures) <= MOST_FIGURES
    return f"{join_names(figures) if few else f'{figures[0]} to {figures[-1]}'}{unit}"


def _weight(group: Cluster, consensus: Consensus) -> float:
    """Weight behind a group, which may be made of several; nothing where groups are not weighed."""
    # A stranger's file may have fewer weights than groups.
    held = zip(consensus.clusters, consensus.support, strict=False)
    return sum(weight for c, weight in held if {*c.members} <= {*group.members})


def _by_size(t: Transcript, clusters: Sequence[Cluster], consensus: Consensus) -> list[Cluster]:
    """The weightiest or largest first; of equals one of the majority, then by its first seat."""
    seats = in_panel_order(t, (m for c in clusters for m in c.members))
    camp = {*majority(consensus)}

    def place(c: Cluster) -> tuple[float, int, bool, int]:
        alone, first = not camp & {*c.members}, min(map(seats.index, c.members))
        return -_weight(c, consensus), -len(c.members), alone, first

    return sorted(clusters, key=place)


def _as_read(
    t: Transcript, consensus: Consensus, ledger: Ledger, round_: Round | None
) -> Positions:
    """The analyst's reading, if the panel itself could not be measured."""
    held = sorted(ledger.positions, key=lambda p: -len(p.holders))
    groups = tuple(
        Group(
            seats=tuple(in_panel_order(t, p.holders)),
            statement=_words(t, p.statement),
            relation="same" if i == 0 else "other",
        )
        for i, p in enumerate(p for p in held if p.holders)
    )
    usable = round_.usable if round_ else ()
    holders = {s for g in groups for s in g.seats}
    silent = [r.model_alias for r in usable if r.model_alias not in holders]
    return Positions(
        answers=len(usable),
        groups=groups,
        silent=tuple(in_panel_order(t, {*silent, *consensus.silent} - holders)),
        known=bool(groups),
        sources=(f"as the analyst {name(t, ledger.analyst or '')} reads it",) if groups else (),
        responses=usable,
        is_divided=len(groups) > 1,
    )


def _between(first: Cluster | None, other: Cluster, pairs: Sequence[Pair]) -> list[Pair]:
    """Measured pairs between two groups."""
    assert first is not None, "there is a first group where there is another"
    return [
        p for p in pairs
        if p.measured and {p.a, p.b} & {*first.members} and {p.a, p.b} & {*other.members}
    ]  # fmt: skip


def _relation(first: Cluster | None, other: Cluster, pairs: Sequence[Pair]) -> Relation:
    """Relation of a group to the first one."""
    between = _between(first, other, pairs)
    if any(p.relation == DISAGREE for p in between):
        return "other"
    return "partly" if between else "unknown"


def _beside(
    t: Transcript, before: Sequence[Cluster], group: Cluster, pairs: Sequence[Pair]
) -> tuple[str, ...]:
    """The first of some groups that another one agrees with in part."""
    near = (c for c in before if _relation(c, group, pairs) == "partly")
    return tuple(in_panel_order(t, (c.members if (c := next(near, None)) else ())))


def _words(t: Transcript, text: str) -> str:
    return " ".join(replace_letters(text, letters(t)).split())
