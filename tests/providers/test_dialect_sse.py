"""Server-sent events: any pieces give the same events, and no bytes give a traceback (R10)."""

from __future__ import annotations

import time

import pytest

from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.dialects import DIALECTS
from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.dialects.finish import verdict
from mutual_dissent.providers.http.stream import SSE

CHUNK = b'{"choices":[{"index":0,"delta":{"content":"h\xc3\xa9llo"},"finish_reason":null}]}'
END = b'{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}'
WHOLE = b"data: " + CHUNK + b"\n\ndata: " + END + b"\n\ndata: [DONE]\n\n"

# name -> (bytes, text that must come out on the OpenAI wire, verdict there)
GOOD, BAD = Finish.COMPLETE, Finish.INCOMPLETE
CORPUS = {
    "well-formed": (WHOLE, "héllo", GOOD),
    "crlf": (WHOLE.replace(b"\n", b"\r\n"), "héllo", GOOD),
    "cr": (WHOLE.replace(b"\n", b"\r"), "héllo", GOOD),
    "mixed line ends": (WHOLE.replace(b"\n\n", b"\r\n\n", 1), "héllo", GOOD),
    "byte-order mark": (b"\xef\xbb\xbf" + WHOLE, "héllo", GOOD),
    "mark before a comment": (b"\xef\xbb\xbf: hi\n\n" + WHOLE, "héllo", GOOD),
    "comments": (b": PROCESSING\n\n" * 3 + WHOLE.replace(b"\n\n", b"\n: x\n\n"), "héllo", GOOD),
    "no space after the colon": (WHOLE.replace(b"data: ", b"data:"), "héllo", GOOD),
    "two spaces after the colon": (WHOLE.replace(b"data: {", b"data:  {"), "héllo", GOOD),
    "data over several lines": (WHOLE.replace(b',"delta"', b',\ndata: "delta"'), "héllo", GOOD),
    "crlf within an event": (
        WHOLE.replace(b',"delta"', b',\ndata: "delta"').replace(b"\n", b"\r\n"),
        "héllo",
        GOOD,
    ),
    "ids, retries and unknown fields": (
        b"id: 1\nretry: 10\nfoo: bar\nbaz\n" + WHOLE,
        "héllo",
        GOOD,
    ),
    "named events": (WHOLE.replace(b"data: {", b"event: message\ndata: {"), "héllo", GOOD),
    "many blank lines": (b"\n\n\n" + WHOLE.replace(b"\n\n", b"\n\n\n\n\n"), "héllo", GOOD),
    "no [DONE]": (WHOLE.replace(b"data: [DONE]\n\n", b""), "héllo", GOOD),
    "no last blank line": (WHOLE.replace(b"data: [DONE]\n\n", b"").rstrip(), "héllo", GOOD),
    "[DONE] with blanks": (WHOLE.replace(b"[DONE]", b" [DONE] "), "héllo", GOOD),
    "empty data": (b"data:\n\ndata\n\n" + WHOLE, "héllo", GOOD),
    "an empty object": (b"data: {}\n\n" + WHOLE, "héllo", GOOD),
    "no choices": (b'data: {"choices":[]}\n\ndata: {"choices":null}\n\n' + WHOLE, "héllo", GOOD),
    "junk after the end": (WHOLE + b"data: {oops\n\n", "héllo", GOOD),
    "half an event at the end": (WHOLE[:-14] + b'data: {"usage":{"prompt_t', "héllo", GOOD),
    "nothing": (b"", "", BAD),
    "only [DONE]": (b"data: [DONE]\n\n", "", BAD),
    "only comments": (b": a\n\n: b\n\n", "", BAD),
    "no finish": (b"data: " + CHUNK + b"\n\ndata: [DONE]\n\n", "héllo", BAD),
    "half JSON": (b"data: " + CHUNK + b'\n\ndata: {"choices":[{"ind\n\n', "héllo", BAD),
    "a number": (b"data: " + CHUNK + b"\n\ndata: 17\n\n", "héllo", BAD),
    "a list": (b"data: " + CHUNK + b"\n\ndata: [1]\n\n", "héllo", BAD),
    "plain words": (b"data: " + CHUNK + b"\n\ndata: sorry\n\n", "héllo", BAD),
    "a named error": (b"data: " + CHUNK + b"\n\nevent: error\ndata: sorry\n\n", "héllo", BAD),
    "an error object": (b"data: " + CHUNK + b'\n\ndata: {"error":{"code":500}}\n\n', "héllo", BAD),
    "an error that is a word": (b"data: " + CHUNK + b'\n\ndata: {"error":"no"}\n\n', "héllo", BAD),
    "bytes that are no UTF-8": (b'data: {"choices":[{"delta":{"content":"\xff"}}]}\n\n', "�", BAD),
    "zero bytes": (b"\0\0data: x\n\n" + WHOLE, "héllo", GOOD),
    "NaN in the usage": (WHOLE[:-14] + b'data: {"usage":{"prompt_tokens":NaN}}\n\n', "héllo", GOOD),
    "half a surrogate pair": (WHOLE.replace(b"h\xc3\xa9", b"\\ud83d"), "?llo", GOOD),
    "html": (b"<html>\n<body>502</body>\n\n</html>\n", "", BAD),
    "deep nesting": (b"data: " + b"[" * 5000 + b"\n\n", "", Finish.FAILED),
}


