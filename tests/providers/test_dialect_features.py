"""Each feature of each dialect once, in hand-made answers: whole, streamed, and cut anywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mutual_dissent.core.response import Finish
from mutual_dissent.providers.dialects import DIALECTS
from mutual_dissent.providers.dialects.base import PartialAnswer
from mutual_dissent.providers.dialects.finish import verdict
from mutual_dissent.providers.dialects.json_values import decode_body
from mutual_dissent.providers.endpoints import TABLE
from mutual_dissent.providers.http.stream import SSE
from mutual_dissent.providers.prices.own_search import TABLE as SEARCHING

FOLDER = Path(__file__).parents[1] / "fixtures" / "dialects"
FIXTURES = sorted(FOLDER.glob("*/*.json"))


def with_part(part):
    return [p for p in FIXTURES if part in json.loads(p.read_text(encoding="utf-8"))]


def names(path):
    return f"{path.parent.name}/{path.stem}"


def loaded(path):
    return path.parent.name, json.loads(path.read_text(encoding="utf-8"))


def wire_bytes(events):
    lines = []
    for name, data in events:
        lines += [f"event: {name}\n"] if name else []
        lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
    return "".join(lines).encode()


def in_short(reading):
    """A reading in the terms of the fixtures."""
    error = reading.error
    return {
        "text": "".join(reading.text),
        "reasoning": "".join(reading.reasoning),
        "finish": reading.finish,
        "verdict": verdict(reading),
        "refusal": reading.refusal,
        "usage": [
            reading.input_tokens,
            reading.output_tokens,
            reading.cached_tokens,
            reading.reasoning_tokens,
        ],
        "calls": [[c["id"], c["name"], c["arguments"]] for c in reading.tool_calls],
        "citations": [[c.url, c.title] for c in reading.citations],
        "cost": reading.vendor_cost_usd,
        "searches": reading.searches,
        "model": reading.served_model,
        "error": error and [error.kind, error.status, error.message],
    }


def check(reading, expect):
    short = in_short(reading)
    assert {k: short[k] for k in expect} == expect
    assert short["error"] is None or "error" in expect


def test_every_dialect_has_fixtures_of_its_own():
    assert {p.parent.name for p in FIXTURES} == set(DIALECTS)
    searching = {row.way.wire for row in SEARCHING} - {""}
    assert {row.dialect for row in TABLE.values()} | searching == set(DIALECTS)


@pytest.mark.parametrize("path", with_part("body"), ids=names)
def test_a_feature_is_read_from_a_whole_body(path):
    wire, fixture = loaded(path)
    reading = PartialAnswer()
    DIALECTS[wire].read_body(reading, decode_body(json.dumps(fixture["body"]).encode()))
    check(reading, fixture["expect"])


@pytest.mark.parametrize("path", with_part("events"), ids=names)
def test_a_feature_is_read_from_a_stream_however_it_is_split(path):
    wire, fixture = loaded(path)
    raw = wire_bytes(fixture["events"])
    for step in (1, 7, len(raw)):
        sse, reading, told = SSE(), PartialAnswer(), []
        for i in range(0, len(raw), step):
            for event in sse.feed(raw[i : i + step]):
                told.append(DIALECTS[wire].read_event(reading, *event))
        assert sse.close() == []
        check(reading, fixture["expect"])
        assert "".join(told) == fixture["expect"]["text"]


@pytest.mark.parametrize("path", with_part("events"), ids=names)
def test_a_stream_cut_anywhere_never_passes_for_an_answer(path):
    wire, fixture = loaded(path)
    raw = wire_bytes(fixture["events"])
    finished = None
    for i in range(len(raw)):
        sse, reading = SSE(), PartialAnswer()
        for event in [*sse.feed(raw[:i]), *sse.close()]:
            DIALECTS[wire].read_event(reading, *event)
        assert fixture["expect"]["text"].startswith("".join(reading.text))
        finished = finished or reading.finish
        if finished is None:
            assert verdict(reading) in (Finish.INCOMPLETE, Finish.FAILED)


def test_tool_calls_are_an_answer_only_where_they_were_wanted():
    reading = PartialAnswer(
        finish=Finish.COMPLETE, tool_calls=[{"id": "", "name": "x", "arguments": {}}]
    )
    assert verdict(reading) is Finish.EMPTY
    assert verdict(reading, tools_wanted=True) is Finish.COMPLETE


def test_blanks_are_no_answer():
    assert verdict(PartialAnswer(finish=Finish.COMPLETE, text=["\n", " "])) is Finish.EMPTY
    assert verdict(PartialAnswer(finish=Finish.COMPLETE, text=["\n", "x"])) is Finish.COMPLETE


def test_a_finish_reason_that_nobody_knows_still_ends_the_answer():
    reading = PartialAnswer()
    body = {"choices": [{"message": {"content": "ok"}, "finish_reason": "eos_token"}]}
    DIALECTS["openai-chat"].read_body(reading, body)
    assert (verdict(reading), reading.finish_reason) == (Finish.COMPLETE, "eos_token")


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "ftp://x", "", None, 3, "https://" + "x" * 3000]
)
def test_only_web_addresses_are_kept_as_sources(url):
    reading = PartialAnswer()
    body = {"choices": [{"message": {"content": "x"}}], "citations": [url, "https://ok.example"]}
    DIALECTS["openai-chat"].read_body(reading, body)
    assert [c.url for c in reading.citations] == ["https://ok.example"]
