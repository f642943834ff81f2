"""Comparisons, orders of events, phases and amounts that follow from others, on fresh pairs."""

import pytest

from mutual_dissent.semantics.claims import ends
from mutual_dissent.semantics.cues.arithmetic import works_out
from mutual_dissent.semantics.cues.comparisons import compare_ranks, compare_tops
from mutual_dissent.semantics.cues.marks import AGREE, DISAGREE, NEITHER, cue
from mutual_dissent.semantics.cues.time_words import phases_oppose


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("Oak is not as cheap as pine.", "Pine is cheaper than oak.", "alike"),
        ("Oak isn't as cheap as pine.", "Oak is cheaper than pine.", "reversed"),
        ("The barn is twice as big as the shed.", "The shed is smaller than the barn.", "alike"),
        ("Oslo outperforms Rome.", "Rome is superior to Oslo.", "reversed"),
        ("Oslo beat Rome.", "Rome lost to Oslo.", "alike"),
        ("Most cooks prefer gas to induction.", "Most cooks prefer induction to gas.", "reversed"),
        ("The tram takes longer than the ferry.", "The ferry is faster than the tram.", "alike"),
        ("Oak is as hard as beech.", "Oak is as hard as beech wood.", "alike"),
        ("Nils is as tall as Lea.", "Nils is taller than Lea.", "reversed"),
        ("Go is at least as fast as Java.", "Java is faster than Go.", "reversed"),
        ("Go is at least as fast as Java.", "Go is faster than Java.", None),
        ("Sign the lease before paying.", "Pay first, then sign the lease.", "reversed"),
        ("Wash the rice before frying.", "Do not fry until the rice is washed.", "alike"),
        ("Rome fell before Troy.", "Troy had already fallen when Rome fell.", "reversed"),
    ],
)
def test_a_ranking_is_found_however_it_is_said(a, b, found):
    assert compare_ranks(a, b) == found
    assert compare_ranks(b, a) == found


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("Nobody in town bakes better than Ida.", "Ida is the best baker in town.", "alike"),
        ("The Nile is the longest river.", "The Amazon is longer than the Nile.", "reversed"),
        ("Pine is the cheapest wood.", "Pine is the most expensive wood.", "reversed"),
        ("The Nile is the longest river.", "The Nile is longer than the Rhine.", None),
        ("The Nile is the longest river.", "The Nile is the dirtiest river.", None),
    ],
)
def test_what_comes_first_of_all_is_compared(a, b, found):
    assert compare_tops(a, b) == found
    assert compare_tops(b, a) == found


@pytest.mark.parametrize(
    ("a", "b", "oppose"),
    [
        ("He still lives in Ghent.", "He no longer lives in Ghent.", True),
        ("The dam has not been built yet.", "The dam has already been built.", True),
        ("He used to sing.", "He does not sing any more.", False),
        ("The inn is still open.", "The inn is already open.", False),
    ],
)
def test_what_lasts_is_not_over(a, b, oppose):
    assert phases_oppose(a, b) is oppose
    assert phases_oppose(b, a) is oppose


@pytest.mark.parametrize(
    ("a", "b", "follows"),
    [
        ("The talk runs from 9 to 12.", "The talk takes three hours.", True),
        ("The share rose from 10 to 15 percent.", "It rose by five percentage points.", True),
        ("The share rose from 10 to 15 percent.", "It fell by five percentage points.", False),
        ("They began in 1990 and needed six years.", "It was done in 1996.", True),
        ("They began in 1990 and needed six years.", "It was done in 1997.", False),
    ],
)
def test_an_amount_that_follows_from_others_is_worked_out(a, b, follows):
    assert works_out(a, b) is follows
    assert works_out(b, a) is follows


@pytest.mark.parametrize(
    ("a", "b", "side"),
    [
        ("Rents rose in the first half.", "Rents fell in the second half.", NEITHER),
        ("The street is anything but quiet.", "The street is noisy.", AGREE),
        ("The inn is still open.", "The inn is no longer open.", DISAGREE),
        ("The fair lasts from 2 to 4.", "The fair lasts two hours.", AGREE),
        ("Emma is the oldest pupil.", "Paul is older than Emma.", DISAGREE),
    ],
)
def test_times_and_ranks_point_one_way(a, b, side):
    for found in (cue(a, b), cue(b, a)):
        assert found is not None
        assert found.side == side


def test_an_answer_is_read_by_what_it_opens_and_closes_with():
    answer = (
        "Build the bridge. It is dear. Critics say it is ugly. So build it this year. "
        "Let me know if you have questions!"
    )
    assert ends(answer) == "Build the bridge. So build it this year."
    assert ends("Build it.") == "Build it."
    assert ends("") == ""
