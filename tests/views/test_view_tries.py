"""A call that failed is told with why, how often and how long it was tried, the same everywhere."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import timedelta

import pytest
from rich.console import Console

from fakes.debates import START, Fault, debate
from fakes.debates import transcript as a_transcript
from mutual_dissent.core.events import Answered
from mutual_dissent.core.response import Attempt, ErrorKind, Finish
from mutual_dissent.core.transcript import fold
from mutual_dissent.surfaces.cli.live.board import Board
from mutual_dissent.surfaces.cli.live.panes import frame
from mutual_dissent.views.documents.json import transcript_to_json
from mutual_dissent.views.heading import heading
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.remarks.progress import progress_lines
from mutual_dissent.views.terminal import terminal

WORDS = {
    ErrorKind.AUTH: "key refused",
    ErrorKind.FORBIDDEN: "model not allowed",
    ErrorKind.CREDITS: "no credits",
    ErrorKind.RATE_LIMIT: "rate limit",
    ErrorKind.OVERLOADED: "overloaded",
    ErrorKind.TIMEOUT: "timeout",
    ErrorKind.CONNECTION: "no connection",
    ErrorKind.BAD_REQUEST: "request not accepted",
    ErrorKind.UNKNOWN_MODEL: "unknown model",
    ErrorKind.BAD_RESPONSE: "unusable answer",
    ErrorKind.REFUSED: "refused",
    ErrorKind.FILTERED: "filtered",
    ErrorKind.CANCELLED: "cancelled",
    ErrorKind.UNSEEN: "cannot see the pictures, and nobody could describe them",
}


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_people_read_why_in_words_and_programs_in_codes(kind):
    t = a_transcript({"claude": ["Yes."], "gpt": ["Yes."], "grok": [Fault(kind)]})
    assert f"grok did not answer: {WORDS[kind]}." in heading(t)
    for view in (terminal(t, verbose=True), to_markdown(t)):
        assert WORDS[kind] in view
        assert "_" not in kind or kind.value not in view
    (failed,) = (r for r in transcript_to_json(t)["rounds"][0]["responses"] if r["error"])
    assert failed["error_kind"] == kind.value


def test_an_answer_that_came_and_is_none_is_called_so():
    fault = Fault(ErrorKind.BAD_RESPONSE, finish=Finish.EMPTY)
    t = a_transcript({"claude": ["Yes."], "grok": [fault]})
    assert "grok did not answer: empty answer." in heading(t)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (None, "."),
        (ErrorKind.BAD_RESPONSE, "."),
        (ErrorKind.CONNECTION, "."),
        (ErrorKind.TIMEOUT, ": timeout."),
    ],
)
def test_who_was_cut_in_the_middle_is_said_to_have_begun(kind, why):
    fault = Fault(kind, finish=Finish.INCOMPLETE)
    t = a_transcript({"claude": ["Yes."], "grok": [fault]})
    assert f"grok's answer broke off{why}" in heading(t)
    later = a_transcript({"claude": ["Yes.", "Yes."], "grok": ["No.", fault]})
    assert f"grok's answer broke off in round 1{why}" in heading(later)
    for view in (heading(t), terminal(t, verbose=True), to_markdown(t)):
        assert "no connection" not in view


LATE_WORDS = "not waited for: the debate's time limit was reached before it had answered"


def test_who_was_not_waited_for_is_said_to_be_so_once_and_not_to_have_failed():
    fault = Fault(ErrorKind.TIMEOUT, LATE_WORDS, Finish.LATE)
    events = debate({"claude": ["Yes."], "gpt": ["Yes."], "grok": [fault]})
    t = fold(events)
    (late,) = (e for e in events if isinstance(e, Answered) and e.seat == "grok")
    (line,) = progress_lines(late, t)
    assert line.startswith("grok was not waited for")
    for text in (line, *terminal(t, width=300).splitlines(), *to_markdown(t).splitlines()):
        assert "grok failed" not in text
        assert text.count("not waited for") <= 1


def test_a_finished_debate_names_the_command_that_takes_in_who_is_missing():
    late = Fault(ErrorKind.TIMEOUT, LATE_WORDS, Finish.LATE)
    for fault in (late, Fault(ErrorKind.CREDITS)):
        t = a_transcript({"claude": ["Yes."], "gpt": ["Yes."], "grok": [fault]})
        name = t.transcript_id[:8]
        assert f"dissent resume {name} --late asks grok again" in terminal(t, width=300)
    hopeless = a_transcript(
        {"claude": ["Yes."], "gpt": ["Yes."], "grok": [Fault(ErrorKind.REFUSED)]}
    )
    assert "--late" not in terminal(hopeless)


def tried_thrice():
    """A debate in which grok failed three times in 2.3 s, the last time at once."""
    events = debate({"claude": ["Yes."], "gpt": ["Yes."], "grok": [Fault(ErrorKind.OVERLOADED)]})
    return [_thrice(e) if isinstance(e, Answered) and e.seat == "grok" else e for e in events]


def _thrice(event: Answered) -> Answered:
    try_ = Attempt(
        started_at=START, latency_ms=12, error_kind=ErrorKind.OVERLOADED, error="busy", status=500
    )
    response = replace(
        event.response,
        latency_ms=9,
        attempts=(try_, replace(try_, started_at=START + timedelta(seconds=1))),
        timestamp=START + timedelta(seconds=2.34),
    )
    return replace(event, response=response)


def test_all_tries_of_a_failed_call_are_counted_and_timed():
    events = tried_thrice()
    t = fold(events)
    assert "grok (initial answers, overloaded, 3 tries in 2.3 s): " in terminal(t, width=120)
    assert "3 tries in 2.3 s" in terminal(t, verbose=True)
    assert "lab/grok-1 · via openrouter · 3 tries in 2.3 s\n" in to_markdown(t)
    lines = [line for e in events for line in progress_lines(e, t)]
    assert any(line.startswith("grok failed after 3 tries in 2.3 s: overloaded") for line in lines)


def test_a_clock_that_was_set_back_does_not_make_tries_shorter():
    events = tried_thrice()
    event = next(e for e in events if isinstance(e, Answered) and e.seat == "grok")
    early = replace(event.response, timestamp=START - timedelta(days=1), latency_ms=1000)
    (line,) = progress_lines(replace(event, response=early), fold(events))
    assert line.startswith("grok failed after 3 tries in 1.0 s: ")


@pytest.mark.parametrize("height", [40, 8])
def test_a_pane_says_how_often_a_call_was_tried(height):
    board = Board()
    for event in tried_thrice():
        board.take(event, 0.0)
        if isinstance(event, Answered) and event.seat == "grok":
            break
    console = Console(width=79, height=height, file=io.StringIO())
    console.print(frame(board, console, 3.0, 0.0))
    assert "failed: overloaded" in console.file.getvalue()
    assert "3 tries in 2.3 s: the vendor" in console.file.getvalue()
