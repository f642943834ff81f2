"""A question over REST: asked, waited for, gone on from, and never paid for twice."""

from __future__ import annotations

import asyncio
import json
from dataclasses import fields, replace

import pytest

from fakes.rest import CHAT, PANEL, WAIT, rest
from mutual_dissent.briefing.options import Options
from mutual_dissent.core.panel import Route
from mutual_dissent.providers.responses import blank
from mutual_dissent.surfaces.rest.input.parameters import wait_of
from mutual_dissent.surfaces.rest.input.requests import RENAMED, Debate

NOT_REMOTE = {"experiment", "workspace", "client", "reply"}
"""Options that REST does not have: experiments and folders are those of whoever runs the program,
and what a client calls or wants filled in is part of a request in the shape of OpenAI's."""


@pytest.fixture
async def api(own_home):
    async with rest(own_home) as found:
        yield found


async def test_a_question_is_taken_and_its_session_can_be_read(api):
    answer = await api.client.post("/api/chat", json=CHAT)
    assert answer.status_code == 202
    place = answer.headers["location"]
    assert place == f"/api/sessions/{answer.json()['sessionId']}"
    assert (await api.get(place))["query"] == CHAT["message"]


async def test_who_waits_gets_the_answer(api):
    answer = await api.client.post("/api/chat", json=CHAT, headers=WAIT)
    said = answer.json()
    assert answer.headers["preference-applied"] == "wait=300"
    assert (answer.status_code, said["status"], said["mode"]) == (200, "completed", "ranking")
    assert said["answer"] == "on synthesis -1"
    assert said["answerBy"] == "ada"
    assert not said["isFallback"]
    assert "ranked first" in said["heading"]


async def test_who_does_not_wait_long_enough_gets_the_state(api):
    api.cast.open.clear()
    answer = await api.client.post("/api/chat", json=CHAT, headers={"Prefer": "wait=0"})
    assert (answer.status_code, answer.json()["answer"]) == (202, None)
    assert answer.headers["preference-applied"] == "wait=0"


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        ("wait=10", 10), ("respond-async, wait=7", 7), ('wait="9"; x', 9), ("wait=4000", 300),
        ("wait=-1", None), ("wait", None), ("respond-async", None), ("await=3", None), ("", None),
        (None, None), ("wait=1e3", None), ("wait=999999999999", None),
    ],
)  # fmt: skip
def test_the_preference_is_read_as_the_standard_writes_it(prefer, seconds):
    assert wait_of(prefer) == seconds


async def test_any_mode_and_its_options_can_be_asked_for(api):
    said = await api.chat(
        mode="expert-panel", rounds=1, perspectives=["legal", "economic"], analyst="none",
        exitConsensus="off", quorum=3, maxCostUsd=900, context=["Mind the blind.",
        {"name": "law.txt", "text": "Tabs only."}], panelistContext={"ada": "You are tired."},
        personas={"bob": "skeptic"}, timeout=500,
    )  # fmt: skip
    brief = api.hosted.sessions.transcript(said["sessionId"]).brief
    assert (brief.mode, brief.rounds, brief.quorum, brief.max_cost) == ("expert-panel", 1, 3, 900)
    assert [a.name for a in brief.context] == ["context 1", "law.txt"]
    assert [p.perspective for p in brief.panel] == ["legal", "economic", "legal"]
    assert (brief.panel[0].context, brief.panel[1].persona) == ("You are tired.", "skeptic")


def test_every_option_of_a_debate_can_be_asked_for():
    here = {RENAMED.get(name, name) for name in Debate.model_fields} - {"message"}
    assert here == {f.name for f in fields(Options)} - NOT_REMOTE


def test_no_address_path_or_command_can_be_asked_for():
    names = {name.lower() for name in Debate.model_fields}
    assert not [n for n in names for bad in ("url", "path", "file", "command", "key") if bad in n]


