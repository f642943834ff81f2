"""A stream whose events repeat themselves is read as if each were read by itself."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mutual_dissent.core.response import Finish
from mutual_dissent.providers.bounds import Bounds
from mutual_dissent.providers.dialect import Reading
from mutual_dissent.providers.intake import Intake
from mutual_dissent.providers.openai_chat import OPENAI_CHAT

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


def read(events: list[str], *, apart: bool) -> tuple[Reading, list[str]]:
    told: list[str] = []
    intake = Intake(OPENAI_CHAT, Bounds(), told.append)
    for data in events:
        if apart:
            intake.reading.frame = None
        if intake.take(f"data: {data}\n\n".encode()):
            break
    return replace(intake.reading, frame=None), told


@pytest.mark.parametrize("shape", SHAPES)
def test_a_stream_reads_as_its_events_do_one_by_one(shape):
    events = [SHAPES[shape](text, n) for n, text in enumerate(TEXTS)]
    assert read(events, apart=False) == read(events, apart=True)


@pytest.mark.parametrize("shape", ["openai", "openrouter"])
def test_nothing_that_ends_or_breaks_an_answer_is_passed_over(shape):
    begun = [SHAPES[shape](text, n) for n, text in enumerate(TEXTS)]
    last = json.loads(begun[0])
    last["choices"][0] |= {"delta": {"content": "."}, "finish_reason": "stop"}
    done, told = read([*begun, compact(last)], apart=False)
    assert (done.finish, told[-1]) == (Finish.COMPLETE, ".")
    assert "".join(done.text) == "".join(TEXTS) + "."
    failed, _ = read([*begun, compact({**json.loads(begun[0]), "error": "no more"})], apart=False)
    assert failed.error is not None


def test_repeated_events_are_told_by_their_frame():
    intake = Intake(OPENAI_CHAT, Bounds(), lambda _: None)
    for n, text in enumerate(TEXTS):
        intake.take(f"data: {SHAPES['openai'](text, n)}\n\n".encode())
    frame = intake.reading.frame
    assert frame is not None
    again = SHAPES["openai"]("again", 3)
    assert frame.texts([("", again), ("", SHAPES["openai"]("and", 4))]) == ["again", "and"]
    assert frame.beginning([("", again), ("error", again)]) == 1
    assert frame.beginning([("", SHAPES["openrouter"]("again", 3))]) == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_events_that_come_together_read_as_they_do_one_by_one(shape):
    events = [SHAPES[shape](text, n) for n, text in enumerate(TEXTS)]
    told: list[str] = []
    intake = Intake(OPENAI_CHAT, Bounds(), told.append)
    intake.take(f"data: {events[0]}\n\n".encode())
    intake.take("".join(f"data: {e}\n\n" for e in events[1:]).encode())
    apart, one_by_one = read(events, apart=True)
    assert replace(intake.reading, frame=None) == apart
    assert "".join(told) == "".join(one_by_one)
