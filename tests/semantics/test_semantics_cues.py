"""What words alone show of two claims, on pairs written for it by hand."""

import pytest

from mutual_dissent.semantics.cues.comparisons import compare_ranks
from mutual_dissent.semantics.cues.marks import AGREE, DISAGREE, NEITHER, cue


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        ("Trams are faster than buses.", "Buses are slower than trams.", "alike"),
        ("Trams are faster than buses.", "Buses are quicker than trams.", "reversed"),
        ("Tea is cheaper than coffee.", "Coffee is more expensive than tea.", "alike"),
        ("Tea is less expensive than coffee.", "Coffee is cheaper than tea.", "reversed"),
        ("Trams are greener than buses.", "Buses are more flexible than trams.", "other"),
        ("Living in Rome costs more than in Oslo.", "Rome is cheaper than Oslo.", "reversed"),
        ("Lunch is served before the talk.", "The talk comes after lunch.", "alike"),
        ("Trams are faster than buses.", "Ferries are slower than planes.", None),
        ("The talk starts at nine.", "Trams are faster than buses.", None),
    ],
)
def test_two_rankings_are_alike_reversed_or_of_other_things(a, b, found):
    assert compare_ranks(a, b) == found
    assert compare_ranks(b, a) == found


@pytest.mark.parametrize(
    ("a", "b", "side"),
    [
        ("The pass costs 20 euros a month.", "The pass costs 240 euros a year.", AGREE),
        ("Feed the cat twice a day.", "Feed the cat once a week.", DISAGREE),
        ("Speakers are limited to 10 minutes.", "Speakers have up to 40 minutes.", DISAGREE),
        ("The patch may cure the fault.", "The patch cures the fault.", NEITHER),
        ("We could sell the barn.", "We should sell the barn.", NEITHER),
        ("Not every lamp passed.", "Not every lamp failed.", NEITHER),
        ("Yes, it saves time.", "No, it wastes time.", DISAGREE),
        ("Sell the barn.", "Sell the barn if it rains.", NEITHER),
        ("We eat outside unless it rains.", "We eat outside only if it rains.", DISAGREE),
        ("Anna is Ben's boss.", "Ben is Anna's boss.", DISAGREE),
        ("The fair is held in June.", "The fair is held in October.", DISAGREE),
        ("The glass is clear.", "The glass is not opaque.", AGREE),
        ("Use Redis for the queue.", "Use Kafka for the queue.", DISAGREE),
    ],
)
def test_the_words_of_two_claims_point_one_way(a, b, side):
    for found in (cue(a, b), cue(b, a)):
        assert found is not None
        assert found.side == side


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Yes, for everyone.", "Yes, but only for large firms."),
        ("Trams are quiet.", "The harbour is deep."),
        ("You may not park here.", "Parking here is forbidden."),
    ],
)
def test_where_the_words_decide_nothing_no_cue_is_given(a, b):
    assert cue(a, b) is None
