"""Decisions: what a user may rely on, whatever the rule."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.electorates import electorate
from fakes.patience import in_proportion
from mutual_dissent.analysis.ballots.decision import decide
from mutual_dissent.analysis.ballots.profile import profile
from mutual_dissent.analysis.ballots.rules import RULES
from mutual_dissent.core.errors import BadInput, UnknownName

PAIRWISE = ("copeland", "ranked-pairs", "schulze", "kemeny")
every_rule = pytest.mark.parametrize("rule", RULES)
electorates = st.builds(
    electorate, st.integers(0, 10**6), inside=st.booleans(), most=st.integers(3, 6)
)


def order(text: str) -> list[list[str]]:
    """`ab>c` as levels."""
    return [list(level) for level in text.split(">")]


def votes(*orders: str) -> dict[str, list[list[str]]]:
    return {f"v{i}": order(o) for i, o in enumerate(orders)}


@every_rule
def test_what_all_prefer_wins(rule):
    assert decide(votes("a>b>c", "a>c>b", "a>bc"), "abc", rule).winners == ("a",)


@every_rule
def test_a_tie_is_an_outcome(rule):
    found = decide(votes("a>b>c", "b>a>c"), "abc", rule)
    assert found.winners == ("a", "b")
    assert found.ranking[0] == ("a", "b")
    assert "a and b tie" in found.explanation


@every_rule
def test_a_circle_is_a_tie_of_all(rule):
    found = decide(votes("a>b>c", "b>c>a", "c>a>b"), "abc", rule)
    assert found.winners == ("a", "b", "c")
    assert found.explanation.startswith("All 3 tie")


@every_rule
def test_nobody_can_vote_for_itself(rule):
    ballots = {"a": order("a>b>c"), "b": order("b>c>a"), "c": order("c>b>a")}
    without = {"a": order("b>c"), "b": order("c>a"), "c": order("b>a")}
    assert decide(ballots, "abc", rule) == decide(without, "abc", rule)


@every_rule
def test_who_is_left_out_is_tied_last(rule):
    partial, whole = votes("a>b", "c>a", "b"), votes("a>b>cd", "c>a>bd", "b>acd")
    if rule == "approval":  # nobody approves of what it does not name
        whole["v2"] = order("b")
    assert decide(partial, "abcd", rule).winners == decide(whole, "abcd", rule).winners
    assert decide(partial, "abcd", rule).ranking[-1] == ("d",)


@every_rule
def test_without_a_vote_nothing_is_decided(rule):
    for ballots in ({}, {"a": None}, {"a": ()}, {"a": [["a"]]}, {"a": [["stranger"]]}):
        found = decide(ballots, "abc", rule)
        assert found.winners == ()
        assert found.stability is None
        assert "Nobody voted" in found.explanation


@every_rule
@given(electorates)
@settings(max_examples=40, deadline=None)
def test_every_candidate_is_ranked_once_and_the_first_have_won(rule, drawn):
    ballots, candidates = drawn
    found = decide(ballots, candidates, rule, resample=False)
    assert sorted(c for level in found.ranking for c in level) == sorted(candidates)
    assert found.ranking[0] == found.winners
    assert set(found.scores) == set(candidates)


@every_rule
@given(electorates, st.randoms())
@settings(max_examples=40, deadline=None)
def test_names_and_their_order_decide_nothing(rule, drawn, dice):
    ballots, candidates = drawn
    listed, voters = list(candidates), list(ballots)
    dice.shuffle(listed)
    dice.shuffle(voters)
    found = decide({v: ballots[v] for v in voters}, listed, rule, resample=False)
    known = decide(ballots, candidates, rule, resample=False)
    assert [set(level) for level in found.ranking] == [set(level) for level in known.ranking]


@every_rule
@given(electorates)
@settings(max_examples=15, deadline=None)
def test_the_same_ballots_give_the_same_decision(rule, drawn):
    ballots, candidates = drawn
    found = decide(ballots, candidates, rule)
    assert found == decide(ballots, candidates, rule)
    assert found.stability is None or 0 <= found.stability <= 1


@pytest.mark.parametrize("rule", PAIRWISE)
@given(electorates)
@settings(max_examples=60, deadline=None)
def test_whoever_beats_all_others_wins(rule, drawn):
    ballots, candidates = drawn
    best = profile(ballots, candidates).condorcet
    if best is not None:
        assert decide(ballots, candidates, rule, resample=False).winners == (best,)


def test_borda_and_plurality_may_pass_over_whoever_beats_all_others():
    ballots = votes(*["a>b>c"] * 3, *["b>c>a"] * 2)
    found = decide(ballots, "abc", "borda")
    assert found.winners == ("b",)
    assert found.condorcet == "a"
    assert "a beats every other one in direct comparison" in found.explanation


def test_borda_counts_the_mean_place_among_those_that_could_judge():
    ballots = {"a": order("b>c>d"), "b": order("a>cd"), "out": order("d>a>b>c")}
    scores = decide(ballots, "abcd", "borda").scores
    assert scores == pytest.approx(
        {
            "a": (1 + 2 / 3) / 2,  # b's and the outsider's
            "b": (1 + 1 / 3) / 2,
            "c": (0.5 + 0.25 + 0) / 3,
            "d": (0 + 0.25 + 1) / 3,
        }
    )


def test_a_candidate_loses_nothing_because_its_own_voter_could_vote():
    """Each is second for the others; only c's voter failed, so c has one judge more."""
    ballots = {"a": order("d>bc"), "b": order("d>ac"), "d": order("abc")}
    scores = decide(ballots, "abcd", "borda").scores
    assert scores["a"] == scores["b"] < scores["d"]


