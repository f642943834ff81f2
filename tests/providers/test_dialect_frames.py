"""A stream whose events repeat themselves is read as if each were read by itself."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from mutual_dissent.core.response import Finish
from mutual_dissent.providers.dialects.anthropic import ANTHROPIC
from mutual_dissent.providers.dialects.base import Dialect, PartialAnswer
from mutual_dissent.providers.dialects.openai import OPENAI_CHAT
from mutual_dissent.providers.http.limits import Bounds
from mutual_dissent.providers.http.stream import AnswerStream

TEXTS = [
    "The", " answer", "", ' is "quoted"', " and {braces}, [brackets]", "\n\n\t", " \\ ",
    '","finish_reason":"stop', '"}}],"usage":{"prompt_tokens":1}', " größer 日本 🦊", "\u2028\x00",
    '"content":"x"', " end",
]  # fmt: skip


def openai(text: str, number: int, **more) -> dict:
    choice = {"index": 0, "delta": {"content": text}, "logprobs": None, "finish_reason": None}
    return {
        "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-9",
        "service_tier": "default", "choices": [choice], "usage": None,
        "obfuscation": "aB3dE6gH9"[: number % 9 + 1], **more,
    }  # fmt: skip


def openrouter(text: str, _: int, **more) -> dict:
    delta = {"role": "assistant", "content": text}
    choice = {"index": 0, "delta": delta, "finish_reason": None, "native_finish_reason": None}
    return {"id": "g", "provider": "P", "model": "a/b", "choices": [choice], **more}


def thinking(text: str, number: int, **more) -> dict:
    event = openrouter(text, number, **more)
    event["choices"][0]["delta"]["reasoning"] = f"thought {number}"
    return event


def repeated(text: str, _: int) -> str:
    """The text twice under one name: the last one counts."""
    spoken = json.dumps(text)
    return f'{{"model":"m","choices":[{{"delta":{{"content":"no","content":{spoken}}}}}]}}'


def compact(event: dict) -> str:
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False)


SHAPES = {
    "openai": lambda t, n: compact(openai(t, n)),
    "openai, spaced and escaped": lambda t, n: json.dumps(openai(t, n)),
    "openrouter": lambda t, n: compact(openrouter(t, n)),
    "with thoughts": lambda t, n: compact(thinking(t, n)),
    "every event another": lambda t, n: compact(openrouter(t, n, created=n)),
    "two names": repeated,
    "half a pair": lambda t, n: compact(openai("@", n)).replace("@", "\\ud83d" if n % 2 else t[:1]),
    "counted": lambda t, n: compact(
        openai(t, n, usage={"completion_tokens": n} if n == 5 else None)
    ),
}


def read(
    stream: list[bytes], dialect: Dialect, *, apart: bool = False
) -> tuple[PartialAnswer, str]:
    """What an intake makes of such pieces; apart: with nothing remembered between them."""
    told: list[str] = []
    intake = AnswerStream(dialect, Bounds(), told.append, "text/event-stream")
    for piece in stream:
        if apart:
            intake.reading.frame = None
        if intake.take(piece):
            break
    intake.close()
    # How the text was cut is nobody's concern.
    text = ["".join(intake.reading.text)]
    return replace(intake.reading, frame=None, text=text), "".join(told)


def stream_of(shape: str) -> tuple[list[bytes], Dialect]:
    """A stream of that shape, event by event, and who reads it."""
    if shape in NAMED:
        return [NAMED[shape](t, n) for n, t in enumerate(TEXTS)], ANTHROPIC
    return [lines(SHAPES[shape](t, n)) for n, t in enumerate(TEXTS)], OPENAI_CHAT


def lines(data: str, name: str = "") -> bytes:
    """An event as it is sent."""
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {data}\n\n".encode()


def anthropic(text: str, number: int) -> bytes:
    delta = {"type": "text_delta", "text": text}
    event = {"type": "content_block_delta", "index": 0, "delta": delta}
    if number == 4:
        return b": a word between\n\nevent: ping\ndata: {}\n\n" + lines(
            compact(event), "content_block_delta"
        )
    return lines(compact(event), "content_block_delta")


def unnamed_at_times(text: str, number: int) -> bytes:
    event = anthropic(text, number)
    return event.removeprefix(b"event: content_block_delta\n") if number % 3 else event


NAMED = {"anthropic": anthropic, "anthropic, unnamed at times": unnamed_at_times}


def cuts(stream: list[bytes], seed: int) -> list[bytes]:
    """The same bytes in pieces of any size."""
    whole, dice, pieces = b"".join(stream), Random(seed), []
    while whole:
        at = dice.choice((1, 2, 40, 300, 5000))
        pieces.append(whole[:at])
        whole = whole[at:]
    return pieces


@pytest.mark.parametrize("shape", [*SHAPES, *NAMED])
def test_a_stream_reads_as_its_events_do_one_by_one(shape):
    stream, dialect = stream_of(shape)
    apart = read(stream, dialect, apart=True)
    assert read(stream, dialect) == apart
    assert read([b"".join(stream)], dialect) == apart
    for seed in range(40):
        assert read(cuts(stream, seed), dialect) == apart


@pytest.mark.parametrize("shape", ["openai", "openrouter"])
def test_nothing_that_ends_or_breaks_an_answer_is_passed_over(shape):
    begun = [SHAPES[shape](text, n) for n, text in enumerate(TEXTS)]
    last = json.loads(begun[0])
    last["choices"][0] |= {"delta": {"content": "."}, "finish_reason": "stop"}
    wrong = {**json.loads(begun[0]), "error": "no more"}
    for together in (True, False):
        ended = [lines(e) for e in (*begun, compact(last), "[DONE]")]
        done, told = read([b"".join(ended)] if together else ended, OPENAI_CHAT)
        assert (done.finish, told) == (Finish.COMPLETE, "".join(TEXTS) + ".")
        failing = [lines(e) for e in (*begun, compact(wrong), begun[1])]
        failed, told = read([b"".join(failing)] if together else failing, OPENAI_CHAT)
        assert failed.error is not None
        assert told.startswith("".join(TEXTS))


@pytest.mark.parametrize("shape", ["openai", "openrouter", "anthropic"])
def test_repeated_events_are_told_by_their_frame(shape):
    stream, dialect = stream_of(shape)
    intake = AnswerStream(dialect, Bounds(), lambda _: None)
    for event in stream:
        intake.take(event)
    frame = intake.reading.frame
    assert frame is not None
    other = b"event: ping\ndata: {}\n\n"
    assert frame.take(stream[0] + stream[1]) == (TEXTS[:2], b"")
    assert frame.take(stream[0] + other) == (TEXTS[:1], other)
    assert frame.take(b"event: error\n" + stream[0]) is None
    assert frame.take(other) is None


def test_a_text_that_is_no_text_takes_nothing_with_it():
    """What stands where the text should is read by itself, and so is whatever came with it."""
    stream = [lines(SHAPES["openrouter"](t, n)) for n, t in enumerate(TEXTS)]
    for odd in (b"7", b"null", b'["a"]', b'"a","b"', b'"half', b'{"content":"x"}'):
        broken = [*stream, stream[0].replace(b'"The"', odd), *stream]
        assert read([b"".join(broken)], OPENAI_CHAT) == read(broken, OPENAI_CHAT, apart=True)
