"""Quantities are read in digits and words, and compared in the same unit."""

import pytest

from mutual_dissent.semantics.quantities import (
    equal,
    harmonised,
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
        ("10 euros a month", "10 euros"),
    ],
)
def test_different_amounts_are_not_equal(one, two):
    assert not equal(quantities(one)[0], quantities(two)[0])


def test_an_equal_amount_is_put_in_the_first_texts_words():
    said = harmonised("The film is 90 minutes long.", "It runs for an hour and a half.")
    assert said == "It runs for 90 minutes."


def test_a_number_inside_a_bound_does_not_clash_and_one_outside_does():
    assert within_bounds("more than 50 employees", "80 employees")
    assert not numbers_clash("more than 50 employees", "80 employees")
    assert numbers_clash("fewer than 50 employees", "80 employees")
    assert not numbers_clash("between three and five hours", "four and a half hours")
    assert numbers_clash("between three and five hours", "nine hours")


def test_texts_without_common_numbers_say_nothing():
    assert numbers_clash("no numbers here", "12 apples") is None
