"""Panelists that say what they are told, and recordings that are replayed."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from fakes.calls import an_ask
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.recorded import Recorded
from mutual_dissent.providers.responses import failure
from mutual_dissent.providers.router import Router
from mutual_dissent.providers.scripted import Scripted


async def test_each_seat_says_its_lines_in_order():
    cast = Scripted({"ada": ["tabs", "still tabs"], "bob": ["spaces"]})
    said = [(await cast.ask(an_ask(seat=s), print)).content for s in ("ada", "bob", "ada")]
    assert said == ["tabs", "spaces", "still tabs"]


async def test_lines_come_word_by_word():
    heard = []
    response = await Scripted({"ada": ["one two  three\nfour"]}).ask(an_ask(), heard.append)
    assert len(heard) > 2
    assert "".join(heard) == response.content
    assert response.usable
    assert response.input_tokens > 0


async def test_what_a_seat_heard_can_be_read_in_full():
    cast = Scripted({"ada": ["x"], "bob": ["y"]})
    await cast.ask(an_ask(seat="ada", system="be brief", head="Q?", tail=" now"), print)
    await cast.ask(an_ask(seat="bob"), print)
    assert cast.heard_by("ada") == ["be brief\nQ? now"]
    assert [a.panelist.seat for a in cast.asks] == ["ada", "bob"]


async def test_a_line_may_depend_on_the_ask_or_be_a_failure():
    down = failure(an_ask(), ErrorKind.OVERLOADED, "down")
    cast = Scripted({"ada": lambda ask: ask.head.upper(), "bob": [down]})
    assert (await cast.ask(an_ask(head="why"), print)).content == "WHY"
    assert (await cast.ask(an_ask(seat="bob"), print)).error == "down"


@pytest.mark.parametrize("script", [{}, {"ada": []}])
async def test_a_seat_without_lines_fails_with_a_sentence(script):
    response = await Scripted(script).ask(an_ask(), print)
    assert not response.usable
    assert "'ada'" in response.error


async def test_a_script_can_take_its_time():
    began = time.monotonic()
    await Scripted({"ada": ["a b c"]}, delay=0.05, word_delay=0.02).ask(an_ask(), print)
    assert time.monotonic() - began >= 0.1


def record(path, *lines):
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return Recorded(path)


async def test_a_recording_is_replayed_by_model_and_round(tmp_path):
    recorded = record(
        tmp_path / "r.jsonl",
        {"model": "ada", "round": 0, "content": "first"},
        {"model": "ada", "round": 1, "content": "second"},
        {"model": "m1", "content": "anyone on m1"},
        {"model": "bob", "round": -1, "role": "synthesis", "content": "in sum"},
    )

    async def said(**how):
        return (await recorded.ask(an_ask(**how), print)).content

    assert await said(round_number=0) == "first"
    assert await said(round_number=1, role="reflection") == "second"
    assert await said(round_number=2) == "anyone on m1"
    assert await said(seat="eve#2") == "anyone on m1"
    assert await said(seat="bob", round_number=-1, role="synthesis") == "in sum"
    assert await said(round_number=0) == "first"


async def test_a_recording_can_be_bound_to_a_query(tmp_path):
    recorded = record(
        tmp_path / "r.jsonl",
        {"model": "ada", "content": "whatever"},
        {"model": "ada", "query": "Australia", "content": "Canberra"},
    )
    assert (await recorded.ask(an_ask(head="Capital of Australia?"), print)).content == "Canberra"
    assert (await recorded.ask(an_ask(head="Capital of France?"), print)).content == "whatever"


async def test_other_fields_of_a_response_can_be_recorded(tmp_path):
    line = {"model": "ada", "content": "Half", "finish": "incomplete", "error": "cut",
            "error_kind": "connection", "input_tokens": 5}  # fmt: skip
    response = await record(tmp_path / "r.jsonl", line).ask(an_ask(), print)
    assert (response.finish, response.error_kind) == (Finish.INCOMPLETE, ErrorKind.CONNECTION)
    assert response.input_tokens == 5
    assert response.model_alias == "ada"
    assert response.routing == an_ask().panelist.route


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("{broken", "line 1"),
        ('{"content": "x"}', "'model'"),
        ('{"model": "ada", "content": 5}', "cannot be read"),
        ('{"model": "bob", "content": "x"}', "no answer of 'ada'"),
    ],
)
async def test_a_recording_that_does_not_serve_is_said_in_a_sentence(tmp_path, content, said):
    path = tmp_path / "r.jsonl"
    if content is not None:
        path.write_text(content)
    router = Router({}, extra={"recorded": lambda: Recorded(path)})
    ask = an_ask(vendor="recorded")
    response = await router.ask(replace(ask), print)
    assert response.error_kind is ErrorKind.BAD_REQUEST
    assert said in response.error
