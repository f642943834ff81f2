"""A second implementation that nobody here wrote, pref-voting, where it is installed.

It has all four rules that look at pairs, and follows every order of equally strong majorities as
ours does, but holds numpy and others back, so it is not installed with the rest. To run this: make
a virtual environment with this project, pytest and pref-voting in it.

The same convention as ours: what a ballot leaves out is tied last on it; a voter's own answer is
not on its ballot at all and takes part in no comparison of it.
"""

from __future__ import annotations

import pytest

from fakes.electorates import Ballots, electorate
from mutual_dissent.analysis.ballots.decision import decide
from mutual_dissent.analysis.ballots.profile import profile

ties = pytest.importorskip(
    "pref_voting.profiles_with_ties", reason="SKIPPED: pref-voting is not installed"
)


def theirs(ballots: Ballots, candidates: tuple[str, ...]):
    """The same ballots for pref-voting, candidates as numbers."""
    number = {c: i for i, c in enumerate(candidates)}
    rankings = []
    for voter, levels in ballots.items():
        places = {number[c]: len(candidates) for c in candidates if c != voter}
        places |= {number[c]: i for i, level in enumerate(levels) for c in level}
        rankings.append(places)
    return ties.ProfileWithTies(rankings, candidates=list(range(len(candidates))))


def methods():
    from pref_voting.c1_methods import copeland
    from pref_voting.margin_based_methods import beat_path, ranked_pairs
    from pref_voting.other_methods import kemeny_young

    return {
        "copeland": copeland,
        "schulze": beat_path,
        "kemeny": kemeny_young,
        "ranked-pairs": lambda votes: ranked_pairs(votes, algorithm="from_stacks"),
    }


@pytest.mark.parametrize("rule", ["copeland", "schulze", "kemeny", "ranked-pairs"])
def test_a_thousand_profiles_are_decided_alike(rule):
    method = methods()[rule]
    for seed in range(1_000):
        ballots, candidates = electorate(seed, inside=seed % 2 == 1)
        found = decide(ballots, candidates, rule, resample=False).winners
        wanted = [candidates[i] for i in sorted(method(theirs(ballots, candidates)))]
        assert sorted(found) == wanted, (seed, ballots)


def test_condorcet_winners_are_the_same():
    for seed in range(1_000):
        ballots, candidates = electorate(seed, inside=seed % 2 == 1)
        wanted = theirs(ballots, candidates).condorcet_winner()
        found = profile(ballots, candidates).condorcet
        assert found == (None if wanted is None else candidates[wanted])
