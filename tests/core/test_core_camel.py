"""Promises of answers for programs: a class says how they are written, and their schema."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import TypeAdapter

from mutual_dissent.core.codec.camel import Shape, about, camel, snake
from mutual_dissent.core.codec.plain import to_plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(Shape):
    """Words of somebody."""

    seat: str = field(metadata=about("Who said it.", alias="by"))
    round_number: int = 0
    own_words: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying(Shape):
    """What was said."""

    first_quote: Words | None
    by_seat: dict[str, Words]


SAID = Saying(first_quote=None, by_seat={"a_b": Words(seat="a_b", round_number=1)})


def test_names_of_fields_are_in_camel_case_and_names_of_panelists_stay_as_they_are():
    assert camel(SAID) == {"firstQuote": None, "bySeat": {"a_b": {"by": "a_b", "roundNumber": 1}}}


def test_what_has_no_value_is_left_out_or_null_as_its_class_says():
    assert camel(Words(seat="a", own_words="yes"))["ownWords"] == "yes"
    assert "ownWords" not in camel(Words(seat="a"))
    assert camel(SAID)["firstQuote"] is None


def test_the_same_can_be_had_under_the_names_of_python_and_is_stored_under_them():
    assert snake(SAID)["by_seat"]["a_b"] == {"seat": "a_b", "round_number": 1}
    assert to_plain(Words(seat="a")) == {"seat": "a", "round_number": 0, "own_words": None}


def test_the_schema_of_an_answer_follows_from_its_class():
    schema = TypeAdapter(Saying).json_schema()
    words = schema["$defs"]["Words"]
    assert list(schema["properties"]) == schema["required"] == ["firstQuote", "bySeat"]
    assert words["required"] == ["by", "roundNumber"]
    assert words["properties"]["by"]["description"] == "Who said it."
    assert words["properties"]["ownWords"]["type"] == "string"
