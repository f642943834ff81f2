"""Promises of the consensus of a round."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.debates import Fault, Said, transcript
from fakes.readers import debated
from mutual_dissent.analysis.answers.closing_names import NAMES
from mutual_dissent.analysis.rounds.consensus import consensus, dissenters, is_split, majority
from mutual_dissent.analysis.rounds.key_points import key_points
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.core.codec.plain import from_plain, to_plain
from mutual_dissent.core.events import RoundEnded
from mutual_dissent.core.measures import Consensus


def line(text, **more):
    further = "".join(f"\n{name.upper()}: {value}" for name, value in more.items())
    return f"Because.\n\nBOTTOM LINE: {text}{further}"


def closes(text, changed="nothing", **views):
    said = "; ".join(f"{seat} {word}" for seat, word in views.items())
    return f"{line(text)}\nON THE OTHERS: {said}\nCHANGED: {changed}"


def last(answers, **more):
    found = consensus_of(transcript(answers, **{"query": "Rust or Go?", **more}))
    return found[max(found)]


def relations(found):
    return {(p.a, p.b): p.relation for p in found.pairs}


def test_who_agrees_with_whom_is_what_the_panel_itself_says():
    found = last({
        "ann": [line("Go."), closes("Go.", bob="agree", cyd="disagree: the horizon")],
        "bob": [line("Golang is right."), closes("Golang.", ann="agree", cyd="disagree: hiring")],
        "cyd": [line("Rust."), closes("Rust.", ann="disagree: the horizon", bob="disagree")],
    })  # fmt: skip
    assert found.analyzer == "panel"
    assert relations(found) == {
        ("ann", "bob"): "agree", ("ann", "cyd"): "disagree", ("bob", "cyd"): "disagree",
    }  # fmt: skip
    assert [c.members for c in found.clusters] == [("ann", "bob"), ("cyd",)]
    assert [c.summary for c in found.clusters] == ["Go.", "Rust."]
    assert majority(found) == ("ann", "bob")
    assert dissenters(found) == ("cyd",)
    assert found.agreement_level == pytest.approx(1 / 3, abs=1e-3)
    assert found.disagreement_points == ("ann and cyd: the horizon", "bob and cyd: hiring")
    (conflict,) = found.conflicts
    assert conflict.issue == "the horizon; hiring"
    assert {p.seat: p.stance for p in conflict.positions}["cyd"] == "Rust."


def test_where_two_see_it_differently_it_is_partly_and_shown_as_such():
    found = last({
        "ann": [line("Go."), closes("Go.", bob="agree")],
        "bob": [line("Go, mostly."), closes("Go, mostly.", ann="disagree: the team")],
    })  # fmt: skip
    (pair,) = found.pairs
    assert (pair.relation, pair.a_says, pair.b_says) == ("partly", "agree", "disagree")
    assert pair.reason == "ann says agree, bob says disagree"
    assert found.common_ground == ()


def test_a_view_of_an_answer_that_was_given_up_counts_for_nothing():
    """Bob had disagreed and came round: what ann said about his old answer is about nobody's."""
    found = last({
        "ann": [line("Go."), closes("Go.", bob="disagree: speed")],
        "bob": [line("Rust."), closes("Go.", "yes: from Rust to Go, because of ann", ann="agree")],
    })  # fmt: skip
    assert relations(found) == {("ann", "bob"): "agree"}
    assert not is_split(found)


def test_when_both_gave_up_what_the_other_had_read_their_bottom_lines_are_compared():
    found = last({
        "ann": [line("Go."), closes("Rust.", "yes: from Go to Rust", bob="disagree")],
        "bob": [line("Rust."), closes("Go.", "yes: from Rust to Go", ann="disagree")],
    })  # fmt: skip
    (pair,) = found.pairs
    assert (pair.relation, pair.source) == ("disagree", "value")


def test_before_anybody_has_read_anybody_bottom_lines_are_compared_by_value():
    found = last({"ann": [line("Go.")], "bob": [line("Use Go.")], "cyd": [line("Rust.")]})
    assert found.analyzer == "values"
    assert relations(found)["ann", "cyd"] == "disagree"


