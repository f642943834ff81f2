"""What is shown of an answer while it comes is the beginning of what it says in the end."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutual_dissent.analysis.answers.closing_lines import closing_lines
from mutual_dissent.analysis.answers.user_questions import without_requests
from mutual_dissent.engine.closing_filter import ClosingFilter

LINES = (
    "Plain prose here.", "A sentence: with a colon.", "", "", "---", "```", "```py", "x = 1",
    "BOTTOM LINE: yes it is", "**Bottom line:** Go.", "CONFIDENCE: 80 %", "* a bullet", "> quoted",
    "ON THE OTHERS: A agree; B partly: cost", "- C disagree: time", "CHANGED: nothing",
    "NEEDED FROM THE USER: the budget of the whole of the next year", "### Closing lines",
    "ESTIMATE: 75 people [50 to 100]", "Confidence in this is low.", "Bottom lines matter.",
    "Fazit: Ja, das geht.", "**CONFIANZA:** 80 %", "Sobre los demás: A de acuerdo", "結論：はい",
    "Estimates: none", "changed minds", "- Estimate: 3 days",
)  # fmt: skip
CLOSING = "\n\nBOTTOM LINE: yes it is\nCONFIDENCE: 80 %"


def streamed(text: str, step: int) -> str:
    passing = ClosingFilter()
    return "".join(passing.visible(text[i : i + step]) for i in range(0, len(text), step))


def in_the_end(text: str) -> str:
    plain = without_requests(text)
    read = closing_lines(plain, {"Panelist A": "a"})
    return read.prose if read else plain


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=9), st.integers(1, 12), st.booleans())
def test_what_was_shown_is_never_taken_back(lines, step, closes):
    text = "\n".join(lines) + (CLOSING if closes else "")
    assert in_the_end(text).startswith(streamed(text, step))


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abC :*`-\nBOTTOMLINE", max_size=200), st.integers(1, 7))
def test_no_text_breaks_it(text, step):
    assert in_the_end(text).startswith(streamed(text, step).rstrip())


@pytest.mark.parametrize("step", [1, 3, 1000])
def test_prose_comes_as_it_is_written_and_only_its_end_waits(step):
    text = "First things first.\n\n```py\nprint(1)\n```\n\nThen the rest of it."
    assert streamed(text, step) == text
    assert streamed(text + CLOSING, step) == text


def test_a_plan_with_estimates_keeps_them_all():
    text = "1. Build\n- Estimate: 3 days\n2. Test\n- Estimate: 2 days\n\nShip it."
    assert in_the_end(text + CLOSING) == text
    assert streamed(text + CLOSING, 4) == text


def test_a_line_without_an_end_costs_no_more_than_its_length():
    passing = ClosingFilter()
    shown = [passing.visible(piece) for piece in ["BOTTOM LINE: ", *["word "] * 200_000]]
    assert not any(shown)
