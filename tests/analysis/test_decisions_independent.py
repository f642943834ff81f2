"""The rules decide as an implementation does that nobody here wrote, whalrus, and as books say.

Conventions of ours that whalrus is told: candidates that a ballot leaves out are below all that it
names and tied; a voter's own answer is absent from its ballot, which then counts as indifferent in
every pair with it; Borda is the mean over those that could judge; first places and approvals are
given as grades. Whalrus takes one order of equally strong majorities where ours follows all, and
has no Kemeny rule: for these two the textbook definition is gone through by brute force here, and
`test_decisions_pref_voting.py` compares them with a second implementation where it is installed.
"""

from __future__ import annotations

import logging
from fractions import Fraction
from functools import cache
from itertools import permutations

import pytest
from whalrus import (
    BallotLevels,
    BallotOrder,
    MatrixMajority,
    MatrixRankedPairs,
    MatrixSchulze,
    MatrixWeightedMajority,
    Priority,
    RuleApproval,
    RuleBorda,
    RuleCondorcet,
    RuleCopeland,
    RuleRangeVoting,
    RuleRankedPairs,
    RuleSchulze,
    ScorerBorda,
)

from fakes.electorates import Ballots, electorate
from mutual_dissent.analysis.ballots.decision import decide
from mutual_dissent.analysis.ballots.profile import profile

MANY = [(seed, inside) for seed in range(500) for inside in (False, True)]
HALF = Fraction(1, 2)