def test_what_nobody_can_tell_is_not_measured_and_no_share_of_a_mean():
    open_lines = {
        "ann": [line("It hinges on what your colleagues enjoy and on how long they will stay.")],
        "bob": [line("Nobody outside your company should answer that for you at all.")],
    }
    found = last(open_lines)
    assert (found.agreement_level, found.analyzer, found.decided) == (None, "nobody", 0.0)
    assert relations(found) == {("ann", "bob"): "unmeasured"}
    assert "1 not measured" in found.reasoning


def test_too_few_measured_pairs_give_no_level():
    found = last({
        "ann": [line("Go."), closes("Go.", bob="agree")],
        "bob": [line("Go."), closes("Go.", ann="agree")],
        "cyd": [line("x"), closes("Ask those who will have to live with it.")],
        "dan": [line("x"), closes("Your own history says more than any panel could.")],
    })  # fmt: skip
    assert found.agreement_level is None
    assert found.clusters[0].members == ("ann", "bob")


def test_who_takes_no_position_is_in_no_group():
    found = last({
        "ann": [line("Go.")], "bob": [line("none")], "cyd": ["I'm sorry, I can't help with that."],
    })  # fmt: skip
    assert found.silent == ("bob", "cyd")
    assert [c.members for c in found.clusters] == [("ann",)]
    assert found.agreement_level is None
    assert found.reasoning == "One position to compare. 2 took no position."


def test_who_agrees_in_part_only_has_a_position_of_its_own():
    found = last({
        "ann": [line("Go."), closes("Go.", bob="partly: hiring", cyd="agree")],
        "bob": [line("Go, later."), closes("Go, later.", ann="partly: hiring", cyd="partly")],
        "cyd": [line("Go."), closes("Go.", ann="agree", bob="partly")],
    })  # fmt: skip
    assert [c.members for c in found.clusters] == [("ann", "cyd"), ("bob",)]
    assert found.nuances.partial[0] == "ann and bob: hiring"
    assert not is_split(found)
    assert dissenters(found) == ()


def test_one_reservation_among_many_agreements_parts_nobody():
    found = last({
        "ann": [line("Go."), closes("Go.", bob="agree", cyd="partly: hiring")],
        "bob": [line("Go."), closes("Go.", ann="agree", cyd="agree")],
        "cyd": [line("Go."), closes("Go.", ann="agree", bob="agree")],
    })  # fmt: skip
    assert [c.members for c in found.clusters] == [("ann", "bob", "cyd")]


def test_nobody_shares_a_group_with_its_contradictor():
    found = last({
        "ann": [line("a"), closes("Go.", bob="agree", cyd="disagree")],
        "bob": [line("b"), closes("Go or Rust.", ann="agree", cyd="agree")],
        "cyd": [line("c"), closes("Rust.", ann="disagree", bob="agree")],
    })  # fmt: skip
    assert not any({"ann", "cyd"} <= set(c.members) for c in found.clusters)


def test_two_who_both_agree_with_a_third_agree():
    """As played: two who corrected themselves had each disagreed with what the other gave up."""
    corrected = "yes: from {} to 01:22"
    found = last({
        "ann": [line("01:22."), closes("At 01:22.", bob="disagree", cyd="disagree")],
        "bob": [line("00:22."),
                closes("01:22 local.", corrected.format("00:22"), ann="agree", cyd="disagree")],
        "cyd": [line("01:12."),
                closes("It is 01:22.", corrected.format("01:12"), ann="agree", bob="disagree")],
    }, query="When does it arrive?")  # fmt: skip
    assert set(relations(found).values()) == {"agree"}
    assert [c.members for c in found.clusters] == [("ann", "bob", "cyd")]


def test_those_who_agree_in_part_count_to_the_majority_that_somebody_contradicts():
    found = last({
        "ann": [line("Keep it."), closes("Keep it.", bob="agree", cyd="partly", dan="disagree")],
        "bob": [line("Keep it."), closes("Keep it.", ann="agree", cyd="partly", dan="disagree")],
        "cyd": [line("Keep it for good."),
                closes("Keep it for good.", ann="partly", bob="partly", dan="disagree")],
        "dan": [line("Drop it."),
                closes("Drop it.", ann="disagree", bob="disagree", cyd="disagree")],
    })  # fmt: skip
    assert majority(found) == ("ann", "bob", "cyd")
    assert dissenters(found) == ("dan",)