WRONG = [
    ({"rounds": 99}, "rounds: must be at most 10 or 'auto'"),
    ({"rounds": "many"}, "rounds: must be a whole number or 'auto'"),
    ({"message": 7}, "message: must be a text"),
    ({"message": "Tabs\0?"}, "message: has a NUL character, which is no text"),
    ({"maxCostUsd": 0}, "maxCostUsd: must be above 0"),
    ({"tools": "yes"}, "tools: must be true or false"),
    ({"panel": ["x"] * 40}, "panel: has more than 16 items"),
    ({"score": "none"}, "score: must be 'synthesis' or 'all'"),
    ({"context": [5]}, "context.0: must be a text or an object"),
    ({"conversationId": "../../x"}, "conversationId: does not have the form that it needs"),
]


@pytest.mark.parametrize(("wrong", "sentence"), WRONG)
async def test_what_is_wrong_with_a_request_is_said_in_plain_words(api, wrong, sentence):
    answer = await api.client.post("/api/chat", json={**CHAT, **wrong})
    assert (answer.status_code, answer.json()["error"]["message"]) == (422, sentence)


async def test_what_a_mode_can_be_told_has_the_names_of_the_requests_fields(api):
    known = {field.alias for field in Debate.model_fields.values()}
    for mode in (await api.get("/api/modes"))["modes"]:
        assert {*mode["options"], *mode["only"]} <= known


async def test_a_finished_session_that_is_resumed_stays_as_it_is(api):
    said = await api.chat()
    asked = len(api.cast.asks)
    answer = await api.client.post(f"/api/sessions/{said['sessionId']}/resume")
    assert (answer.status_code, answer.json()["status"]) == (200, "completed")
    assert len(api.cast.asks) == asked


async def test_what_was_said_before_can_be_told(api):
    before = [
        {"speaker": "instructions", "text": "In rhyme."},
        {"speaker": "user", "text": "Vim?"},
        {"speaker": "assistant", "text": "Vim."},
    ]
    said = await api.chat(earlier=before, answerTokens=500)
    brief = api.hosted.sessions.transcript(said["sessionId"]).brief
    assert [(e.speaker, e.text) for e in brief.earlier] == [tuple(b.values()) for b in before]
    assert brief.answer_tokens == 500


async def test_a_field_that_is_not_known_is_named_and_refused(api):
    answer = await api.client.post("/api/chat", json={**CHAT, "baseUrl": "http://evil.example"})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, "bad_input")
    assert "baseUrl" in error["message"]
    assert "evil" not in error["message"]
    assert not api.cast.asks


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"rounds": 2}, "leave out rounds"),
        ({"mode": "reflection", "roles": {"ada": "PRIMARY"}}, "leave out roles, or try mode"),
        ({"exitConsensus": 0.5}, "leave out exitConsensus"),
        ({"mode": "delphi", "rounds": "auto"}, "by exitConsensus"),
        ({"conversationId": "00000000"}, "GET /api/sessions"),
    ],
)
async def test_what_is_wrong_is_said_in_the_words_of_the_api(api, body, words):
    answer = await api.client.post("/api/chat", json={**CHAT, **body})
    message = answer.json()["error"]["message"]
    assert words in message
    assert "--" not in message
    assert "dissent" not in message.replace("mutual-dissent", "")


async def test_a_page_is_told_in_the_words_of_its_form(api):
    body = {**CHAT, "mode": "delphi", "rounds": "auto"}
    answer = await api.client.post("/api/chat", json=body, headers={"X-Asked-By": "page"})
    assert "by Stop at agreement" in answer.json()["error"]["message"]


# -- the default mode


async def mode_of(api, **body):
    return (await api.chat(**body))["mode"]


async def test_the_mode_comes_from_the_request_then_the_conversation_then_the_configuration(
    own_home,
):
    own_home.mkdir()
    (own_home / "config.toml").write_text('[server]\nmode = "hybrid"\n')
    (own_home / "config.toml").chmod(0o600)
    async with rest(own_home) as api:
        assert await mode_of(api) == "hybrid"
        first = await api.chat(mode="consensus")
        assert first["mode"] == "consensus"
        assert await mode_of(api, conversationId=first["sessionId"]) == "consensus"
        assert await mode_of(api, conversationId=first["sessionId"], mode="ranking") == "ranking"
        assert await mode_of(api, conversationId=first["sessionId"]) == "ranking"
        assert await mode_of(api, preset="consensus") == "consensus"
        assert (await api.get("/api/modes"))["default"] == "hybrid"


