"""Estimates are put together where they are of one unit, however it is written."""

from __future__ import annotations

import pytest

from mutual_dissent.core.figures.estimates import same_unit


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("€", "euros al año"),
        ("hours", "h"),
        ("Std.", "Stunden"),
        ("", "people"),
        ("person", "persons"),
        ("m", "metres"),
    ],
)
def test_the_same_unit_in_other_words_is_the_same(one, other):
    assert same_unit(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("euros a month", "euros a year"), ("km", "miles"), ("hours", "days"), ("ms", "m")],
)
def test_other_units_are_others(one, other):
    assert not same_unit(one, other)
