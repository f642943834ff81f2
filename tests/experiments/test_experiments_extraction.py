"""Answers are found in what models write, and compared fairly."""

from __future__ import annotations

import pytest

from mutual_dissent.experiments.design.extraction import add_instruction, extract_answer, is_right

CASES = [
    ("number", "2 + 2 = 4.\nAnswer: 4", "4"),
    ("number", "**Answer:** 1,234.50", "1234.5"),
    ("number", "First 3, then 7.\n#### 42", "42"),
    ("number", "so $\\boxed{-7}$ it is, not 12", "-7"),
    ("number", "The final answer is $18 per day, out of 20.", "18"),
    ("number", "He has 3 and 5, together 8", "8"),
    ("number", "nothing to see", None),
    ("number", "Answer: 3\nNo, wait.\nAnswer: 5", "5"),
    ("choice", "A looks good, but...\nAnswer: (C)", "C"),
    ("choice", "The correct answer is b.", "B"),
    ("choice", "I think A is wrong and D is right", "D"),
    ("choice", "a cat and an apple", None),
    ("choice", "It is B. I hope this helps.", "B"),
    ("choice", "B fits best. A closer look at the rest shows why.", "B"),
    ("choice", "C\n\nA **small** remark: I, too, had doubts.", "C"),
    ("choice", "Answer: I think D", "D"),
    ("choice", "Answer: I don't know", None),
    ("choice", "Answer: I", "I"),
    ("choice", "Answer: A photosynthesis", "A"),
    ("choice", "Not B. I is right.", "I"),
    ("choice", "Not B.\n(I) would do.", "I"),
    ("choice", "Not B. Option I describes it.", "I"),
    ("choice", "B is wrong. A is right.", "A"),
    ("choice", "B is wrong. A best fits the data.", "A"),
    ("choice", "B is wrong. A, because it rains.", "A"),
    ("choice", "B is wrong: A with some confidence", "A"),
    ("choice", "B is wrong, so I choose A without doubt", "A"),
    ("choice", "Not B.\n\n**A**", "A"),
    ("choice", "Not B.\n\nA) the first", "A"),
    ("yes-no", "Yes, because there is no doubt.", "yes"),
    ("yes-no", "It depends.\nAnswer: No", "no"),
    ("yes-no", "True", "yes"),
    ("yes-no", "Perhaps.", None),
    ("text", "Long ago...\nAnswer: Canberra.", "canberra"),
    ("text", "Sydney is larger.\n**Answer: The city of Canberra**", "the city of canberra"),
    ("free", "  All of it. ", "All of it."),
    ("text", "", None),
]


@pytest.mark.parametrize(("kind", "text", "found"), CASES)
def test_the_answer_is_found(kind, text, found):
    assert extract_answer(text, kind) == found


RIGHT = [
    ("number", "1234.5", "1,234.50", True),
    ("number", "5", "4", False),
    ("choice", "C", "c", True),
    ("yes-no", "yes", "True", True),
    ("text", "the city of canberra", "Canberra", True),
    ("text", "canberrania", "Canberra", False),
    ("number", None, "4", False),
]


@pytest.mark.parametrize(("kind", "answer", "truth", "right"), RIGHT)
def test_an_answer_is_right_if_it_is_the_known_one(kind, answer, truth, right):
    assert is_right(answer, truth, kind) is right


def test_models_are_asked_to_end_with_the_answer_alone():
    assert add_instruction("2 + 2?", "number").endswith(
        "End with one line: Answer: the number alone."
    )
    assert add_instruction("Tell me a story.", "free") == "Tell me a story."


def test_a_huge_text_takes_no_time():
    assert extract_answer("answer is " * 200_000, "number") is None
    assert extract_answer("." * 2_000_000, "choice") is None