async def test_a_token_may_have_a_mode_of_its_own(api):
    md = api.hosted.md
    word = md.tokens.new("carol", md.clock(), mode="consensus")
    assert (await api.client.post("/api/chat", json=CHAT)).status_code == 401
    api.client.headers["Authorization"] = f"Bearer {word}"
    assert await mode_of(api) == "consensus"
    assert await mode_of(api, mode="hybrid") == "hybrid"


async def test_without_any_word_the_panel_ranks(api):
    assert await mode_of(api) == "ranking"


# -- money


@pytest.fixture
def as_caller(api):
    """Have every request come from somebody who has a token."""

    def become(name, **more):
        md = api.hosted.md
        word = md.tokens.new(name, md.clock(), **more)
        api.client.headers["Authorization"] = f"Bearer {word}"

    return become


async def test_no_debate_may_cost_more_than_the_token_has_left(api, as_caller):
    as_caller("carol", budget_usd=500.0)
    said = await api.chat(maxCostUsd=900)
    assert api.hosted.sessions.transcript(said["sessionId"]).brief.max_cost == 500.0
    error = await api.post("/api/chat", {**CHAT, "allowUnpriced": True}, 402)
    assert error["error"]["code"] == "over_budget"
    as_caller("dave", budget_usd=1.0, scope="all")
    api.hosted.md.tokens.charge({"dave": 1.0})
    asked = len(api.cast.asks)
    assert "budget" in (await api.post("/api/chat", CHAT, 402))["error"]["message"]
    path = f"/api/sessions/{said['sessionId']}/synthesize"
    assert (await api.post(path, None, 402))["error"]["code"] == "over_budget"
    assert len(api.cast.asks) == asked


async def test_a_quote_with_the_preset_auto_returns_what_a_model_proposes(api, monkeypatch):
    async def propose(ask, on_text):
        wanted = {"preset": "name", "mode": "own", "perspectives": [], "panel": [], "reason": "r"}
        return replace(blank(ask), content=json.dumps(wanted), cost_usd=0.01)

    monkeypatch.setattr(api.cast, "ask", propose)
    quote = await api.post("/api/quote", {**CHAT, "preset": "auto"})
    found = quote["proposal"]
    assert (found["by"], found["preset"], found["costUsd"]) == ("ada", "name", 0.01)
    assert (quote["preset"], quote["mode"]) == ("name", "ranking")


async def test_a_quote_asks_nobody(api):
    quote = await api.post("/api/quote", CHAT)
    assert quote["calls"] == 7
    assert quote["costUsd"] == pytest.approx(sum(line["costUsd"] for line in quote["lines"]))
    assert not api.cast.asks


# -- conversations


async def test_a_follow_up_knows_what_was_asked_and_answered(api):
    first = await api.chat()
    second = await api.chat(message="And in Python?", conversationId=first["sessionId"])
    third = await api.chat(message="Why?", conversationId=second["sessionId"])
    assert third["conversationId"] == first["sessionId"]
    heard = api.cast.asks[-1].head
    assert all(x in heard for x in (CHAT["message"], "And in Python?", first["answer"]))
    talk = await api.get(third["links"]["conversation"])
    assert [t["query"] for t in talk["turns"]] == [CHAT["message"], "And in Python?", "Why?"]
    assert talk["mode"] == "ranking"
    assert all(t["answer"] for t in talk["turns"])


async def test_nobody_goes_on_from_a_debate_that_has_no_answer_yet(api):
    name = await api.begun()
    body = {**CHAT, "conversationId": name}
    assert (await api.post("/api/chat", body, 409))["error"]["code"] == "held"


# -- requests that come twice