def test_estimates_agree_where_each_lies_in_the_others_range():
    found = last({
        "ann": [line("About 75.", estimate="75 people [50 to 100]")],
        "bob": [line("Some 80.", estimate="80 people [60 to 120]")],
        "cyd": [line("A thousand.", estimate="1,000 people [800 to 1,500]")],
    }, mode="delphi", query="How many piano tuners are there?")  # fmt: skip
    assert found.analyzer == "estimates"
    assert relations(found) == {
        ("ann", "bob"): "agree", ("ann", "cyd"): "disagree", ("bob", "cyd"): "disagree",
    }  # fmt: skip


def test_ranges_that_only_meet_do_not_make_one_position():
    """As played: 12,000 and 25,000 words a day, and three who say that they disagree."""
    views = {"ann": "disagree", "bob": "agree"}
    found = last({
        "ann": ["x", line("15,500.", estimate="15,500 words [11,000 to 18,000]")
                + "\nON THE OTHERS: bob agree; cyd disagree"],
        "bob": ["x", line("15,000.", estimate="15,000 words [9,000 to 21,000]")
                + "\nON THE OTHERS: ann agree; cyd disagree"],
        "cyd": ["x", line("25,000.", estimate="25,000 words [14,000 to 32,000]")
                + f"\nON THE OTHERS: ann {views['ann']}; bob partly: the range"],
    }, mode="delphi", query="How many words?")  # fmt: skip
    assert [c.members for c in found.clusters] == [("ann", "bob"), ("cyd",)]
    assert relations(found)["ann", "cyd"] == "disagree"
    assert dissenters(found) == ("cyd",)


def test_the_embedded_model_is_asked_about_bottom_lines_alone():
    asked = []

    def judge(pairs):
        asked.extend(pairs)
        verdict = type("V", (), {"relation": "agree", "confidence": 0.99, "reason": "same"})()
        return [verdict for _ in pairs]

    t = transcript({
        "ann": [("A long essay about many things.\n\nBOTTOM LINE: Small teams should keep one "
                "deployable program.")],
        "bob": [("Another essay.\n\nBOTTOM LINE: A team of this size is best served by a single "
                "application.")],
    }, query="How should we build it?")  # fmt: skip
    found = consensus(t, t.rounds[0], judge)
    assert found.pairs[0].source == "claim"
    assert all("essay" not in text for pair in asked for text in pair)


def test_one_answer_alone_and_none_at_all_are_no_agreement():
    one = last({"ann": ["Canberra."], "bob": [Fault()]})
    assert (one.agreement_level, one.pairs, one.reasoning) == (None, (), "One position to compare.")
    nobody = last({"ann": [Fault()], "bob": [Fault()]})
    assert (nobody.agreement_level, nobody.clusters) == (None, ())


def test_a_consensus_survives_its_record():
    found = last({"ann": [line("Go.")], "bob": [line("Rust.")]})
    assert from_plain(Consensus, to_plain(found)) == found


def test_what_earlier_versions_guessed_from_words_is_not_read():
    t = transcript({"ann": [line("Go.")], "bob": [line("Go.")]})
    found = t.rounds[0].measures
    guessed = replace(found.consensus, analyzer="rules")
    measures = replace(found, agreement=0.2, measure="rules", consensus=guessed)
    ended = RoundEnded(at=t.created_at, round_number=0, role="initial", measures=measures)
    old = t.apply(ended.with_seq(t.last_seq + 1))
    assert consensus_of(old) == {}
    assert (old.agreement, old.rounds[0].agreement) == (None, None)


def test_key_points_are_the_answers_own_or_its_bottom_line():
    said = {"position": "P", "key_points": ("one", "two", "three", "four")}
    t = transcript({"ann": [Said("x", said)], "bob": [line("Go.")]})
    ann, bob = t.rounds[0].responses
    assert key_points(ann) == ("one", "two", "three")
    assert key_points(bob) == ("Go.",)
    assert key_points(replace(bob, closing=None, content="One. Two. Three. " * 40)) == ()


