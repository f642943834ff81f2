"""Watching a debate in a pipe: plain lines on stderr, nothing on stdout."""

from __future__ import annotations

import errno
import os
from datetime import timedelta

import pytest
from rich.console import Console

from fakes.debates import START, Fault, debate, streamed
from fakes.hostile import PAYLOADS, raw_in
from fakes.screens import Terminal
from mutual_dissent.core.events import Noted, Reopened
from mutual_dissent.core.transcript import fold
from mutual_dissent.surfaces.cli.live import screen
from mutual_dissent.surfaces.cli.live.view import show, watch

ANSWERS = {"claude": ["Canberra."], "gpt": ["Sydney."], "grok": [Fault(text="it is busy")]}


async def told(items):
    for item in items:
        yield item


async def lines_of(events, capsys, **options) -> list[str]:
    await watch(told(events), live=False, now=lambda: START, **options)
    out, err = capsys.readouterr()
    assert out == ""
    return err.splitlines()


async def test_every_answer_is_one_line_on_stderr(capsys):
    said = await lines_of(streamed(debate(ANSWERS)), capsys)
    assert said == [
        "initial answers: asking claude, gpt and grok",
        "claude answered in 2.1 s, 2 tokens, $0.0031",
        "gpt answered in 2.1 s, 1 token, $0.0031",
        "grok failed after 2.1 s: rate limit: it is busy",
        "initial answers: split 1:1 (compared by value)",
        "synthesis: asking claude",
        "claude wrote the answer in 2.1 s, 6 tokens, $0.0031",
    ]


async def test_verbose_lines_hold_the_answers(capsys):
    said = await lines_of(debate(ANSWERS), capsys, verbose=True)
    assert "Canberra." in said
    assert "Sydney." in said


async def test_notes_are_said(capsys):
    note = Noted(at=START, code="cut", text="claude's answer is too long: others see a part")
    said = await lines_of(debate(ANSWERS, notes=[note]), capsys)
    assert "note: claude's answer is too long: others see a part" in said


async def test_a_long_line_is_not_broken(capsys):
    fault = Fault(text="why " * 45 + "end")
    said = await lines_of(debate({**ANSWERS, "grok": [fault]}), capsys)
    assert any(line.startswith("grok failed") and line.endswith("end") for line in said)


async def test_what_was_recorded_before_is_counted_and_not_told_again(capsys):
    recorded = debate(ANSWERS, open_ended=True)
    later = recorded[-1].at + timedelta(hours=1)
    events = [*recorded, Reopened(at=later, reason="resumed")]
    await watch(told(events), live=False, now=lambda: later)
    assert capsys.readouterr().err.splitlines() == [
        "2 answers are on record",  # grok failed, and the synthesis is not one of them
        "resumed: going on",
    ]


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS.keys())
async def test_no_control_sequence_is_in_any_line(payload, capsys):
    events = debate(
        {f"eve{payload}": [payload], "bob": [Fault(text=payload)]},
        synthesis=payload,
        notes=[Noted(at=START, code="cut", text=payload)],
    )
    said = await lines_of(events, capsys, verbose=True)
    assert not raw_in("\n".join(said))


async def test_markup_in_a_line_is_text_on_any_console():
    terminal = Terminal()
    console = Console(file=terminal, width=200)
    events = debate({**ANSWERS, "gpt": [Fault(text="[bold]x[/] :skull:")]})
    await watch(told(events), console, live=False, now=lambda: START)
    assert "[bold]x[/] :skull:" in terminal.shown


async def test_a_reader_of_the_lines_who_leaves_does_not_end_the_debate(monkeypatch):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", buffering=1) as broken:
        monkeypatch.setattr("sys.stderr", broken)
        events = debate(ANSWERS)
        assert await watch(told(events), live=False, now=lambda: START) == fold(events)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, broken.fileno())
        os.close(nowhere)


def test_a_reader_of_the_answer_who_leaves_is_reported_as_such(monkeypatch):
    class Gone(Terminal):
        def write(self, text: str) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr("sys.stdout", Gone())
    with pytest.raises(BrokenPipeError):
        show(fold(debate(ANSWERS)))


def test_an_encoding_that_lacks_characters_gets_substitutes(monkeypatch, tmp_path):
    with (tmp_path / "out").open("w", encoding="latin-1") as poor:
        monkeypatch.setattr("sys.stdout", poor)
        show(fold(debate(ANSWERS, synthesis="日本 — “yes”")))
    assert "?? ? ?yes?" in (tmp_path / "out").read_text("latin-1")


def test_the_answer_goes_to_stdout(capsys):
    show(fold(debate(ANSWERS)), verbose=True)
    out, err = capsys.readouterr()
    assert "Canberra is the capital." in out
    assert err == ""
    assert not any(line.endswith(" ") for line in out.splitlines()), "nothing is padded in a pipe"


def test_consoles_take_text_literally(capsys):
    screen.console().print("[bold]x[/] :skull:")
    assert capsys.readouterr().out == "[bold]x[/] :skull:\n"
