"""Promises of what is said about movement over the rounds."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.debates import Fault, Said
from fakes.readers import debated, held
from mutual_dissent.analysis.convergence import consensus_by_round
from mutual_dissent.analysis.movement import Movement, movement
from mutual_dissent.analysis.relations import Relation, Verdict
from mutual_dissent.core.codec import from_plain, to_plain
from mutual_dissent.core.response import Citation

SAFE = "Nuclear power is safe and clean."
RISKY = "Nuclear power is dangerous and dirty."


def test_who_repeats_itself_twice_is_stable():
    moved = movement(debated({"ann": [SAFE] * 3, "bob": [SAFE, SAFE, RISKY]}))
    by_turn = {(s.seat, s.round_number): s for s in moved.convergence.shifts}
    assert not by_turn["ann", 1].stable
    assert by_turn["ann", 2].stable
    assert by_turn["bob", 1].similarity == 1.0
    assert not by_turn["bob", 2].stable
    assert moved.convergence.stable == ("ann",)


def test_who_says_the_same_in_other_words_has_moved_a_little():
    longer = f"{SAFE} Reactors of new kinds shut down alone, and waste is stored deep in rock."
    moved = movement(debated({"ann": [SAFE, longer, SAFE], "bob": [SAFE] * 3}))
    (first, second) = (s for s in moved.convergence.shifts if s.seat == "ann")
    assert first.same_cluster
    assert first.similarity < 0.9
    assert not second.stable
    assert moved.convergence.stable_rounds == 0


def test_rest_is_counted_in_rounds_without_any_move():
    still = debated({"ann": [RISKY, SAFE, SAFE, SAFE], "bob": [SAFE] * 4})
    assert movement(still).convergence.stable_rounds == 2
    stirred = debated({"ann": [SAFE, SAFE, SAFE, RISKY], "bob": [SAFE] * 4})
    assert movement(stirred).convergence.stable_rounds == 0


def test_whoever_joins_the_others_is_the_one_who_moved():
    t = debated({"ann": [SAFE, SAFE], "bob": [RISKY, SAFE], "cyd": [SAFE, SAFE]})
    by_seat = {s.seat: s for s in movement(t).convergence.shifts}
    assert by_seat["ann"].same_cluster
    assert by_seat["cyd"].same_cluster
    assert not by_seat["bob"].same_cluster


def test_of_two_the_one_who_kept_its_words_stayed():
    t = debated({"ann": [RISKY, SAFE], "bob": [SAFE, SAFE]})
    by_seat = {s.seat: s for s in movement(t).convergence.shifts}
    assert by_seat["bob"].same_cluster
    assert not by_seat["ann"].same_cluster


def test_a_flip_says_what_was_read_before_it():
    t = debated(
        {"ann": [SAFE, SAFE], "bob": [RISKY, SAFE], "cyd": [RISKY, RISKY]},
        read={"bob": ["ann"], "cyd": ["bob"], "ann": []},
    )
    (flip,) = movement(t).flips
    assert (flip.seat, flip.round_number, flip.kind) == ("bob", 1, "position")
    assert (flip.before, flip.after) == (RISKY, SAFE)
    assert flip.read == ("ann",)
    assert flip.towards == ("ann",)
    assert "contradicts its last answer" in flip.reason


def test_a_changed_stance_is_a_flip():
    t = debated(
        {"ann": [held("X has merits.", stance="for"), held("X has merits.", stance="against")]}
    )
    (flip,) = movement(t).flips
    assert flip.kind == "stance"
    assert "from for to against" in flip.reason


def test_leaving_ones_group_is_a_flip_unless_one_still_says_the_same():
    def told(a, b):
        same = a.text.split()[0] == b.text.split()[0]
        return Verdict(Relation.AGREE if same else Relation.UNCERTAIN, 0.8, "told")

    t = debated({"ann": ["Red x", "Red y"], "bob": ["Red z", "Blue z"], "cyd": ["Red", "Red"]})
    assert [(f.seat, f.kind) for f in movement(t, compare=told).flips] == [("bob", "cluster")]


def test_influence_goes_to_what_was_read_and_moved_to():
    t = debated(
        {"ann": [SAFE, SAFE], "bob": [RISKY, SAFE], "cyd": [RISKY, RISKY]},
        read={"bob": ["ann"], "cyd": ["bob"]},
    )
    found = movement(t).influence
    assert found.matrix["bob"]["ann"] > 0.4
    assert found.matrix["bob"]["cyd"] is None
    assert found.matrix["cyd"]["bob"] == 0.0
    assert found.matrix["ann"] == {"bob": None, "cyd": None}
    assert found.most_influential == "ann"


def test_influence_is_found_where_answers_are_unsigned():
    said = {"ann": [SAFE, SAFE], "bob": [RISKY, SAFE]}
    t = debated(said, read={"ann": [], "bob": []})
    assert movement(t).influence.matrix["bob"]["ann"] is None
    unsigned = replace(t, brief=replace(t.brief, mode="delphi"))
    assert movement(unsigned).influence.matrix["bob"]["ann"] > 0
    assert movement(unsigned).influence.most_influential == "ann"
    assert movement(unsigned).flips[0].read == ("ann",)


def test_moving_away_is_negative_influence():
    t = debated({"ann": ["red green blue", "yellow pink"], "bob": ["red green blue"] * 2})
    assert movement(t).influence.matrix["ann"]["bob"] == -1.0
    assert movement(t).influence.most_influential is None


def test_in_turn_the_latest_word_counts():
    t = debated({"ann": ["alpha beta", "gamma delta"], "bob": ["omega", "gamma delta"]})
    early, late = t.rounds[1].responses
    asked = early.timestamp + timedelta(seconds=1)
    late = replace(late, timestamp=asked + timedelta(seconds=2), latency_ms=2000)
    in_turn = replace(t, rounds=(t.rounds[0], replace(t.rounds[1], responses=(early, late))))
    assert movement(in_turn).influence.matrix["bob"]["ann"] == 1.0
    assert movement(t).influence.matrix["bob"]["ann"] == 0.0  # together: it read round 0


def test_a_change_of_confidence_names_what_came_between():
    source = {"citations": (Citation(url="https://example.org/a"),)}
    t = debated(
        {
            "ann": [held(SAFE, confidence=0.9), held(RISKY, confidence=0.6, **source)],
            "bob": [held(RISKY, confidence=0.8), held(RISKY, confidence=0.8)],
        }
    )
    by_seat = {c.seat: c for c in movement(t).confidence}
    assert by_seat["ann"].delta == -0.3
    assert by_seat["ann"].previous_round == 0
    assert "changed its position" in by_seat["ann"].reason
    assert "1 new source" in by_seat["ann"].reason
    assert "1 contradicted it" in by_seat["ann"].reason
    assert by_seat["bob"].delta == 0
    assert by_seat["bob"].reason.startswith("unchanged")


def test_unstated_confidence_has_no_change():
    t = debated({"ann": [held(SAFE), held(SAFE, confidence=0.5)], "bob": [SAFE, SAFE]})
    assert movement(t).confidence == ()


def test_the_round_that_agreed_is_known():
    t = debated({"ann": [SAFE, SAFE], "bob": [RISKY, SAFE]})
    found = movement(t).convergence
    assert found.rounds_to_convergence == 1
    assert found.disagreement_count == 0
    split = movement(debated({"ann": [SAFE], "bob": [RISKY]})).convergence
    assert split.rounds_to_convergence is None
    assert split.disagreement_count == 1


def test_who_dropped_out_is_compared_with_its_last_answer():
    t = debated({"ann": [SAFE, Fault(), SAFE], "bob": [SAFE] * 3})
    rounds = [s.round_number for s in movement(t).convergence.shifts if s.seat == "ann"]
    assert rounds == [2]


def test_known_consensus_is_not_judged_again():
    t = debated({"ann": [SAFE, SAFE], "bob": [SAFE, SAFE]})
    known = consensus_by_round(t)

    def never(a, b):
        raise AssertionError("judged again")

    assert movement(t, known, never) == movement(t)


def test_movement_survives_its_record():
    moved = movement(debated({"ann": [SAFE, RISKY], "bob": [held(RISKY, confidence=0.5)] * 2}))
    assert from_plain(Movement, to_plain(moved)) == moved


# groupthink ---------------------------------------------------------------------------------------


def test_easy_agreement_is_warned_about_with_its_reasons():
    sure = {"confidence": 0.9, "stance": "for"}
    t = debated({"ann": [held(SAFE, **sure)] * 2, "bob": [held(SAFE, **sure)] * 2})
    found = movement(t).groupthink
    assert found.detected
    assert found.indicators == (
        "everyone is at least 80% sure",
        "no dissenting stance: everyone is for",
        "nearly unanimous after reading each other (agreement 1.00)",
    )
    assert "devil's advocate" in found.recommendation


def test_one_sign_is_no_warning():
    found = movement(debated({"ann": [SAFE, SAFE], "bob": [SAFE, SAFE]})).groupthink
    assert not found.detected
    assert len(found.indicators) == 1
    assert found.recommendation == ""


def test_agreement_without_having_read_each_other_is_no_sign():
    assert movement(debated({"ann": [SAFE], "bob": [SAFE]})).groupthink.indicators == ()


def test_agreement_that_rose_for_no_reason_is_a_sign():
    t = debated({"ann": [SAFE, SAFE], "bob": [RISKY, SAFE]})
    assert any("without new evidence" in i for i in movement(t).groupthink.indicators)


@pytest.mark.parametrize(
    "brought",
    [
        Said(SAFE, {"citations": (Citation(url="https://example.org/deaths-per-twh"),)}),
        Said(SAFE, {"tool_calls": ({"name": "web_search"},)}),
        f"{SAFE} See https://example.org/x for it.",
        f"{SAFE} Deaths per terawatt-hour are lower than with coal by two orders.",
    ],
    ids=["citation", "tool", "link", "argument"],
)
def test_agreement_that_rose_with_something_new_is_none(brought):
    t = debated({"ann": [SAFE, SAFE], "bob": [RISKY, brought]})
    assert not any("without new evidence" in i for i in movement(t).groupthink.indicators)


def test_a_partly_stated_confidence_is_no_sign():
    t = debated({"ann": [held(SAFE, confidence=0.95)], "bob": [held(SAFE)]})
    assert movement(t).groupthink.indicators == ()


ANSWER = (
    st.sampled_from([SAFE, RISKY, "", "It depends.", "5 km", "Yes."])
    | st.just(Fault())
    | st.builds(
        lambda p, c: held(p, confidence=c, stance="for"), st.text(max_size=30), st.floats(0, 1)
    )
)
DEBATE = st.dictionaries(
    st.sampled_from(["ann", "bob", "cyd", "dan"]),
    st.lists(ANSWER, max_size=3),
    min_size=1,
    max_size=4,
)


@settings(max_examples=80, deadline=None)
@given(DEBATE)
def test_no_debate_breaks_the_measures(answers):
    t = debated(answers)
    moved = movement(t)
    assert all(0.0 <= s.similarity <= 1.0 for s in moved.convergence.shifts)
    cells = [v for row in moved.influence.matrix.values() for v in row.values() if v is not None]
    assert all(-1.0 <= v <= 1.0 for v in cells)
    to_plain(moved)


@settings(max_examples=40, deadline=None)
@given(DEBATE, st.randoms(use_true_random=False))
def test_the_order_of_seats_changes_no_movement(answers, dice):
    mixed = list(answers.items())
    dice.shuffle(mixed)
    one, other = movement(debated(answers)), movement(debated(dict(mixed)))
    assert one.convergence == other.convergence
    assert one.influence.matrix == other.influence.matrix
    assert one.influence.most_influential == other.influence.most_influential
    assert sorted(map(str, one.flips)) == sorted(map(str, other.flips))
    assert one.groupthink == other.groupthink
