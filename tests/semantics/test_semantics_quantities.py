"""Quantities are read in digits and words, and compared in the same unit."""

import pytest

from mutual_dissent.semantics.cues.marks import cue
from mutual_dissent.semantics.cues.quantities import (
    equal,
    harmonise,
    numbers_clash,
    quantities,
    within_bounds,
)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("an hour and a half", "90 minutes"),
        ("a day and a half", "36 hours"),
        ("half a million dollars", "$500,000"),
        ("a dozen", "12"),
        ("one in four", "25 %"),
        ("two thirds", "67 percent"),
        ("0.2 seconds", "200 ms"),
        ("3.5 kilos", "3,500 grams"),
        ("two years", "24 months"),
        ("a fortnight", "14 days"),
        ("fifteen hundred", "1,500"),
        ("twenty-one", "21"),
        ("five kilometres", "5,000 metres"),
        ("every two weeks", "every fortnight"),
        ("twice a day", "2 times per day"),
        ("every other week", "every fourteen days"),
        ("10 euros a month", "120 euros per year"),
        ("weekly", "every Monday"),
        ("5 pm", "17:00"),
        ("5:30 p.m.", "17:30"),
        ("noon", "12:00"),
        ("30 degrees Celsius", "86 °F"),
        ("2 h 30 min", "two and a half hours"),
        ("2h30", "150 minutes"),
        ("two hours and thirty minutes", "150 minutes"),
        ("60 mph", "97 km/h"),
        ("€2bn", "two billion euros"),
        ("60 requests per minute", "one request per second"),
        ("60k a year", "5,000 a month"),
        ("1 TB", "1,024 gigabytes"),
        ("doubled", "100 percent"),
        ("50m", "50 metres"),
        ("$5m", "five million dollars"),
        ("about 330 metres", "324 m"),
        ("just under seven percent", "6.7 %"),
        ("one worker in twenty", "5 %"),
    ],
)
def test_the_same_amount_in_other_words_is_equal(one, two):
    assert equal(quantities(one)[0], quantities(two)[0])


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("in 1839", "in 1893"),
        ("three hours", "three days"),
        ("12", "13"),
        ("half", "a third"),
        ("$5", "€5"),
        ("daily", "once a month"),
        ("5 pm", "5 am"),
        ("2 percent", "2 percentage points"),
        ("10 euros a month", "10 euros"),
    ],
)
def test_different_amounts_are_not_equal(one, two):
    assert not equal(quantities(one)[0], quantities(two)[0])


def test_an_equal_amount_is_put_in_the_first_texts_words():
    said = harmonise("The film is 90 minutes long.", "It runs for an hour and a half.")
    assert said == "It runs for 90 minutes."


def test_a_number_inside_a_bound_does_not_clash_and_one_outside_does():
    assert within_bounds("more than 50 employees", "80 employees")
    assert not numbers_clash("more than 50 employees", "80 employees")
    assert numbers_clash("fewer than 50 employees", "80 employees")
    assert not numbers_clash("between three and five hours", "four and a half hours")
    assert numbers_clash("between three and five hours", "nine hours")
    assert numbers_clash("just over two hours", "close to three hours")


def test_texts_without_common_numbers_say_nothing():
    assert numbers_clash("no numbers here", "12 apples") is None


def test_a_year_that_must_be_worked_out_is_no_conflict_of_numbers():
    assert cue("It was begun in 2010 and took 4 years.", "It was planned in 2008.") is None
