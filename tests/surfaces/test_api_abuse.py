"""Whatever is sent to a route of the API gets an answer in the one shape, and the server lives."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from fakes.debates import DEBATE_ID, debate
from fakes.rest import CHAT, PANEL, rest

STORED = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
IDS = [
    "../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e%2f%2e%2e", "..\\..\\x", "/etc/passwd",
    "~", "~root", "con", "nul", "-rf", "--help", "a" * 300, "x", "1234567", "%00", "abcd%00efgh",
    "abcdefgh%0a", "%E2%80%AEabcdefgh", "ABCDEFGH", "abcd efgh", "abcdefgh;", "abcdefgh'",
    '"; DROP TABLE debates; --', "${jndi:x}", "{{7*7}}", "*", "%3F", "%", "%25", "0" * 41,
    "éééééééé",
]  # fmt: skip
SEARCHES = [
    '"', '""', "*", "NEAR", "NEAR(a b)", "a AND", "OR", "NOT", "a OR b",
    "'; DROP TABLE debates; --",
    "query:x", "^a", "a*b", "(", ")", "()", "{", "}", "+", "-", "--", "a-b", "\\", "%", "_", "x'y",
    "/* */", "1=1", "' OR '1'='1", "\u202eabc", "ß", "日本", "🙂", "a" * 900, "\t", " ", "col : x",
    "a NEAR/2 b", '"a" + "b"', "rank MATCH 'x'",
]  # fmt: skip


@pytest.fixture
async def api(own_home):
    async with rest(own_home) as found:
        found.hosted.md.store.save(debate({seat: [f"{seat} says so."] * 2 for seat in PANEL}))
        yield found


def check_refusal(answer):
    """A problem in the one shape, which repeats nothing that could hurt."""
    assert 400 <= answer.status_code < 500, answer.text
    error = answer.json()["error"]
    assert error.keys() == {"code", "message", "status"}
    assert error["status"] == answer.status_code
    assert error["message"].isprintable()
    assert "Traceback" not in error["message"]


async def test_an_id_that_cannot_be_one_is_refused_before_anything_is_touched(api):
    routes = ("", "/events", "/export")
    for bad in IDS:
        for route in routes:
            check_refusal(await api.client.get(f"/api/sessions/{bad}{route}"))
        check_refusal(await api.client.post(f"/api/sessions/{bad}/stop"))
        check_refusal(await api.client.post("/api/chat", json={**CHAT, "conversationId": bad}))
    assert len((await api.get("/api/sessions"))["items"]) == 1


async def test_a_search_is_for_words_whatever_they_look_like(api):
    for text in SEARCHES:
        page = await api.get("/api/sessions", params={"text": text})
        assert page["total"] in (0, 1)
        await api.get("/api/sessions", params={"model": text[:200]})
    assert (await api.get("/api/sessions", params={"text": "Australia"}))["total"] == 1


BODIES = [
    b"", b" ", b"{", b"[]", b"null", b"true", b"1", b'"text"', b"{}}", b"\xff\xfe", b"\x00",
    b'{"message":', b'{"message":"a","message":"b"}', b'{"message": NaN}', b'{"message": 1e999}',
    b"[" * 100_000, b'{"a":' * 5_000 + b"1" + b"}" * 5_000, b'{"message": "\\ud800"}',
    b'{"message":' + b"9" * 400 + b"}", b'{"message": "x", "rounds": ' + b"1" * 400 + b"}",
    b"{" + b",".join(b'"k%d":1' % i for i in range(100_000)) + b"}", b"message=x",
    b'{"message": {"$ref": "x"}}', b"<xml/>", b'{"message": "x", "panel": "ada"}',
    b'{"remark": 5}', b'{"rule": []}', b'{"rounds": "many"}', b'{"rounds": -1}', b'{"rounds": 1.5}',
    b'{"maxCostUsd": -1}', b'{"maxCostUsd": "1"}', b'{"maxCostUsd": 0}', b'{"synthesizer": 1}',
    b'{"agents": "claude"}', b'{"agents": [1]}', b'{"unknown": 1}', b'{"__proto__": {}}',
]  # fmt: skip


NEED_ONE = ("/chat", "/quote", "/tell")
"""Routes whose body cannot be left out."""


def paths():
    return json.loads(STORED.read_text("utf-8"))["paths"].items()


def posts():
    return sorted(p for p, ops in paths() if "requestBody" in ops.get("post", {}))


@pytest.mark.parametrize("path", posts())
async def test_a_body_that_is_wrong_is_refused_by_every_route(api, path):
    here = path.replace("{session_id}", DEBATE_ID)
    kind = {"Content-Type": "application/json"}
    for body in BODIES:
        if body.strip() or path.endswith(NEED_ONE):
            check_refusal(await api.client.post(here, content=body, headers=kind))
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        sent = {"Content-Type": kind} if kind else {}
        answer = await api.client.post(here, content=b'{"message": "x"}', headers=sent)
        assert answer.status_code == 415, (kind, answer.text)
    assert not api.cast.asks


async def test_bodies_with_something_wrong_buy_nothing(api):
    """Every field of a good body, one at a time, made into something else."""
    dice = random.Random(4)
    good = {
        **CHAT, "rounds": 1, "mode": "expert-panel", "perspectives": ["a"], "quorum": 2,
        "context": ["x"], "maxCostUsd": 5, "timeout": 9, "personas": {"ada": "skeptic"},
        "exitConsensus": 0.5, "tools": False, "named": True, "score": "synthesis",
    }  # fmt: skip
    wrong = [None, True, 0, -1, 1e300, "", "x" * 3_000, [], [[]], {}, {"a": {}}, [None], "\x00",
             ["x"] * 50, {"x": 1}, "\u202e"]  # fmt: skip
    for _ in range(150):
        field, value = dice.choice(list(good)), dice.choice(wrong)
        answer = await api.client.post("/api/quote", json={**good, field: value})
        if answer.status_code != 200:
            check_refusal(answer)
    assert not api.cast.asks
    assert (await api.get("/api/sessions"))["total"] == 1


async def test_no_route_does_anything_by_get(api):
    before = (await api.get("/api/sessions"))["items"]
    for path in (p for p, ops in paths() if "get" in ops):
        here = path.replace("{session_id}", DEBATE_ID).replace("{round_number}", "0")
        await api.client.get(here.replace("{key}", "0/initial/ada"), params={"probe": "true"})
    assert not api.cast.asks
    assert (await api.get("/api/sessions"))["items"] == before
