"""Letters are for panelists: people read names, and whatever else has a letter keeps it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.closing import closed
from fakes.debates import panelist, transcript
from fakes.patience import in_proportion
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.prompts.fences import labels
from mutual_dissent.views.account import account
from mutual_dissent.views.documents.formats import FORMATS
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.panel.names import (
    legend,
    letters,
    named_causes,
    replace_letters,
    text_with_names,
)
from mutual_dissent.views.terminal import terminal

WHO = {"A": "p4", "B": "claude", "C": "gpt", "D": "grok"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Panelist A says so.", "p4 says so."),
        ("Panelists A and C agree.", "p4 and gpt agree."),
        ("Panelists A, B and C agree.", "p4, claude and gpt agree."),
        ("Panelist B's point", "claude's point"),
        ("Panelist B’s point", "claude’s point"),
        ("**Panelist A** is right.", "**p4** is right."),
        ("Panelist **A** is right.", "**p4** is right."),
        ("the panelists A or D", "p4 or grok"),
        ("Panelist A and Panelist D", "p4 and grok"),
        ("Panelist A/B", "p4/claude"),
        ("(Panelist C)", "(gpt)"),
        ("Panelist C.", "gpt."),
        ("Panelisten A und C sagen", "p4 und gpt sagen"),
        ("le panéliste B dit", "le claude dit"),
        ("Panelist Cは、Panelist AとPanelist Bは", "gptは、p4とclaudeは"),
        ("パネリストDの例", "grokの例"),
        ("As for Panelist B, A good point is", "As for claude, A good point is"),
    ],
)
def test_a_letter_after_the_word_for_a_panelist_is_a_name(written, read):
    assert replace_letters(written, WHO) == read


def test_in_closing_lines_causes_are_named_by_the_bare_letter():
    line = "yes: from Rust to Go, because of B and D: plan C is too slow"
    assert named_causes(line, WHO) == (
        "yes: from Rust to Go, because of claude and grok: plan C is too slow"
    )
    assert named_causes("because of C++ and C# alone", WHO) == "because of C++ and C# alone"


@pytest.mark.parametrize(
    "text",
    [
        "Option A or plan B, and vitamin C",
        "A team of five needs a plan B.",
        "Panelist E was not there.",
        "Panel A of the figure",
        "the panelist answered in C++",
        "Panelists and others",
        "Panelist C++ and Panelist A2",
    ],
)
def test_whatever_else_has_a_letter_keeps_it(text):
    assert replace_letters(text, WHO) == text


def test_letters_that_stand_alone_are_explained_once():
    text = "Panelist A prefers Rust. C rejects this; B and D lie between. A would not learn it."
    assert legend(text, WHO) == "in the text: A = p4, B = claude, C = gpt, D = grok"


@pytest.mark.parametrize(
    "text",
    [
        "Panelist A prefers Rust. A team of five is small, and C is a fast language.",
        "C says so, and B agrees.",
        "Panelists differ on option B and on plan C; see appendix D.",
        "Panelist A is right.",
    ],
    ids=["articles", "no panelist is spoken of", "options", "nothing is left"],
)
def test_what_is_no_panelist_is_not_explained(text):
    assert legend(text, WHO) == ""


def a_debate(written: str, **more: object) -> Transcript:
    said = {s: [closed("Go.")] for s in ("claude", "gpt", "grok")}
    return transcript(said, query="Rust or Go?", **{"synthesis": written, "seed": 7, **more})


def letter_of(t: Transcript, seat: str) -> str:
    return labels(t.brief)[seat].removeprefix("Panelist ")


def test_every_view_names_whom_an_answer_means_and_the_record_keeps_what_was_written():
    letter = letter_of(a_debate(""), "gpt")
    written = f"Go, although Panelist {letter} has doubts about Option B."
    t = a_debate(written)
    for text in (terminal(t), to_markdown(t), FORMATS["html"](t)):
        assert "although gpt has doubts about Option B." in " ".join(text.split())
        assert "Panelist" not in text
    assert t.synthesis.content == written
    assert f'"content": "{written}"' in FORMATS["json"](t)


def test_bottom_lines_and_what_is_contested_name_them_too():
    letter = letter_of(a_debate(""), "gpt")
    line = f"Rust, against Panelist {letter}."
    said = {
        "claude": [closed("Go."), closed("Go.", "gpt agree; grok disagree: hiring", "nothing")],
        "gpt": [closed("Go."), closed("Go.", "claude agree; grok disagree: hiring", "nothing")],
        "grok": [
            closed("Rust."),
            closed(line, f"claude disagree: what Panelist {letter} says; gpt disagree", "nothing"),
        ],
    }
    t = transcript(said, query="Rust or Go?", seed=7)
    told = account(t)
    assert told.headline.startswith("2 of 3: Go. grok: Rust, against gpt.")
    assert "Panelist" not in " ".join((*told.holds, *told.open, terminal(t, verbose=True)))


def test_bare_letters_get_one_line_under_the_answer():
    t = a_debate("Panelist A prefers Rust; B rejects this, and C says nothing.")
    who = letters(t)
    shown_ = " ".join(terminal(t).split())
    assert f"(in the text: B = {who['B']}, C = {who['C']})" in shown_
    assert f"{who['A']} prefers Rust; B rejects this" in shown_


def test_who_reads_names_wrote_names():
    t = a_debate("Panelist A prefers Rust; B rejects this.", named=True)
    assert "Panelist A prefers Rust; B rejects this." in terminal(t)
    assert "in the text" not in terminal(t)


def test_letters_that_a_reader_alone_had_are_read_as_that_reader_had_them():
    """Debates of earlier versions had other letters for every reader."""
    t = a_debate("Panelist B is right.")
    key = "-1/synthesis/claude"
    old = replace(t, labels={key: {"Panelist B": "grok", "Panelist C": "claude"}})
    new = labels(t.brief)
    if new["grok"] == "Panelist B":
        old = replace(t, labels={key: {"Panelist B": "gpt", "Panelist C": "claude"}})
    who = "gpt" if new["grok"] == "Panelist B" else "grok"
    assert text_with_names(old, t.synthesis.content, old.synthesis) == f"{who} is right."


def test_a_seat_with_a_vendor_is_named_in_short():
    seats = [panelist(s) for s in ("openrouter:p1", "openrouter:p2")]
    t = transcript({p.seat: [closed("Go.")] for p in seats}, panel=seats, synthesis="Go.")
    assert set(letters(t).values()) == {"p1", "p2"}


@pytest.mark.parametrize(
    "text", ["Panelists " + "A, " * 30_000, "Panelist A and " * 20_000, "panelist " * 40_000 + "A"]
)
def test_hostile_text_takes_no_time(text):
    with in_proportion():
        replace_letters(text, WHO)
        legend(text, WHO)
