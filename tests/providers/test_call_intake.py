"""Bytes become an answer whatever the vendor calls them, and however they are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.vendor import WIRES
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.dialects import DIALECTS
from mutual_dissent.providers.dialects.finish import verdict
from mutual_dissent.providers.http.limits import Bounds
from mutual_dissent.providers.http.stream import AnswerStream

TEXT = "Tabs – für alle 👀 zu lesen."
SMALL = Bounds(text=40, body=2_000, stream=50_000)


def answer_of(dialect, whole):
    wire = WIRES[dialect]
    events = wire.events("m1", text=TEXT)
    if whole:
        import json

        return json.dumps(wire.whole(events), ensure_ascii=False).encode()
    return b"".join(map(wire.frame, events)) + wire.end


def taken(dialect, pieces, content_type="", bounds=None):
    heard = []
    intake = AnswerStream(DIALECTS[dialect], bounds or Bounds(), heard.append, content_type)
    for piece in pieces:
        if intake.take(piece):
            break
    else:
        intake.close()
    assert intake.text.startswith("".join(heard)[:30])
    return intake


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    "content_type", ["text/event-stream", "application/json", "text/plain", "", "image/png"]
)
def test_the_content_decides_and_not_what_it_is_called(dialect, whole, content_type):
    intake = taken(dialect, [answer_of(dialect, whole)], content_type)
    assert intake.text == TEXT
    assert verdict(intake.reading) is Finish.COMPLETE
    assert intake.streamed is not whole


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("whole", [False, True])
def test_an_answer_cut_anywhere_in_two_is_the_same_answer(dialect, whole):
    answer = answer_of(dialect, whole)
    kind = "application/json" if whole else "text/event-stream"
    for cut in range(len(answer)):
        assert taken(dialect, [answer[:cut], answer[cut:]], kind).text == TEXT


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_stream_that_comes_byte_by_byte_is_the_same_answer(dialect):
    answer = answer_of(dialect, whole=False)
    pieces = [bytes([b]) for b in b"\n\n" + answer]
    assert taken(dialect, pieces, "text/event-stream").text == TEXT


@pytest.mark.parametrize("dialect", DIALECTS)
@given(pieces=st.lists(st.binary(max_size=300), max_size=30))
def test_nothing_that_a_vendor_sends_raises_or_grows(dialect, pieces):
    intake = taken(dialect, pieces, "text/event-stream", SMALL)
    assert len(intake.text.encode()) <= SMALL.text
    assert intake.done or verdict(intake.reading) is Finish.INCOMPLETE


@pytest.mark.parametrize("start", [b"", b"data: ", b"{", b"   ", b"[", b": comment "])
def test_what_never_ends_is_left(start):
    intake = AnswerStream(DIALECTS["openai-chat"], SMALL, print)
    sent = 0
    while not intake.take(start if not sent else b"x" * 100 if start.strip() else b" " * 100):
        sent += 100
        assert sent < 10_000
    error = intake.broken or intake.reading.error
    assert error.kind is ErrorKind.BAD_RESPONSE


def test_a_stream_of_nothing_but_comments_is_left():
    intake = AnswerStream(DIALECTS["openai-chat"], SMALL, print, "text/event-stream")
    lines = 0
    while not intake.take(b": still thinking\n\n"):
        lines += 1
        assert lines < 10_000