@pytest.fixture(autouse=True)
def quiet():
    """Whalrus remarks on every voter that has no vote on itself."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def orders(ballots: Ballots, candidates: tuple[str, ...]) -> dict:
    """The same ballots for whalrus."""
    return {
        "ballots": [
            BallotOrder(list(map(set, b)), candidates=set(candidates) - {v})
            for v, b in ballots.items()
        ],
        "voters": list(ballots),
        "candidates": set(candidates),
    }


def majorities() -> MatrixWeightedMajority:
    absent = dict.fromkeys(
        ("ordered_vs_absent", "absent_vs_ordered", "unordered_vs_absent", "absent_vs_unordered"),
        HALF,
    )
    return MatrixWeightedMajority(**absent, absent_vs_absent=HALF, unordered_vs_unordered=HALF)


def ours(rule: str, ballots: Ballots, candidates: tuple[str, ...]) -> set[str]:
    return set(decide(ballots, candidates, rule, resample=False).winners)


def each(inside: bool | None = None):
    for seed, stands in MANY:
        if inside is None or inside is stands:
            yield electorate(seed, inside=stands)


def test_there_are_a_thousand_profiles_with_ties_and_partial_ballots():
    drawn = list(each())
    ballots = [(b, v, len(c)) for bs, c in drawn for v, b in bs.items()]
    assert len(drawn) == 1_000
    assert sum(any(len(level) > 1 for level in b) for b, _, _ in ballots) > 1_000
    assert sum(sum(map(len, b)) < n - 1 for b, _, n in ballots) > 500


def test_borda_agrees():
    scorer = ScorerBorda(absent_give_points=False, absent_receive_points=None)
    for ballots, candidates in each():
        theirs = RuleBorda(scorer=scorer, **orders(ballots, candidates))
        assert ours("borda", ballots, candidates) == set(theirs.cowinners_)


def test_plurality_agrees_with_first_places_split():
    for ballots, candidates in each():
        grades = [{c: Fraction(c in b[0], len(b[0])) for c in candidates} for b in ballots.values()]
        theirs = RuleRangeVoting(list(map(BallotLevels, grades)), candidates=set(candidates))
        assert ours("plurality", ballots, candidates) == set(theirs.cowinners_)


def test_approval_agrees_with_the_upper_half_approved():
    for ballots, candidates in each():
        grades = []
        for voter, b in ballots.items():
            half = -(-len(set(candidates) - {voter}) // 2)
            above = [len([c for level in b[:i] for c in level]) for i in range(len(b))]
            liked = {c for level, n in zip(b, above, strict=True) if n < half for c in level}
            grades.append(BallotLevels({c: int(c in liked) for c in candidates}))
        theirs = RuleApproval(grades, candidates=set(candidates))
        assert ours("approval", ballots, candidates) == set(theirs.cowinners_)


def test_copeland_agrees():
    for ballots, candidates in each():
        matrix = MatrixMajority(matrix_weighted_majority=majorities())
        theirs = RuleCopeland(matrix=matrix, **orders(ballots, candidates))
        assert ours("copeland", ballots, candidates) == set(theirs.cowinners_)


def test_schulze_agrees():
    for ballots, candidates in each():
        matrix = MatrixSchulze(matrix_weighted_majority=majorities())
        theirs = RuleSchulze(matrix_schulze=matrix, **orders(ballots, candidates))
        assert ours("schulze", ballots, candidates) == set(theirs.cowinners_)


def test_ranked_pairs_agree_on_up_to_three_candidates():
    """Beyond three, whalrus 0.4 forgets some of what follows from the majorities it has settled."""
    compared = alike = 0
    for ballots, candidates in each():
        if len(candidates) > 3:
            continue
        matrix = MatrixRankedPairs(
            matrix_weighted_majority=majorities(), tie_break=Priority.ASCENDING
        )
        theirs = RuleRankedPairs(matrix=matrix, **orders(ballots, candidates))
        found = ours("ranked-pairs", ballots, candidates)
        compared += 1
        assert set(theirs.cowinners_) <= found
        if not equally_strong(ballots, candidates):
            alike += 1
            assert found == set(theirs.cowinners_)
    assert compared > 300
    assert alike > 100


def equally_strong(ballots: Ballots, candidates: tuple[str, ...]) -> bool:
    votes = profile(ballots, candidates)
    pairs = [abs(votes.margin(a, b)) for a in candidates for b in candidates if a < b]
    return len(set(pairs)) < len(pairs) or 0 in pairs


def test_condorcet_winners_are_found_by_all_rules_that_promise_it():
    found = 0
    for ballots, candidates in each():
        matrix = MatrixMajority(matrix_weighted_majority=majorities())
        theirs = RuleCondorcet(matrix_majority=matrix, **orders(ballots, candidates))
        best = profile(ballots, candidates).condorcet
        assert (best is None) == (len(theirs.cowinners_) != 1)
        if best is not None:
            found += 1
            assert set(theirs.cowinners_) == {best}
            for rule in ("copeland", "ranked-pairs", "schulze", "kemeny"):
                assert ours(rule, ballots, candidates) == {best}
    assert found > 300


def test_kemeny_is_what_all_orders_say():
    for ballots, candidates in each():
        assert ours("kemeny", ballots, candidates) == kemeny_by_force(ballots, candidates)


def kemeny_by_force(ballots: Ballots, candidates: tuple[str, ...]) -> set[str]:
    support = profile(ballots, candidates).support

    def agreed(order: tuple[str, ...]) -> int:
        return sum(support[a][b] for i, a in enumerate(order) for b in order[i + 1 :])

    best = max(map(agreed, permutations(candidates)))
    return {order[0] for order in permutations(candidates) if agreed(order) == best}


def test_ranked_pairs_are_what_all_stacks_say():
    for ballots, candidates in each():
        assert ours("ranked-pairs", ballots, candidates) == stack_tops(ballots, candidates)


def stack_tops(ballots: Ballots, candidates: tuple[str, ...]) -> set[str]:
    """Zavist and Tideman 1989: an order may come out if each attains all below it through it."""
    margin = cache(profile(ballots, candidates).margin)

    def is_stack(order: tuple[str, ...]) -> bool:
        return all(
            attains(order[i : j + 1], margin(order[j], order[i]))
            for i in range(len(order))
            for j in range(i + 1, len(order))
        )

    def attains(part: tuple[str, ...], against: int) -> bool:
        reached = {part[0]}
        for place, x in enumerate(part[1:], 1):
            if any(y in reached and margin(y, x) >= against for y in part[:place]):
                reached.add(x)
        return part[-1] in reached

    return {order[0] for order in permutations(candidates) if is_stack(order)}