def parsed(pieces):
    sse = SSE()
    events = [event for piece in pieces for event in sse.feed(piece)]
    return events + sse.close()


def read(wire, events):
    reading = PartialAnswer()
    for event in events:
        DIALECTS[wire].read_event(reading, *event)
    return reading


@pytest.mark.parametrize("name", CORPUS)
def test_odd_streams_are_read_as_far_as_they_make_sense(name):
    raw, text, ended = CORPUS[name]
    reading = read("openai-chat", parsed([raw]))
    assert ("".join(reading.text), verdict(reading)) == (text, ended)


@pytest.mark.parametrize("name", CORPUS)
def test_a_split_between_any_two_bytes_changes_nothing(name):
    raw = CORPUS[name][0]
    whole = parsed([raw])
    cuts = range(len(raw)) if len(raw) < 1000 else range(0, len(raw), 37)
    assert all(parsed([raw[:i], raw[i:]]) == whole for i in cuts)
    assert parsed([raw[i : i + 1] for i in range(len(raw))]) == whole


@pytest.mark.parametrize("wire", DIALECTS)
@pytest.mark.parametrize("name", CORPUS)
def test_no_dialect_trips_over_odd_streams_ended_at_any_byte(wire, name):
    raw = CORPUS[name][0]
    for i in range(0, len(raw), 1 if len(raw) < 400 else 29):
        reading = read(wire, parsed([raw[:i]]))
        assert "finish_reason" in raw.decode("utf-8", "replace") or verdict(reading) is not GOOD


def test_names_belong_to_one_event_only():
    assert parsed([b"event: a\ndata: 1\n\ndata: 2\n\nevent: b\n\ndata: 3\n\n"]) == [
        ("a", "1"),
        ("", "2"),
        ("", "3"),
    ]


@pytest.mark.parametrize(
    "raw",
    [
        b"data: " + b"x" * 2000,
        b"data: " + b"x" * 2000 + b"\n\n",
        b"data: xxxxxxxx\n" * 200,
        b":" * 2000,
    ],
    ids=["a line without end", "one line", "many lines", "a comment without end"],
)
@pytest.mark.parametrize("step", [1, 100, 5000])
def test_an_event_without_end_is_given_up_cleanly(raw, step):
    sse = SSE(limit=1000)
    events = []
    for i in range(0, len(raw), step):
        events += sse.feed(raw[i : i + step])
    events += sse.feed(b"\n\ndata: more\n\n") + sse.close()
    assert events == [("error", "one event has more than 1000 bytes")]
    reading = read("anthropic", events)
    assert reading.error is not None
    assert reading.error.kind is ErrorKind.BAD_RESPONSE


def test_what_came_whole_before_one_without_end_is_read():
    sse = SSE(limit=20)
    whole, cut = ("", "a"), ("error", "one event has more than 20 bytes")
    assert sse.feed(b"data: a\n\ndata: " + b"b" * 32) == [whole, cut]
    near = SSE(limit=100)
    assert near.feed(b"data: " + b"a" * 80 + b"\n") == []
    assert near.feed(b"\ndata: " + b"b" * 26) == [("", "a" * 80)]


def test_many_short_events_are_no_long_one():
    sse = SSE(limit=100)
    assert len([e for _ in range(1000) for e in sse.feed(b"data: " + b"x" * 50 + b"\n\n")]) == 1000


def test_parsing_takes_time_in_proportion_to_the_bytes():
    def seconds(size):
        sse, raw = SSE(), b"data: " + b"x" * size + b"\n\n"
        started = time.process_time()
        for i in range(0, len(raw), 16):
            sse.feed(raw[i : i + 16])
        return time.process_time() - started

    seconds(100_000)
    small = min(seconds(100_000) for _ in range(3))
    large = min(seconds(1_600_000) for _ in range(2))
    assert large < 64 * small, "quadratic time would be 256 times as long"
