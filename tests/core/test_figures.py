"""Numbers in sentences."""

from __future__ import annotations

import pytest

from mutual_dissent.config.schema import SCHEMA
from mutual_dissent.text.numbers import figure


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0.00001, "0.00001"),
        (1e-12, "0.000000000001"),
        (-1.0, "-1"),
        (2, "2"),
        (0.3, "0.3"),
        (2_592_000.0, "2,592,000"),
        (1e22, "10,000,000,000,000,000,000,000"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
    ],
)
def test_a_number_is_written_without_an_exponent(number, written):
    assert figure(number) == written


def test_no_setting_describes_its_bounds_with_an_exponent():
    assert not [s.name for s in SCHEMA if "e+" in s.accepts.what or "e-" in s.accepts.what]
