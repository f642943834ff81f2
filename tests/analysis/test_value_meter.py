"""Promises of the value meter."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import readers
from fakes.debates import Fault, Said
from mutual_dissent.analysis.scores.value import (
    BEST_SINGLE,
    PLAIN_VOTE,
    STOP_EARLY,
    TWO_FIRST,
    Value,
    value,
)
from mutual_dissent.core.codec.plain import from_plain, to_plain

SAFE, RISKY = "Safe.\n\nBOTTOM LINE: Yes.", "Dangerous.\n\nBOTTOM LINE: No."
QUERY = "Is nuclear power safe?"


def debated(*args, **more):
    return readers.debated(*args, **{"query": QUERY, **more})


def by_name(t, **more):
    found = value(t, **more)
    return found, {a.name: a for a in found.alternatives}


def test_a_debate_that_ends_where_the_vote_stood_changed_nothing():
    found, ways = by_name(
        debated({"ann": [SAFE] * 2, "bob": [SAFE] * 2, "cyd": [RISKY, SAFE]}, synthesis=SAFE)
    )
    vote = ways["plain_vote"]
    assert (vote.answer, vote.seats, vote.basis) == ("Yes.", ("ann", "bob"), "held by 2 of 3")
    assert (vote.relation, vote.changed) == ("agree", False)
    assert found.changed is False
    assert "would have returned the same, with 3 of 7 calls" in found.summary


def test_a_debate_that_ends_elsewhere_is_told():
    found, ways = by_name(
        debated({"ann": [SAFE] * 2, "bob": [SAFE] * 2, "cyd": [RISKY] * 2}, synthesis=RISKY)
    )
    assert found.changed is True
    assert ways["best_single"].changed is True
    assert found.summary.startswith("Deliberation ended elsewhere")


def test_each_way_has_the_cost_of_its_calls():
    found, ways = by_name(debated({"ann": [SAFE] * 2, "bob": [SAFE] * 2}, synthesis=SAFE))
    assert ways["best_single"].spent.calls == 1
    assert ways["best_single"].spent.cost_usd == pytest.approx(0.0031)
    assert ways["plain_vote"].spent.calls == ways["stop_after_round_0"].spent.calls == 2
    assert ways["plain_vote"].spent.cost_usd == pytest.approx(0.0062)
    assert (found.spent.calls, found.spent.cost_usd) == (5, pytest.approx(0.0155))


def test_unknown_prices_stay_unknown():
    free = Said(SAFE, {"cost_usd": None})
    found, ways = by_name(debated({"ann": [free], "bob": [free]}, synthesis=free))
    assert found.spent.cost_usd is None
    assert ways["plain_vote"].spent.unpriced == 2


def test_a_tied_vote_returns_nothing():
    found, ways = by_name(debated({"ann": [SAFE], "bob": [RISKY]}, synthesis=SAFE))
    vote = ways["plain_vote"]
    assert vote.answer is None
    assert vote.seats == ("ann", "bob")
    assert "a tie of 2 positions" in vote.basis
    assert found.changed is None  # there was nothing to end elsewhere than
    assert "would have been a tie" in found.summary


def test_the_best_single_answer_is_the_best_scored_one():
    scores = {
        "0/initial/ann": {"accuracy": 2, "completeness": 3, "judge_is_synthesizer": True},
        "0/initial/bob": {"accuracy": 4, "completeness": 4, "explanation": "fine"},
        "-1/synthesis/ann": {"accuracy": 5, "completeness": 4},
    }
    found, ways = by_name(debated({"ann": [SAFE], "bob": [RISKY]}, synthesis=SAFE, scores=scores))
    best = ways["best_single"]
    assert (best.seats, best.basis, best.score, best.gain) == (("bob",), "best by score", 4.0, 0.5)
    assert found.score == 4.5
    assert found.improved is True
    assert "+0.5 against the best single answer" in found.summary


def test_a_debate_that_made_it_worse_did_not_improve():
    scores = {"0/initial/ann": {"accuracy": 5}, "-1/synthesis/ann": {"accuracy": 3}}
    found, _ = by_name(debated({"ann": [SAFE], "bob": [SAFE]}, synthesis=SAFE, scores=scores))
    assert found.improved is False


def test_ballots_choose_the_best_single_answer():
    t = debated({"ann": [SAFE], "bob": [SAFE], "cyd": [RISKY]}, synthesis=SAFE)
    _, ways = by_name(t, winner="cyd")
    assert (ways["best_single"].seats, ways["best_single"].basis) == (("cyd",), "best by ballot")
    _, ways = by_name(t, winner="nobody")
    assert ways["best_single"].basis == "of the largest group"


def test_without_a_synthesis_nothing_is_compared():
    found, ways = by_name(debated({"ann": [SAFE], "bob": [SAFE]}, synthesis=None))
    assert found.changed is None
    assert ways["plain_vote"].answer == "Yes."
    assert "no synthesis" in found.summary


def test_without_an_initial_answer_there_is_no_meter():
    assert value(debated({"ann": [Fault()], "bob": [Fault()]}, synthesis=None)) is None


def test_the_figures_survive_their_record():
    found = value(debated({"ann": [SAFE], "bob": [RISKY]}, synthesis=SAFE))
    assert from_plain(Value, to_plain(found)) == found


ANSWER = st.sampled_from([SAFE, RISKY, "", "Perhaps.", Fault()]) | st.text(max_size=40)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcd"), st.lists(ANSWER, min_size=1, max_size=2), min_size=1),
    st.none() | ANSWER,
)
def test_no_debate_breaks_the_meter(answers, synthesis):
    found = value(debated(answers, synthesis=synthesis))
    if found:
        names = [a.name for a in found.alternatives]
        assert [n for n in names if n != TWO_FIRST] == [BEST_SINGLE, PLAIN_VOTE, STOP_EARLY]
        to_plain(found)


def test_who_wrote_the_answer_says_how_each_panelists_relates_to_it():
    """The majority's own text as the answer is no other outcome, whatever its words."""
    open_line = "Because.\n\nBOTTOM LINE: Small teams are best served by a single program."
    written = (
        "One program.\n\nBOTTOM LINE: Keep it in one piece.\nON THE OTHERS: ann agree; bob agree"
    )
    agreed = "ON THE OTHERS: {} agree\nCHANGED: nothing"
    t = debated(
        {
            "ann": [open_line, f"{open_line}\n{agreed.format('bob')}"],
            "bob": [open_line, f"{open_line}\n{agreed.format('ann')}"],
        },
        synthesis=written,
        query="How should we build it?",
    )
    found, ways = by_name(t)
    assert ways["plain_vote"].relation == "agree"
    assert found.changed is False


def test_answers_of_which_some_were_not_compared_are_no_tie():
    """As once on our own page: PostgreSQL, managed PostgreSQL and SQLite are not three."""
    said = {
        "ann": ["Because.\n\nBOTTOM LINE: Start with PostgreSQL."],
        "bob": ["Because.\n\nBOTTOM LINE: Start with SQLite."],
        "cyd": ["Because.\n\nBOTTOM LINE: Start with managed PostgreSQL, which takes hours off."],
    }
    found, ways = by_name(debated(said, synthesis="PostgreSQL.", query="PostgreSQL or SQLite?"))
    assert found.changed is None
    assert "not measured" in ways["plain_vote"].basis


def test_what_cannot_be_compared_is_not_called_another_outcome():
    t = debated(
        {"ann": ["It depends. On much."], "bob": ["Who knows. Really."]},
        synthesis="An essay. With parts.",
        query="How should we build it?",
    )
    found, _ = by_name(t)
    assert found.changed is None
    assert "was not measured" in found.summary
