"""What a panelist would call next, read from its words; and calls that fit what a tool takes."""

from __future__ import annotations

import time

import pytest

from mutual_dissent.analysis.answers.next_step import next_step
from mutual_dissent.core.tool import ClientTools, Tool, ToolCall
from mutual_dissent.core.values.json_schema import misfit

READ = ToolCall(name="Read", arguments={"path": "a"})
SAID = {
    'Look first.\n\nNEXT: call Read {"path": "a"}\nBOTTOM LINE: x': (
        (READ,), "Look first.\n\nBOTTOM LINE: x"),
    '**NEXT:** call `Read`\n```json\n{\n  "path": "a"\n}\n```\nCONFIDENCE: 80 %': (
        (READ,), "CONFIDENCE: 80 %"),
    'Next step: Read({"path": "a"})': ((READ,), ""),
    '- NEXT: call Read {"path": "a"}\n- NEXT: call list_files': (
        (READ, ToolCall(name="list_files")), ""),
    "All done.\nNEXT: answer": ((), "All done."),
}  # fmt: skip


@pytest.mark.parametrize("text", SAID)
def test_a_next_step_is_read_however_it_is_written(text):
    found = next_step(text)
    assert (found.calls, found.prose) == SAID[text]


@pytest.mark.parametrize("text", ["Next: the tests.\nNext: tests", "What comes next: nothing", ""])
def test_what_only_sounds_like_a_next_step_is_none(text):
    assert next_step(text) is None


@pytest.mark.parametrize("arguments", ['{"a": ', '{"a": "\\ud800"}', "{" * 5000])
def test_arguments_that_cannot_be_read_are_said_to_be_so(arguments):
    assert "are no JSON object" in next_step(f"NEXT: call Read {arguments}").problem


def test_thousands_of_lines_hold_nobody_up():
    began = time.monotonic()
    next_step('NEXT: call Read {"a": [\n' * 20_000)
    assert time.monotonic() - began < 5


SCHEMA = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "kind": {"enum": ["a", 1]},
        "many": {"type": "array", "items": {"$ref": "#/$defs/one"}},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["n"],
    "additionalProperties": False,
    "$defs": {"one": {"type": "object", "required": ["x"]}},
}
VALUES = [
    ({"n": 1, "kind": "a", "many": [{"x": 1}], "either": None}, ""),
    ({"n": 2.0}, ""),
    ({}, "n is missing"),
    ({"n": True}, "n must be integer"),
    ({"n": 1, "kind": True}, "kind must be one of 'a', 1"),
    ({"n": 1, "many": [{"x": 1}, {}]}, "many[1].x is missing"),
    ({"n": 1, "either": 3}, "either must be string"),
    ({"n": 1, "m": 1}, "m is not known"),
    ([], "it must be object"),
]


@pytest.mark.parametrize(("value", "wrong"), VALUES)
def test_a_value_is_compared_with_a_schema(value, wrong):
    assert misfit(value, SCHEMA) == wrong


def test_a_schema_made_to_take_forever_does_not():
    began = time.monotonic()
    assert misfit({"a": 1}, {"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]}) == ""
    assert time.monotonic() - began < 5


def test_proposals_are_the_same_by_value_but_for_what_they_tell_a_person():
    tools = ClientTools(
        tools=(
            Tool(name="Bash", description="", parameters={"required": ["command"]}),
            Tool(name="issue", description="", parameters={"required": ["description"]}),
        )
    )

    def bash(**given):
        return [ToolCall(name="Bash", arguments=given)]

    assert tools.same(bash(command="ls", description="Look"), bash(command="ls"))
    assert tools.same(bash(a=1, b=2), bash(b=2, a=1))
    assert not tools.same(bash(command="ls"), bash(command="ls -a"))
    assert not tools.same(bash(command="ls"), [])
    one, two = (ToolCall(name="issue", arguments={"description": d}) for d in "ab")
    assert not tools.same([one], [two])
