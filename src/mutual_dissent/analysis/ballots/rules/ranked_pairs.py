"""Ranked pairs (Tideman): strong majorities are settled first, and never contradicted later."""

from __future__ import annotations

from collections.abc import Iterator

from mutual_dissent.analysis.ballots.profile import Profile, by_defeats
from mutual_dissent.analysis.ballots.rules.kemeny import bits
from mutual_dissent.analysis.ballots.rules.rule import Rule, RuleTally

MOST_COURSES = 256
"""Courses that are followed at most where equally strong majorities contradict each other."""

WIDE = (
    "so many equally strong majorities contradict each other that not every order of them was "
    "tried; the tie may be wider than it had to be"
)

Edge = tuple[int, int]
Below = tuple[int, ...]
"""Candidate -> the set of those settled to be below it, as bits."""


def tally(profile: Profile) -> RuleTally:
    """Find the winners: no candidate is settled above them in some order of tied majorities.

    Majorities are settled from the largest margin down; one that contradicts settled ones is
    dropped. Where equally strong ones contradict each other, every order of them is followed, and
    differences are ties. Beyond `MOST_COURSES` courses, only majorities settled on all of them
    count, and those that no order could undo; that can only widen a tie, and the remark says so.
    """
    names = profile.candidates
    ends, cut = _ends(profile)
    everyone = (1 << len(names)) - 1
    unbeaten = 0
    always = [everyone] * len(names)
    for end in ends:
        beaten = 0
        for i, below in enumerate(end):
            beaten |= below
            always[i] &= below
        unbeaten |= everyone & ~beaten
    beats = {a: [names[j] for j in bits(always[i])] for i, a in enumerate(names)}
    return RuleTally(
        ranking=by_defeats([names[i] for i in bits(unbeaten)], beats),
        scores={a: float(len(b)) for a, b in beats.items()},
        remark=WIDE if cut else "",
    )


def _ends(profile: Profile) -> tuple[set[Below], bool]:
    """Possible final states, and whether the search was cut short."""
    states: set[Below] = {(0,) * len(profile.candidates)}
    groups = list(_groups(profile))
    for group in groups:
        after: set[Below] = set()
        for state in states:
            settled = _settle(state, group)
            if settled is None or len(after := after | settled) > MOST_COURSES:
                # Keep what all courses had settled before this group, and what no order can undo.
                everything = [edge for g in groups for edge in g]
                return {_settle_unopposed(_common(states), everything)}, True
        states = after
    return states, False


def _groups(profile: Profile) -> Iterator[list[Edge]]:
    """The majorities, the equally strong ones together, strongest first."""
    strengths: dict[int, list[Edge]] = {}
    for i, a in enumerate(profile.candidates):
        for j, b in enumerate(profile.candidates):
            if (margin := profile.margin(a, b)) > 0:
                strengths.setdefault(margin, []).append((i, j))
    for margin in sorted(strengths, reverse=True):
        yield strengths[margin]


def _settle(state: Below, group: list[Edge]) -> set[Below] | None:
    """All states that settling a group in some order may lead to; None if there are too many."""
    ends: set[Below] = set()
    seen = {state}
    todo = [state]
    while todo:
        now = _settle_unopposed(todo.pop(), group)
        contested = _open(now, group)
        if not contested:
            ends.add(now)
        # Each contested majority is tried as the next one: all orders, but equal states only once.
        for edge in contested:
            after = _with(now, edge)
            if after not in seen:
                seen.add(after)
                todo.append(after)
        if len(seen) > MOST_COURSES:
            return None
    return ends


def _settle_unopposed(state: Below, group: list[Edge]) -> Below:
    """Settle all majorities that no order could drop."""
    for edge in _free(state, group):
        state = _with(state, edge)
    return state


def _free(state: Below, group: list[Edge]) -> list[Edge]:
    """The open majorities of a group that lie on no cycle of settled and open ones."""
    live = _open(state, group)
    reach = list(state)
    for a, b in live:
        reach[a] |= 1 << b
    # Transitive closure (Warshall): an edge lies on a cycle if its end reaches its start.
    for via in range(len(reach)):
        for a in range(len(reach)):
            if reach[a] >> via & 1:
                reach[a] |= reach[via]
    return [(a, b) for a, b in live if not reach[b] >> a & 1]


def _open(state: Below, group: list[Edge]) -> list[Edge]:
    """Majorities of a group that the settled ones neither imply nor contradict."""
    return [(a, b) for a, b in group if not state[a] >> b & 1 and not state[b] >> a & 1]


def _with(state: Below, edge: Edge) -> Below:
    """Add one majority, and all that follows from it."""
    a, b = edge
    added = state[b] | 1 << b
    return tuple(
        below | added if i == a or below >> a & 1 else below for i, below in enumerate(state)
    )


def _common(states: set[Below]) -> Below:
    """Relations that are settled on every course."""
    first, *rest = states
    for state in rest:
        first = tuple(a & b for a, b in zip(first, state, strict=True))
    return first


RANKED_PAIRS = Rule(
    name="ranked-pairs",
    summary="Majorities are settled from the strongest down; what contradicts them is dropped.",
    unit="candidates settled below it",
    tally=tally,
)