def test_plurality_splits_a_tied_first_place():
    assert decide(votes("ab>c", "c>ab"), "abc", "plurality").scores == {"a": 0.5, "b": 0.5, "c": 1}


def test_approval_takes_the_upper_half_or_as_many_places_as_one_says():
    ballots = votes("a>b>c>d", "b>a>c>d", "c>d>a>b")
    assert decide(ballots, "abcd", "approval").scores == {"a": 2, "b": 2, "c": 1, "d": 1}
    assert decide(ballots, "abcd", "approval", cut=3).scores == {"a": 3, "b": 2, "c": 3, "d": 1}
    assert decide(votes("ab>c"), "abcd", "approval", cut=1).scores == {
        "a": 1, "b": 1, "c": 0, "d": 0,
    }  # fmt: skip
    with pytest.raises(BadInput, match="at least the first place"):
        decide(ballots, "abcd", "approval", cut=0)


def test_ranked_pairs_keeps_the_strong_majorities_of_a_circle():
    ballots = votes(*["a>b>c"] * 4, *["b>c>a"] * 3, *["c>a>b"] * 2)
    assert decide(ballots, "abc", "ranked-pairs").ranking == (("a",), ("b",), ("c",))
    assert decide(ballots, "abc", "schulze").ranking == (("a",), ("b",), ("c",))
    assert decide(ballots, "abc", "kemeny").ranking == (("a",), ("b",), ("c",))


def test_ranked_pairs_with_a_crowd_of_contradictions_ends_and_says_that_it_gave_up():
    names = "abcdefghijklmnop"
    ballots = {f"v{i}": order(">".join(names[i:] + names[:i])) for i in range(16)}
    with in_proportion():
        found = decide(ballots, names, "ranked-pairs", resample=False)
    assert len(found.winners) == 16
    assert "not every order of them was tried" in found.explanation
    ballots |= {f"w{i}": order("z") for i in range(2)}
    assert decide(
        {v: [["z"], *b] for v, b in ballots.items()}, (*names, "z"), "ranked-pairs", resample=False
    ).winners == ("z",)


def test_kemeny_refuses_what_it_could_not_search_and_names_another_rule():
    with pytest.raises(BadInput, match="up to 8 candidates, not 9; choose schulze"):
        decide(votes("a>b"), "abcdefghi", "kemeny")


def test_an_unknown_rule_gets_a_suggestion():
    with pytest.raises(UnknownName, match="no rule is called 'bord'; did you mean 'borda'"):
        decide(votes("a>b"), "ab", "bord")


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_says_what_it_does_in_one_sentence(rule):
    assert RULES[rule].name == rule
    assert RULES[rule].summary.count(".") == 1
    assert RULES[rule].unit


class TestStability:
    """How far a decision depends on who happened to vote."""

    def test_a_unanimous_panel_is_stable(self):
        assert decide(votes(*["a>b>c"] * 5), "abc").stability == 1

    def test_one_voter_says_nothing_about_it(self):
        assert decide(votes("a>b>c"), "abc").stability is None

    def test_small_panels_are_gone_through_exactly(self):
        """Of two voters' four electorates, half are split as the panel is."""
        assert decide(votes("a>b", "b>a"), "ab").stability == 0.5
        assert decide(votes("a>b", "a>b", "b>a"), "ab").stability == pytest.approx(
            20 / 27, abs=1e-4
        )

    def test_large_panels_are_drawn_by_seed(self):
        ballots = votes(*["a>b>c"] * 5, *["b>c>a"] * 4)
        first = decide(ballots, "abc", seed=1).stability
        assert first == decide(ballots, "abc", seed=1).stability
        assert first != decide(ballots, "abc", seed=2).stability

    def test_what_is_drawn_is_near_the_truth(self):
        """9 voters, 6 of them for a: a wins with probability .855."""
        ballots = votes(*["a>b"] * 6, *["b>a"] * 3)
        assert decide(ballots, "ab", seed=3).stability == pytest.approx(0.855, abs=0.04)

    @pytest.mark.parametrize("rule", RULES)
    def test_eight_voters_on_eight_candidates_take_no_time_worth_mentioning(self, rule):
        ballots = {f"v{i}": [[c] for c in (*"abcdefgh"[i:], *"abcdefgh"[:i])] for i in range(8)}
        with in_proportion():
            assert decide(ballots, "abcdefgh", rule).ranking


def test_weighted_counts_voters_by_their_weight_and_leaves_out_who_has_none():
    ballots = votes("a>b>c", "b>a>c", "b>a>c")
    voters = list(ballots)
    light = dict(zip(voters, (3.0, 1.0, 1.0), strict=True))
    assert decide(ballots, "abc", "weighted").winners == ("b",)
    assert decide(ballots, "abc", "weighted", weights=light).winners == ("a",)
    alone = dict(zip(voters, (0.5, 0.0, 0.0), strict=True))
    assert decide(ballots, "abc", "weighted", weights=alone).voters == 1
    nobody = dict.fromkeys(voters, 0.0)
    assert decide(ballots, "abc", "weighted", weights=nobody).winners == ("b",)
    assert decide(ballots, "abc", "borda", weights=light).winners == ("b",)