async def test_a_request_sent_twice_under_one_key_is_obeyed_once(api):
    both = await asyncio.gather(
        *(api.client.post("/api/chat", json=CHAT, headers={"Idempotency-Key": "k1", **WAIT})
          for _ in range(5))
    )  # fmt: skip
    assert len({b.json()["sessionId"] for b in both}) == 1
    assert sorted("idempotency-replayed" in b.headers for b in both) == [False] + [True] * 4
    assert len(api.cast.asks) == 7


async def test_a_key_stands_for_one_request_only(api):
    await api.post("/api/chat", CHAT, 202, Idempotency_Key="k1")
    other = {**CHAT, "message": "Something else?"}
    refused = await api.post("/api/chat", other, 409, Idempotency_Key="k1")
    assert refused["error"]["code"] == "key_reused"
    assert (await api.post("/api/quote", CHAT))["calls"]


async def test_a_key_of_a_request_that_was_refused_can_be_used_again(api):
    bad = {**CHAT, "mode": "no-such-mode"}
    await api.post("/api/chat", bad, 422, Idempotency_Key="k1")
    await api.post("/api/chat", CHAT, 202, Idempotency_Key="k1")


async def test_two_callers_may_have_the_same_key(api, as_caller):
    first = await api.post("/api/chat", CHAT, 202, Idempotency_Key="k1")
    as_caller("carol")
    second = await api.post("/api/chat", CHAT, 202, Idempotency_Key="k1")
    assert first["sessionId"] != second["sessionId"]


async def test_a_repeated_order_is_obeyed_once(api):
    name = (await api.chat())["sessionId"]
    for _ in range(3):
        path = f"/api/sessions/{name}/synthesize"
        await api.post(path, {"synthesizer": "eve"}, Idempotency_Key="s1", **WAIT)
    assert len([a for a in api.cast.asks if a.panelist.seat == "eve"]) == 1


async def test_keys_hold_across_a_restart(own_home):
    async with rest(own_home) as api:
        first = await api.post("/api/chat", CHAT, 200, Idempotency_Key="k1", **WAIT)
    async with rest(own_home) as api:
        again = await api.post("/api/chat", CHAT, 200, Idempotency_Key="k1", **WAIT)
        assert again["sessionId"] == first["sessionId"]
        assert not api.cast.asks


async def test_a_request_that_was_remembered_and_not_obeyed_is_made_anew(api):
    store, md = api.hosted.md.store, api.hosted.md
    await api.chat()
    key = {"Idempotency_Key": "k1"}
    first = await api.post("/api/chat", CHAT, 202, **key)
    known = store.find_repeat("", "k1", md.clock())
    store.remember("", "k2", (known.fingerprint, "0" * 36), md.clock())
    again = await api.post("/api/chat", CHAT, 202, Idempotency_Key="k2")
    assert again["sessionId"] not in (first["sessionId"], "0" * 36)


def test_the_panel_has_the_names_that_the_tests_say():
    assert CHAT["panel"] == PANEL


# -- programs of the machine that serves


async def test_a_program_is_not_run_for_a_remote_client_unless_the_configuration_allows_it(
    own_home,
):
    async with rest(own_home) as api:
        api.hosted.md.__dict__["find_route"] = lambda name: (
            Route(vendor="cli", model_id=name[4:])
            if name.startswith("cli:")
            else Route(vendor="given", model_id=name)
        )
        body = {**CHAT, "panel": ["ada", "bob", "cli:claude"]}
        for path in ("/api/chat", "/api/quote"):
            refused = await api.post(path, body, 422)
            assert "programs.remote" in refused["error"]["message"]
        name = (await api.chat())["sessionId"]
        synthesis = f"/api/sessions/{name}/synthesize"
        await api.post(synthesis, {"synthesizer": "cli:claude"}, 422)
        probed = await api.post("/api/agents/probe", {"agents": ["cli:claude", "ada"]})
        assert [a["available"] for a in probed["agents"]] == [False, True]
        assert not [a for a in api.cast.asks if "cli" in a.panelist.seat]
