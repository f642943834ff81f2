"""Promises of the comparison by rules, on pairs written for it by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.debates import Said, panelist, response
from mutual_dissent.analysis.relations import (
    Relation,
    Verdict,
    by_rules,
    by_table,
    by_text,
    by_texts,
    relation,
)

AGREE = [
    ("Remote work increases productivity.", "Productivity rises with remote work."),
    ("Developers need tests.", "Software engineers need tests."),
    ("Nuclear power is not dangerous.", "Nuclear power is safe."),
    ("The bridge is unsafe.", "The bridge is not safe."),
    ("Canberra.", "It is Canberra."),
    ("The capital of Australia is Canberra.", "Canberra is the capital of Australia."),
    ("Python is slower than Go.", "Go is faster than Python."),
    ("A train is cheaper than a plane.", "A plane is more expensive than a train."),
    ("The flight takes 60 minutes.", "The flight takes one hour."),
    ("The road is 5 km long.", "The road is 5,000 meters long."),
    ("About 8 million people live there.", "Some 8.1 million people live there."),
    ("Unemployment fell to 4%.", "Unemployment declined to 4 percent."),
    ("Yes, the law should pass.", "Yes. It would help the poor."),
    ("No, that is a myth.", "No, there is nothing behind it."),
    ("You should avoid public WiFi.", "You should not use public WiFi."),
    ("It is not true that sugar causes hyperactivity.", "Sugar does not cause hyperactivity."),
    ("I don't think the merger is legal.", "The merger is illegal."),
    ("Physicians recommend exercise.", "Doctors recommend exercise."),
    ("The experiment was a success.", "The experiment did not fail."),
    ("Use TypeScript for the frontend.", "I would choose TypeScript for the frontend."),
    ("The moon has no atmosphere.", "The moon lacks an atmosphere."),
    ("The policy is unfair.", "The policy isn't fair."),
]
DISAGREE = [
    ("AI is dangerous.", "AI is not dangerous."),
    ("AI is dangerous.", "AI is safe."),
    ("Coffee is healthy.", "Coffee is unhealthy."),
    ("Canberra.", "Sydney."),
    ("42", "41"),
    ("The capital of Australia is Canberra.", "The capital of Australia is Sydney."),
    ("Canberra is the capital of Australia.", "Sydney is the capital of Australia."),
    ("Python is faster than Go.", "Go is faster than Python."),
    ("A train is cheaper than a plane.", "A train is more expensive than a plane."),
    ("The flight takes 60 minutes.", "The flight takes 3 hours."),
    ("The tower is 330 m tall.", "The tower is 200 m tall."),
    ("At least 50% of users agree with it.", "Fewer than 30% of users agree with it."),
    ("The war ended in 1945.", "The war ended in 1918."),
    ("Prices will rise next year.", "Prices will fall next year."),
    ("Yes, we should migrate.", "No, we should not migrate."),
    ("Yes.", "No."),
    ("You should avoid eating meat.", "You should eat meat."),
    ("I don't think AI is dangerous.", "AI is dangerous."),
    ("It is false that vaccines cause autism.", "Vaccines cause autism."),
    ("All swans are white.", "Not all swans are white."),
    ("Everyone should vote.", "Nobody should vote."),
    ("I recommend Postgres.", "I recommend MongoDB."),
    ("Choose Rust over C++.", "Choose C++ over Rust."),
    ("Use tabs instead of spaces.", "Use spaces instead of tabs."),
    ("The treatment is effective.", "The treatment is useless."),
    ("The company made a profit.", "The company made a loss."),
    ("Hamlet was written by Shakespeare.", "Hamlet was written by Marlowe."),
    ("Taxes on sugar are a good idea.", "Taxes on sugar are a bad idea."),
    ("We oppose the new law.", "We support the new law."),
    ("The drug must never be given to children.", "The drug can be given to children."),
    ("Working from home is efficient.", "Working from home is wasteful."),
    ("Democracy requires education.", "Democracy doesn't require education."),
]
PARTIAL = [
    ("Microservices are beneficial.", "Microservices are beneficial if the team is large."),
    ("Yes, use a cache.", "Yes, but only if reads dominate."),
    ("All birds can fly.", "Most birds can fly."),
    ("The vaccine works.", "The vaccine may work."),
    ("Remote work is good.", "Remote work is bad unless people meet sometimes."),
]
UNRELATED = [
    ("The recipe needs two eggs.", "Quantum computers exploit superposition."),
    ("Mozart lived in Vienna.", "Interest rates rose sharply."),
    ("Cats sleep a lot.", "The contract expires in June."),
]
UNCERTAIN = [
    ("", "Something."),
    ("Coffee is tasty.", "Coffee comes from Ethiopia."),
    ("We should not use Rust.", "We should use Go."),
    ("The team shipped late because of scope.", "The team lost two people before the release."),
]
TABLE = [
    *((a, b, Relation.AGREE) for a, b in AGREE),
    *((a, b, Relation.DISAGREE) for a, b in DISAGREE),
    *((a, b, Relation.PARTIAL) for a, b in PARTIAL),
    *((a, b, Relation.UNRELATED) for a, b in UNRELATED),
    *((a, b, Relation.UNCERTAIN) for a, b in UNCERTAIN),
]


@pytest.mark.parametrize(("a", "b", "expected"), TABLE)
def test_pairs_are_judged_as_a_reader_would(a, b, expected):
    found = relation(a, b)
    assert found.relation is expected, found
    assert relation(b, a).relation is expected


def said(seat, text, **fields):
    return response(panelist(seat), "initial", 0, Said(text, fields))


def test_opposite_stances_disagree_whatever_the_words_are():
    a = said("a", "The plan has merits.", stance="for")
    b = said("b", "The plan has merits.", stance="against")
    assert by_rules(a, b).relation is Relation.DISAGREE


def test_the_same_stance_is_agreement_where_words_do_not_tell():
    a = said("a", "Its costs are modest.", stance="for")
    b = said("b", "Voters asked us for years.", stance="for")
    assert by_rules(a, b).relation is Relation.AGREE
    neutral = [said(s, t, stance="neutral") for s, t in (("a", "Cats purr."), ("b", "Rain fell."))]
    assert by_rules(*neutral).relation is not Relation.AGREE


def test_the_position_counts_before_the_rest_of_the_answer():
    a = said("a", "x", position="Tea is healthy.", reasoning="Some say that tea is unhealthy.")
    b = said("b", "x", position="Tea is healthy.", reasoning="It has been drunk for ages.")
    assert by_rules(a, b).relation is Relation.AGREE


def test_a_long_answer_is_judged_by_its_main_claim():
    filler = " The history of the matter is long and has many sides." * 20
    a = "Nuclear power is safe." + filler
    b = "Nuclear power is dangerous." + filler
    assert relation(a, b).relation is Relation.DISAGREE


def test_a_concession_is_not_the_claim():
    a = "While nuclear power is dangerous, its reactors are cheap."
    b = "Nuclear reactors are cheap."
    assert relation(a, b).relation is Relation.AGREE


def test_whoever_knows_better_judges_texts_or_seats():
    a, b = said("a", "one"), said("b", "two")
    told = Verdict(Relation.PARTIAL, 0.7, "said so")
    assert by_text(lambda x, y: told)(a, b) is told
    assert by_table({("b", "a"): told})(a, b) is told
    assert by_table({})(a, b).relation == by_rules(a, b).relation


def test_the_answers_of_a_round_are_read_at_once():
    answers = [said("a", "one"), said("b", "two"), said("c", "three")]
    asked: list[list[tuple[str, str]]] = []

    def read(pairs):
        asked.append(list(pairs))
        return [Verdict(Relation.PARTIAL, 0.7, f"{a} and {b}") for a, b in pairs]

    compare = by_texts(read, answers)
    assert compare(answers[2], answers[0]).reason == "one and three"
    assert asked == [[("one", "two"), ("one", "three"), ("two", "three")]]
    assert compare(answers[0], said("d", "four")).reason == "one and four"


def test_a_reason_is_given_in_words_that_were_used():
    assert "'safe'" in relation("AI is safe.", "AI is dangerous.").reason
    assert "1945" in relation("It ended in 1945.", "It ended in 1918.").reason


WORDS = st.sampled_from(
    "AI is not safe dangerous 5 10 % never if all some than faster use Rust Go yes no , . ? the "
    "without instead of deny that false cheaper 1945 km $ 😀 - don't unless".split()
)
TEXTS = st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=200)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS)
def test_the_order_of_a_pair_does_not_matter(a, b):
    one, other = relation(a, b), relation(b, a)
    assert one.relation is other.relation
    assert 0.0 <= one.confidence <= 1.0
    assert one.reason


@settings(max_examples=100, deadline=None)
@given(TEXTS.filter(lambda t: t.strip()))
def test_an_answer_agrees_with_itself(text):
    assert relation(text, text).relation is Relation.AGREE