WORDS = st.sampled_from(["agree", "partly: cost", "disagree: time", "", "nonsense"])
SEATS = ("ann", "bob", "cyd", "dan")


@st.composite
def panels(draw):
    return {
        seat: [
            line(draw(st.sampled_from(["Go.", "Rust.", "none", "It hinges on you."]))),
            closes(
                draw(st.sampled_from(["Go.", "Rust.", "none"])),
                draw(st.sampled_from(["nothing", "yes: from Go to Rust, because of ann", "?"])),
                **{o: draw(WORDS) for o in SEATS if o != seat},
            ),
        ]
        for seat in SEATS
    }


@settings(max_examples=60, deadline=None)
@given(panels())
def test_levels_are_levels_and_everyone_with_a_position_is_in_one_group(answers):
    for found in consensus_of(transcript(answers)).values():
        assert found.agreement_level is None or 0 <= found.agreement_level <= 1
        members = [m for c in found.clusters for m in c.members]
        assert sorted([*members, *found.silent]) == sorted(SEATS)
        for pair in found.pairs:
            if pair.relation == "disagree":
                assert not any({pair.a, pair.b} <= set(c.members) for c in found.clusters)


@settings(max_examples=30, deadline=None)
@given(panels(), st.randoms(use_true_random=False))
def test_the_order_of_the_panel_changes_nothing(answers, dice):
    seats = list(answers)
    dice.shuffle(seats)
    again = debated({s: answers[s] for s in seats}, synthesis=None)
    usual = debated(answers, synthesis=None)
    assert consensus(again, again.rounds[1]) == consensus(usual, usual.rounds[1])


def test_every_closing_line_has_a_name_that_the_prompts_use():
    from mutual_dissent.prompts.library import Library

    library = Library()
    texts = [library.text(f"common/{n}") for n in ("closing", "closing-others", "closing-changed")]
    assert all(f"{name}:" in "\n".join(texts) for name in NAMES)


MOVE = "We pay 14,000 dollars a month. Should we move to Hetzner, and what would it save us?"


@pytest.mark.parametrize("query", [
    MOVE, "What would it cost to move, and is it worth it?",
    "Move or stay, and what would it save?",
    "Lohnt sich der Umzug, und wie viel sparen wir?", "Tell us whether to move, and what it saves.",
])  # fmt: skip
def test_one_figure_with_opposite_decisions_is_no_agreement(query):
    found = last({
        "ann": [line("Yes, move.", estimate="8,550 dollars a month [6,000 to 11,000]")],
        "bob": [line("No: the risk is not worth it.", estimate="8,550 dollars [6,000 to 11,000]")],
    }, query=query)  # fmt: skip
    assert relations(found)["ann", "bob"] != "agree"


def test_decisions_are_compared_without_the_figures_beside_them():
    found = last({
        "ann": [line("Yes, move: it saves 8,550 dollars a month.", estimate="8,550 dollars/month")],
        "bob": [line("Yes, move; about $2,000 monthly.", estimate="2,000 dollars/month")],
        "cyd": [line("No.", estimate="8,500 dollars per month")],
        "dan": [line("Yes, if it saves 8,550 dollars a month.", estimate="8,550 dollars monthly")],
    }, query=MOVE)  # fmt: skip
    assert relations(found)["ann", "bob"] == "agree"
    assert relations(found)["ann", "cyd"] == relations(found)["bob", "cyd"] == "disagree"
    assert relations(found)["ann", "dan"] != "agree"  # a condition is more than a figure


@pytest.mark.parametrize("query", [
    "How many people should we hire?", "What would it save us to move?", "Do a guess: how many?",
    "We should be careful. How much, in dollars, does it cost?", "Wie viele sind es?",
])  # fmt: skip
def test_where_a_quantity_alone_is_asked_for_the_ranges_decide(query):
    found = last({
        "ann": [line("You need 75 of them.", estimate="75 people [50 to 100]")],
        "bob": [line("It comes to some 80.", estimate="80 people [60 to 120]")],
    }, query=query)  # fmt: skip
    assert relations(found) == {("ann", "bob"): "agree"}
