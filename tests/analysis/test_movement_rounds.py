"""Promises of what is said about movement over the rounds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.debates import Fault, Said
from fakes.readers import debated
from mutual_dissent.analysis.rounds.consensus import consensus
from mutual_dissent.analysis.rounds.movement import Movement, movement
from mutual_dissent.core.closing import Change, Closing, View
from mutual_dissent.core.codec.plain import from_plain, to_plain
from mutual_dissent.core.response import Citation

SAFE = "Nuclear power is safe."
RISKY = "Nuclear power is dangerous."


def says(line, changed=None, *, because=(), agrees=(), against=(), what="", **fields):
    """An answer with its closing as data."""
    change = Change(kind=changed, what=what, because_of=tuple(because)) if changed else None
    views = [View(seat=s, relation="agree") for s in agrees]
    views += [View(seat=s, relation="disagree") for s in against]
    closing = Closing(bottom_line=line, views=tuple(views), change=change)
    return Said("Because.", {"closing": closing, **fields})


def moves(answers, **more) -> Movement:
    t = debated(answers, **more)
    return movement(t, {r.round_number: consensus(t, r) for r in t.rounds})


def shifts(moved):
    return {(s.seat, s.round_number): s for s in moved.convergence.shifts}


def test_what_changed_is_what_each_says_itself():
    moved = moves({
        "ann": [says(SAFE), says(SAFE, "nothing")],
        "bob": [says(RISKY), says(SAFE, "yes", because=["ann"], what="the figures")],
        "cyd": [says(SAFE), says(SAFE, "detail", because=["bob"], what="named the waste")],
    })  # fmt: skip
    found = shifts(moved)
    assert [found[s, 1].change for s in ("ann", "bob", "cyd")] == ["nothing", "yes", "detail"]
    (flip,) = moved.flips
    assert (flip.seat, flip.before, flip.after) == ("bob", RISKY, SAFE)
    assert (flip.towards, flip.reason, flip.read) == (("ann",), "the figures", ("ann", "cyd"))


def test_who_says_nothing_of_it_is_known_by_value_or_not_at_all():
    line = "It hinges on what your colleagues enjoy and on how long they will stay."
    moved = moves({
        "ann": [says("42"), says("42")],
        "bob": [says("42"), says("57")],
        "cyd": [says(line), says("Nobody outside your company should answer that for you.")],
    }, query="How many?")  # fmt: skip
    found = shifts(moved)
    assert (found["ann", 1].change, found["ann", 1].source) == ("nothing", "value")
    assert found["bob", 1].change == "yes"
    assert (found["cyd", 1].change, found["cyd", 1].source) == ("unknown", "")


def test_rest_is_counted_in_rounds_in_which_nobody_moved():
    still = {s: [says(SAFE), *[says(SAFE, "nothing")] * 3] for s in ("ann", "bob")}
    assert moves(still).convergence.stable_rounds == 3
    assert moves(still).convergence.stable == ("ann", "bob")
    stirred = {**still, "bob": [*still["bob"][:3], says(RISKY, "yes")]}
    assert moves(stirred).convergence.stable_rounds == 0
    silent = {**still, "bob": [*still["bob"][:3], says("Another matter altogether, I think.")]}
    assert moves(silent).convergence.stable_rounds == 0


def test_influence_goes_to_whom_a_panelist_says_that_it_owes_a_change():
    moved = moves({
        "ann": [says(SAFE), says(SAFE, "nothing")],
        "bob": [says(RISKY), says(SAFE, "yes", because=["ann"])],
        "cyd": [says(SAFE), says(SAFE, "detail", because=["ann"])],
        "dan": [says(SAFE), Said("Nothing about that.")],
    })  # fmt: skip
    matrix = moved.influence.matrix
    assert (matrix["bob"]["ann"], matrix["bob"]["cyd"], matrix["cyd"]["ann"]) == (1.0, 0.0, 0.5)
    assert matrix["ann"]["bob"] == 0.0
    assert matrix["dan"]["ann"] is None
    assert moved.influence.most_influential == "ann"


def test_nobody_leads_where_nobody_moved():
    moved = moves({s: [says(SAFE), says(SAFE, "nothing")] for s in ("ann", "bob")})
    assert moved.influence.most_influential is None


def test_confidence_in_another_bottom_line_is_not_compared_as_if_it_were_the_same():
    moved = moves({
        "ann": [says("42", confidence=0.5), says("42", "nothing", confidence=0.8)],
        "bob": [says("42", confidence=0.9), says("57", "yes", because=["ann"], confidence=0.9)],
    }, query="How many?")  # fmt: skip
    ann, bob = sorted(moved.confidence, key=lambda c: c.seat)
    assert ann.delta == pytest.approx(0.3)
    assert ann.reason == ""
    assert bob.reason == "its bottom line is another one now"


def test_the_round_that_agreed_is_known():
    agreed = moves({
        "ann": [says("42"), says("42", "nothing", agrees=["bob"])],
        "bob": [says("57"), says("42", "yes", agrees=["ann"])],
    }, query="How many?")  # fmt: skip
    assert agreed.convergence.rounds_to_convergence == 1
    assert agreed.convergence.disagreement_count == 0
    unknown = moves({"ann": ["One thing. And another."], "bob": ["Something else. And more."]})
    assert unknown.convergence.rounds_to_convergence is None
    assert unknown.convergence.disagreement_count is None


def test_who_dropped_out_is_compared_with_its_last_answer():
    moved = moves({"ann": [says(SAFE), Fault(), says(SAFE, "nothing")], "bob": [says(SAFE)] * 3})
    assert [s.round_number for s in moved.convergence.shifts if s.seat == "ann"] == [2]


def test_movement_survives_its_record():
    moved = moves({
        "ann": [says(SAFE, confidence=0.5), says(RISKY, "yes", because=["bob"], confidence=0.6)],
        "bob": [says(RISKY), says(RISKY, "nothing")],
    })  # fmt: skip
    assert from_plain(Movement, to_plain(moved)) == moved


def test_easy_agreement_is_warned_about_with_its_reasons():
    sure = {
        s: [says(first, confidence=0.9), says("42", kind, agrees=[o], confidence=0.95)]
        for s, o, first, kind in (("ann", "bob", "42", "nothing"), ("bob", "ann", "57", "yes"))
    }
    found = moves(sure, query="How many?").groupthink
    assert found.detected
    assert found.indicators == (
        "everyone is at least 80% sure",
        "nearly unanimous after reading each other (agreement 1.00)",
        "agreement rose from 0.00 to 1.00 without new evidence or arguments",
    )


def test_a_panel_that_agreed_before_it_read_anything_is_no_sign():
    sure = {s: [says("42", confidence=0.9), says("42", "nothing", agrees=[o], confidence=0.95)]
            for s, o in (("ann", "bob"), ("bob", "ann"))}  # fmt: skip
    assert not moves(sure, query="How many?").groupthink.detected


def test_agreement_without_having_read_each_other_is_no_sign():
    sure = {s: [says("42", confidence=0.9)] for s in ("ann", "bob")}
    assert not moves(sure, query="How many?").groupthink.detected


def joined(**brought):
    return moves({
        "ann": [says("42"), says("42", "nothing", agrees=["bob"])],
        "bob": [says("57"), says("42", "yes", agrees=["ann"], **brought)],
    }, query="How many?").groupthink.indicators  # fmt: skip


def test_agreement_that_rose_without_any_named_reason_is_a_sign():
    assert any("without new evidence or arguments" in i for i in joined())


@pytest.mark.parametrize(
    "brought",
    [
        {"what": "ann's arithmetic holds"},
        {"citations": (Citation(url="https://example.org/new"),)},
        {"tool_calls": ({"name": "web_search"},)},
    ],
)
def test_agreement_that_rose_with_something_new_is_none(brought):
    assert not any("without new evidence" in i for i in joined(**brought))


LINES = st.sampled_from(["42", "57", "", "It depends on you."])
KINDS = st.sampled_from([None, "nothing", "detail", "yes"])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.tuples(LINES, KINDS), min_size=1, max_size=3), min_size=2, max_size=4))
def test_no_debate_breaks_the_measures(panel):
    answers = {
        f"p{i}": [says(line, kind, because=["p0"]) for line, kind in said]
        for i, said in enumerate(panel)
    }
    moved = moves(answers)
    seats = set(answers)
    assert {f.seat for f in moved.flips} <= seats
    for row in moved.influence.matrix.values():
        assert all(v is None or 0 <= v <= 1 for v in row.values())
