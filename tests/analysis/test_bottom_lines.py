"""Bottom lines: who says the same, who takes no position, and when nothing is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import process_time

import pytest

from mutual_dissent.analysis.bottom_lines import (
    compare_lines,
    kind_of,
    line_of,
    takes_no_position,
    value_of,
)

ROOT = Path(__file__).parents[2]
MICRO = "Should our team of three use microservices?"
AWARD = "Who received the 2010 IEEE Frank Rosenblatt Award?"
YEAR = "In which year was James Vernon the Younger appointed Serjeant of the Chandlery?"
LANGUAGE = "Should we write the service in Rust or Go?"
VISITORS = "How many visitors came?"
SENTENCE = "'Three eager engineers agreed the release seemed deeply secure'"
LETTERS = f"How many times does the letter e occur in the sentence: {SENTENCE}?"


@dataclass(frozen=True)
class Said:
    relation: str
    confidence: float


def relation(a: str, b: str, query: str = "", judge=None) -> str | None:
    verdict = compare_lines({"p1": a, "p2": b}, query, judge).get(("p1", "p2"))
    return verdict.relation if verdict else None


SAME = [
    ("Canberra", "Canberra.", "What is the capital of Australia?"),
    ("Canberra", "**Canberra**", ""),
    ("The capital of Australia is Canberra.", "Canberra.", "What is the capital of Australia?"),
    ("Postgres", "PostgreSQL", "Which database should we use?"),
    ("Use Postgres.", "I recommend PostgreSQL.", ""),
    ("Option A", "A", ""),
    ("1691", "He was appointed in 1691.", YEAR),
    ("James Vernon was appointed in **1691**.", "On 4 May 1691.", YEAR),
    (
        "The 2010 award was received by Michio Sugeno.",
        "Michio Sugeno received the IEEE Frank Rosenblatt Award in 2010.",
        AWARD,
    ),
    ("Approximately 225", "Around 230", VISITORS),
    ("1,000", "1000 visitors came.", VISITORS),
    ("three", "3", VISITORS),
    ("$1,200", "1200 dollars", "What does it cost?"),
    ("12 %", "12 percent", "What percentage of users left?"),
    ("5 km", "5000 m", "How far is it?"),
    ("40 to 60", "between 40 and 60", VISITORS),
    ("40 - 60", "between 40 and 60", VISITORS),
    ("Go", "Go.", LANGUAGE),
    ("Go, because it compiles fast.", "Use Go.", LANGUAGE),
    ("Yes.", "Yes, it should.", MICRO),
    ("June 21, 2017", "It opened on 21 June 2017.", "On what date did it open?"),
    ("$500 a month", "USD 500 monthly", "What does it cost?"),
    ("US$500/month", "500 US dollars per month", "What does it cost?"),
    ("$500", "$500 per month", "What does it cost per month?"),
]
OTHER = [
    ("225", "230", VISITORS),
    ("Option A", "Option B", ""),
    ("Canberra", "Sydney", "What is the capital of Australia?"),
    ("Rust", "Go", LANGUAGE),
    ("Yes.", "No, not yet.", MICRO),
    ("In 1691.", "In 1702.", YEAR),
    ("40 to 50", "60 to 70", VISITORS),
    ("5 km", "5 miles", "How far is it?"),
    ("June 21, 2017", "22 June 2017", "On what date did it open?"),
    ("The bridge carries 40 tonnes.", "The bridge carries 60 tonnes.", ""),
    ("$500 per month", "USD 700/month", "What does it cost?"),
]
NOT_TOLD = [
    ("The bridge will hold.", "The bridge will collapse.", "What happens to the bridge?"),
    ("At least 40", "40", VISITORS),
    ("5 km", "5 kg", "How much is it?"),
    ("2.6", "2.61", VISITORS),
    ("In June 2017.", "On June 21, 2017.", "On what date did it open?"),
    ("John Adams", "John Quincy Adams", "Who was the president?"),
    ("Kansas", "Kansas City", "Where was he born?"),
    ("Go is worse than Rust.", "Go, clearly.", LANGUAGE),
    (
        "The University of California, Berkeley.",
        "The University of California, Los Angeles.",
        "From which university did she graduate?",
    ),
    ("The American Ann Lee won.", "The American Joe Ray won.", "Who won the race?"),
    ("Yes, it is safe.", "Yes, it is not safe.", "Is it so?"),
    ("Jones defeated Smith.", "Smith defeated Jones.", "Who defeated Smith?"),
    ("Jones defeated Smith.", "Jones was defeated by Smith.", "Who was defeated by Smith?"),
    ("Jonas.", "Jonas did not cause the outage.", "Who caused the outage?"),
    ("12 more like tea than coffee.", "12 more like coffee than tea.", "How many more like tea?"),
    ("In Paris.", "In France.", "Where was he born?"),
    ("In Wien.", "In Vienna.", "In which city is the seat?"),
    ("The President.", "Emmanuel Macron.", "Who signed it?"),
    ("Daniel Marin", "Daniel Martin", "Who won?"),
    ("10⁶", "106", "How many stars are there?"),
    ("5 mW", "5 MW", "How much power does it draw?"),
    ("At least 40", "At least 50", VISITORS),
    ("Yes.", "Spain beat France.", "Did France beat Spain?"),
    ("Yes.", "Yes, sick wolves may be shot.", "May wolves be shot?"),
    ("$500 per month", "$6,000 per year", "What does it cost?"),
    ("$500", "$500 per month", "What does it cost?"),
    ("USD 480", "EUR 480", "How much does it cost?"),
    ("US$500", "€450", "How much does it cost?"),
    ("3 times a week.", "12 times a month.", "How often should one run?"),
    ("18 times.", "18 in the first half.", LETTERS),
    ("18 times.", "The letter e occurs 18 times, if capitals are not counted.", LETTERS),
]


@pytest.mark.parametrize(("a", "b", "query"), SAME)
def test_the_same_value_in_other_words_agrees(a, b, query):
    assert relation(a, b, query) == "agree"
    assert relation(b, a, query) == "agree"


@pytest.mark.parametrize("query", [LETTERS, f"How many e are in {SENTENCE}?"])
def test_the_same_count_in_any_words_agrees(query):
    lines = [
        "The letter e occurs 18 times in the sentence.",
        'The letter "e" appears 18 times.',
        "There are 18.",
        "The sentence contains 18 e's.",
        "It has exactly 18 occurrences of the letter e.",
        "**18** instances of e.",
        f"The letter e occurs 18 times in {SENTENCE}.",
    ]
    found = compare_lines({str(n): line for n, line in enumerate(lines)}, query)
    assert len(found) == 21
    assert {v.relation for v in found.values()} == {"agree"}
    for line in lines:
        assert relation(line, "The letter e occurs 20 times in that sentence.", query) == "disagree"


@pytest.mark.parametrize(("a", "b", "query"), OTHER)
def test_another_value_disagrees(a, b, query):
    assert relation(a, b, query) == "disagree"


@pytest.mark.parametrize(("a", "b", "query"), NOT_TOLD)
def test_what_cannot_be_told_is_not_measured(a, b, query):
    assert relation(a, b, query) is None


def test_the_bridge_that_holds_and_the_bridge_that_collapses_never_agree():
    for query in ("", "Will the bridge hold?", "What will the bridge do?"):
        assert relation("The bridge will hold.", "The bridge will collapse.", query) != "agree"


def test_four_answers_that_share_only_their_flattery_are_not_measured():
    texts = {f"p{i}": f"Great question! {rest}" for i, rest in enumerate(("", "", "", ""))}
    assert compare_lines(texts, "Should we move?") == {}
    texts = {
        "p1": "Great question! Moving has many sides. Rents differ. So do schools.",
        "p2": "Great question! It depends on work. Think about family. Then about money.",
    }
    assert compare_lines(texts, "Should we move?") == {}


def test_four_times_no_in_other_words_agrees():
    lines = {
        "p1": "No, start with a monolith.",
        "p2": "A team of three should not use microservices.",
        "p3": "No.",
        "p4": "You shouldn't use microservices with a team of three.",
    }
    found = compare_lines(lines, MICRO)
    assert len(found) == 6
    assert {v.relation for v in found.values()} == {"agree"}


def test_yes_on_a_condition_is_partly_yes():
    assert relation("Yes.", "Yes, but only if you have operators.", MICRO) == "partly"


def test_ranges_that_overlap_agree_partly():
    assert relation("40 to 60", "50 to 70", VISITORS) == "partly"


def test_a_verdict_says_why_in_plain_words():
    found = compare_lines({"b": "1691", "a": "In 1691."}, YEAR)
    assert [(pair, v.source, v.reason) for pair, v in found.items()] == [
        (("a", "b"), "value", "both say 1691")
    ]
    assert compare_lines({"a": "40", "b": "60"}, VISITORS)["a", "b"].reason == "40 and 60"


@pytest.mark.parametrize(
    ("line", "query", "kind", "value"),
    [
        ("He was appointed in 1691.", YEAR, "date", "1691"),
        ("Yes, do it.", MICRO, "yes_no", "yes"),
        ("Option B", "", "choice", "b"),
        ("Go.", LANGUAGE, "choice", "go"),
        ("Rust.", "Should we use Rust, Go or Zig?", "choice", "rust"),
        ("Rust.", "Should we use Rust, Go, or Zig?", "choice", "rust"),
        ("40 - 60", VISITORS, "number", "40 to 60"),
        ("Canberra.", "What is the capital of Australia?", "name", "canberra"),
        ("About 1,200 visitors came.", VISITORS, "number", "1200"),
        ("21 June 2017", "On what date did it open?", "date", "2017-06-21"),
        ("It depends on what you value.", "How should I live?", None, None),
        ("I don't know.", YEAR, None, None),
    ],
)
def test_a_closed_answer_has_a_kind_and_a_value(line, query, kind, value):
    assert kind_of(line, query) == kind
    assert value_of(line, query) == value


REFUSALS = [
    "",
    "  \n",
    "None",
    "no answer",
    "N/A",
    "?",
    "I don't know.",
    "I'm sorry, but I can't help with that.",
    "I could not find the date.",
    "I cannot provide medical advice.",
    "As an AI language model, I do not have personal opinions.",
    "Unable to answer.",
    "It is impossible to say.",
    "The exact date is unknown.",
    "I'm not aware of such an award. Could you give me more context? I'll do my best to help.",
    "The provided sources do not mention her mother. You may need to consult a biography.",
    "He was a well known painter. However, the year of the prize is not stated in the sources.",
    "They met in 1864. I am unable to verify who won.",
    "**NETWORK ERROR**\n\n(error_code: 500)",
]
POSITIONS = [
    "No.",
    "I cannot recommend microservices for three people.",
    "I do not think the bridge will hold.",
    "I don't find the argument convincing.",
    "There is no reliable evidence that it works.",
    "There's no clear reason to migrate now.",
    "The contract does not include a penalty clause.",
    "It is not possible to exceed the speed of light.",
    "The bridge cannot hold 40 tonnes.",
    "I'm not sure, but I would pick Go.",
    "I'm sorry to say it, but the plan will fail.",
    "I can't give an exact date, but it was around 1691.",
    "The sources do not say so. However, historical records indicate that it was in 1695.",
    "Given limited information, choose Go.",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_no_position(text):
    assert takes_no_position(text)
    assert compare_lines({"a": text, "b": text}) == {}


@pytest.mark.parametrize("text", POSITIONS)
def test_an_answer_that_hedges_and_then_answers_has_a_position(text):
    assert not takes_no_position(text)


ESSAY = (
    "Microservices split a system into parts. Each part is deployed alone. That has a price: "
    "networks fail and tracing gets hard.\n\n## Costs\n\n- Operations\n- Latency\n\n"
    "A monolith keeps calls in one process. It can be split later."
)


@pytest.mark.parametrize(
    ("text", "query", "line"),
    [
        ("He was appointed in **1691**.", YEAR, "He was appointed in 1691."),
        ("**Go.** It compiles fast. Hiring is easy.", LANGUAGE, "Go."),
        ("No, start with a monolith. It is simpler.", MICRO, "No, start with a monolith."),
        ("Great question!", "", None),
        ("Great question! Canberra.", "What is the capital of Australia?", "Canberra."),
        (ESSAY, MICRO, None),
        (ESSAY, "How do microservices differ from a monolith?", None),
        ("## Answer\n\nHere is a plan:\n\n1. Buy\n2. Sell", "What should I do?", None),
        ("A long essay. With reasons.\n\nBottom line: Go.", LANGUAGE, "Go."),
        ("I don't know.", YEAR, None),
        ("", "", None),
    ],
)
def test_the_line_of_an_answer_is_its_answer_or_nothing(text, query, line):
    assert line_of(text, query) == line


def test_the_embedded_model_counts_only_when_it_is_sure():
    a, b = "The bridge will hold the lorry.", "The bridge can carry the lorry."
    assert relation(a, b, judge=lambda pairs: [Said("agree", 0.99)]) == "agree"
    assert relation(a, b, judge=lambda pairs: [Said("agree", 0.6)]) is None
    assert relation(a, b, judge=lambda pairs: [Said("unrelated", 1.0)]) is None


def test_the_embedded_model_cannot_make_other_numbers_or_a_denial_agree():
    def sure(pairs):
        return [Said("agree", 1.0) for _ in pairs]

    assert relation("It is safe to use at home.", "It is not safe to use.", judge=sure) is None
    assert relation("It will cost 40 more.", "It is 60 that we will pay.", judge=sure) is None


def test_the_model_makes_no_contradiction_of_the_same_answer_with_other_reserves():
    query = "Should a small town close its main street to cars on Saturdays?"
    one = "No, a town should not close its street every Saturday; a few Saturdays are better."
    other = "No, an average town should close it for single events, not every Saturday."
    assert relation(one, other, query, judge=lambda pairs: [Said("disagree", 0.99)]) is None


def test_the_embedded_model_is_asked_about_short_english_claims_only():
    asked: list[tuple[str, str]] = []

    def judge(pairs):
        asked.extend(pairs)
        return [Said("agree", 1.0) for _ in pairs]

    compare_lines({"a": ESSAY, "b": ESSAY + " So wait."}, MICRO, judge)
    compare_lines({"a": "Bauen wir das Haus im Tal.", "b": "Das Haus gehört ins Tal."}, "", judge)
    compare_lines({"a": "Build.", "b": "Wait."}, "", judge)
    assert asked == []


HOSTILE = [
    "9" * 100_000,
    "1," * 50_000,
    "1.000." * 20_000,
    "a" * 100_000,
    "**" * 50_000,
    "(" * 100_000,
    "[" * 50_000 + "](" * 20_000,
    "Dr. " * 25_000,
    '"' * 100_000,
    "No, " * 25_000,
    "I do not have " * 8_000,
    "the sources do not " * 5_000,
    "is not " * 15_000,
    "A, B and C, " * 9_000,
    "\n" * 100_000,
    "January 1, " * 9_000,
    "i can " * 16_000,
    "of the " * 15_000,
    "\u202e\u0000\ufeff" * 30_000,
    "e\u0301" * 50_000,
    "ﬃ" * 30_000,
    "𝟗" * 30_000,
    "١٢٣ " * 25_000,
    "1e999999999 " * 9_000,
    "不" * 100_000,
    "\ud800" * 100,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_read_fast_and_never_breaks(text):
    began = process_time()
    for query in ("", VISITORS, AWARD, text):
        takes_no_position(text)
        line_of(text, query)
        kind_of(text, query)
        value_of(text, query)
        compare_lines({"a": text, "b": text[:-1], "c": "40"}, query)
    assert process_time() - began < 3


def test_many_seats_are_compared_in_bounded_time():
    began = process_time()
    lines = {f"p{i}": f"About {i} visitors came, says Ann Lee of Exeter." for i in range(400)}
    compare_lines(lines, VISITORS)
    assert process_time() - began < 5


@pytest.fixture
def strangers(shared, monkeypatch):
    """The measure on real models' answers, which `make bench` prints."""
    monkeypatch.syspath_prepend(ROOT)
    from bench import strangers

    return strangers


@pytest.mark.shared
def test_real_models_answers_are_told_apart_as_well_as_promised(strangers):
    found = strangers.figures()
    shares = found.shares
    assert shares["decided"] >= 0.45
    assert shares["right of decided"] >= 0.9
    assert shares["the wrong way round"] <= 0.02
    assert shares["refusals recognised"] >= 0.9
    assert shares["answers taken for refusals"] <= 0.03
    assert found.false_unanimity == 0
