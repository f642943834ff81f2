"""A structured answer can be read while it is written, however it comes in pieces."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from fakes.closing import closed
from fakes.debates import Said, debate, panelist, streamed
from mutual_dissent.core.events import Answered, RoundEnded, Token
from mutual_dissent.core.transcript import fold
from mutual_dissent.surfaces.cli.live.board import Board
from mutual_dissent.surfaces.cli.live.json_fields import Fields
from mutual_dissent.surfaces.cli.live.panes import frame, status_parts
from mutual_dissent.views.remarks.progress import progress_lines

ANSWER = {
    "position": 'Yes, "so" é 😀\nand more \\ than that',
    "reasoning": "Because.",
    "key_points": ["first", "second"],
    "confidence": 0.7,
    "stance": "for",
    "critique": [{"label": "A", "strengths": ["clear"], "weaknesses": ["short"]}],
    "ranking": ["B", "A"],
    "citations": [],
    "note": None,
}
WORDS = """Yes, "so" é 😀
and more \\ than that

Because.

- first
- second

confidence: 0.7

stance: for

critique:
  label: A
  strengths:
- clear
  weaknesses:
- short

ranking:
- B
- A"""


def read(text: str, piece: int) -> str:
    fields = Fields()
    return "".join(fields.feed(text[i : i + piece]) for i in range(0, len(text), piece))


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("piece", [1, 2, 3, 7, 11, 64, 10_000])
def test_however_it_is_cut_the_same_words_are_read(piece, indent, ascii_only):
    text = json.dumps(ANSWER, ensure_ascii=ascii_only, indent=indent)
    assert read(text, piece) == WORDS
    assert read(f"```json\n{text}\n```\n", piece) == WORDS


def test_what_has_come_so_far_is_shown_at_every_moment():
    text, fields, so_far = json.dumps(ANSWER), Fields(), ""
    for character in text:
        so_far += fields.feed(character)
        assert WORDS.startswith(so_far.rstrip("\n- ")) or so_far in WORDS
    assert so_far == WORDS


@pytest.mark.parametrize(
    "text",
    ["Canberra.", "{ not json }", '{"a" b}', "```python\nx = {1}\n```", "", "{x", "``", '"quoted"'],
)
@pytest.mark.parametrize("piece", [1, 3, 100])
def test_what_is_no_json_comes_back_as_it_is(text, piece):
    shown = read(text, piece)
    assert shown == text or text.startswith(shown)
    assert shown == read(text, 1000)


def test_words_after_the_object_are_shown():
    assert read('{"position": "Yes."}\n\nThat is all.', 4) == "Yes.\n\nThat is all."


@pytest.mark.parametrize(
    "text",
    [
        " " * 50_000,
        "{" * 50_000,
        '{"a":' + "1" * 50_000,
        '{"a":"' + "\\ud800" * 9_000,
        '{"a":' + "[" * 50_000,
        '{"' + "k" * 50_000,
        '{"a": "\\uZZZZ\\q"}]]}}',
    ],
)
@pytest.mark.parametrize("piece", [10, 1_000_000])
def test_hostile_text_breaks_nothing(text, piece):
    assert len(read(text, piece)) <= 2 * len(text) + 10


def painted(shown: Board) -> str:
    console = Console(file=io.StringIO(), width=120, height=40)
    with console.capture() as captured:
        console.print(frame(shown, console, 107.9, 100.0))
    return captured.get()


def board(events, until=lambda item: False) -> Board:
    found = Board()
    for item in events:
        found.take(item, 100.0)
        if until(item):
            break
    return found


def test_a_pane_shows_words_while_json_arrives():
    said = Said(json.dumps(ANSWER), {"position": "Yes.", "reasoning": "Because."})
    events = streamed(debate({"claude": [said], "gpt": ["No."]}))
    halfway = board(events, lambda i: isinstance(i, Token) and "confid" in i.text)
    shown = painted(halfway)
    assert "Because." in shown
    assert "key_points" not in shown
    assert "{" not in shown


def test_a_finished_pane_shows_words_too():
    said = Said(json.dumps(ANSWER), {"position": "Certainly.", "reasoning": "Because."})
    ended = board(debate({"claude": [said], "gpt": ["No."]}), lambda i: isinstance(i, RoundEnded))
    assert "Certainly." in painted(ended)
    assert "{" not in painted(ended)


def test_a_pane_is_titled_with_part_perspective_and_team():
    seats = [
        replace(panelist("claude"), role="PRIMARY"),
        replace(panelist("gpt"), perspective="ethical"),
        replace(panelist("grok"), team="red"),
    ]
    shown = painted(board(debate({p.seat: ["Yes."] for p in seats}, panel=seats)[:6]))
    for part in ("claude · PRIMARY", "gpt · ethical", "grok · team red"):
        assert part in shown


def test_each_round_says_how_far_it_agreed_and_why_it_was_the_last():
    events = debate({"claude": ["Canberra."], "gpt": ["Canberra."]}, rounds=0)
    ended = next(e for e in events if isinstance(e, RoundEnded))
    assert list(progress_lines(ended, fold(events))) == [
        "initial answers: all 2 agree (compared by value)",
        "initial answers: all rounds were held (0 after the initial one)",
    ]
    line = " · ".join(status_parts(board(events), 3.0))
    assert "all 2 agree" in line
    assert "all rounds held" in line


def test_what_was_not_measured_is_no_number():
    said = {"claude": ["Light drives it."], "gpt": ["Minerals come from the soil."]}
    events = debate(said, query="How do plants grow?")
    ended = next(e for e in events if isinstance(e, RoundEnded))
    told = list(progress_lines(ended, fold(events)))
    assert told[0] == "initial answers: agreement not measured"
    assert "agreement not measured" in status_parts(board(events), 3.0)


def test_a_finished_panelist_shows_what_its_answer_comes_to():
    prose = "It took me a while. " * 40
    events = debate({"claude": [closed("Go it is.", prose=prose)], "gpt": [closed("Rust.")]})
    ended = board(events, lambda i: isinstance(i, RoundEnded))
    assert "Go it is." in painted(ended)
    answered = next(e for e in events if isinstance(e, Answered))
    (line,) = progress_lines(answered, fold(events))
    assert line.startswith("claude answered in 2.1 s")
    assert line.endswith(": Go it is.")
