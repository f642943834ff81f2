"""Sessions over REST: found, read in parts, ordered about, exported, deleted."""

from __future__ import annotations

import asyncio
import csv
import io
from typing import get_args

import pytest

from fakes.rest import CHAT, PANEL, WAIT, rest
from mutual_dissent.engine import directives
from mutual_dissent.store.debates import search
from mutual_dissent.store.debates.filters import ListFilters
from mutual_dissent.surfaces.rest.input import session_query
from mutual_dissent.surfaces.rest.input.session_query import Find


@pytest.fixture
async def api(own_home, monkeypatch):
    monkeypatch.setattr(directives, "EVERY", 0.01)
    async with rest(own_home) as found:
        yield found


@pytest.fixture
async def name(api):
    return (await api.chat())["sessionId"]


# -- finding


async def test_sessions_are_found_by_words_model_and_status_and_come_in_pages(api):
    ids = [(await api.chat(message=f"Question {i} of zebras?"))["sessionId"] for i in range(3)]
    other = (await api.chat(message="Lions?"))["sessionId"]
    page = await api.get("/api/sessions", params={"text": "zebras", "limit": 2})
    assert [s["sessionId"] for s in page["items"]] == ids[:0:-1]
    assert page["total"] == 3
    rest_ = await api.get(page["next"])
    assert [s["sessionId"] for s in rest_["items"]] == ids[:1]
    assert rest_["next"] is None
    for params, count in (
        ({"model": "ada"}, 4), ({"model": "nobody"}, 0), ({"status": "completed"}, 4),
        ({"status": "paused"}, 0), ({"since": "2000-01-01"}, 4), ({"until": "2000-01-01"}, 0),
        ({"since": "1d"}, 4), ({"mode": "ranking", "minAgreement": 0}, 4), ({"mode": "delphi"}, 0),
        ({"maxCost": 0}, 0), ({"minRating": 1}, 0), ({"vendor": "given"}, 4), ({"tag": "x"}, 0),
    ):  # fmt: skip
        assert (await api.get("/api/sessions", params=params))["total"] == count, params
    oldest = await api.get("/api/sessions", params={"order": "oldest"})
    assert oldest["items"][-1]["sessionId"] == other
    assert "(said by the panel itself)" in oldest["items"][0]["heading"]


def test_everything_that_the_record_can_be_searched_by_can_be_asked_for():
    assert set(Find.model_fields) - {"order", "limit", "offset"} == set(ListFilters.__annotations__)
    assert get_args(session_query.Order) == get_args(search.Order)


async def test_what_sessions_cannot_be_searched_by_is_refused(api):
    for params in ({"colour": "red"}, {"limit": 0}, {"minAgreement": 2}, {"since": "yesterday"}):
        assert (await api.get("/api/sessions", 422, params=params))["error"]["message"]


async def test_a_session_is_found_by_the_beginning_of_its_id(api, name):
    assert (await api.get(f"/api/sessions/{name[:8]}"))["transcript_id"] == name
    missing = await api.get("/api/sessions/00000000", 404)
    assert missing["error"]["code"] == "not_found"


# -- reading


async def test_a_session_that_is_under_way_can_be_read(api):
    name = await api.begun()
    now = await api.get(f"/api/sessions/{name}")
    assert (now["status"], now["synthesis"]) == ("active", None)
    layers = await api.get(f"/api/sessions/{name}/four-layers")
    assert layers["agentResponses"] == []


async def test_the_parts_of_a_session_are_those_of_its_transcript(api, name):
    here = f"/api/sessions/{name}"
    whole = await api.get(here)
    assert (await api.get(f"{here}/rounds"))["rounds"] == whole["rounds"]
    assert await api.get(f"{here}/rounds/1") == whole["rounds"][1]
    assert (await api.get(f"{here}/rounds/-1"))["responses"] == [whole["synthesis"]]
    first = whole["rounds"][0]["responses"][0]
    assert await api.get(f"{here}/responses/{first['key']}") == first
    said = await api.get(f"{here}/responses", params={"panelist": "ada", "roundNumber": 0})
    assert said["responses"] == [first]
    assert len((await api.get(f"{here}/responses"))["responses"]) == 7
    for missing in ("rounds/9", "responses/0/initial/nobody", "four-layers?roundNumber=7"):
        assert (await api.get(f"{here}/{missing}", 404))["error"]["message"]


async def test_the_four_layers_are_decision_agents_evidence_and_where_to_look_further(api, name):
    layers = await api.get(f"/api/sessions/{name}/four-layers")
    assert list(layers) == [
        "sessionId", "topic", "roundNumber", "decision", "agentResponses", "evidence", "metadata",
        "heading", "ledger", "failedAgents", "neededFromUser", "notes", "tally", "account",
    ]  # fmt: skip
    assert layers["tally"]["voters"] == len(PANEL)
    assert [a["agentId"] for a in layers["agentResponses"]] == PANEL
    assert layers["decision"]["actionRecommendation"]["type"] in ("proceed", "verify")
    assert layers["agentResponses"][0]["onTheOthers"]["bob"].startswith("partly: ")


async def test_what_is_said_about_a_debate_is_there_in_words_and_as_tables(api, name):
    said = await api.get(f"/api/sessions/{name}/account")
    assert said["heading"] == said["account"]["headline"]
    assert said["panel"]["rounds"][-1]["seats"] == PANEL
    assert [v["relation"] for v in said["panel"]["rounds"][-1]["rows"][0]["views"]] == [
        "partly", "partly",
    ]  # fmt: skip
    assert said["panel"]["ballots"][0]["rows"][0]["places"]
    assert "BOTTOM LINE" not in said["answer"]


async def test_letters_of_panelists_are_names_in_what_is_shown_and_letters_in_the_record(
    api, monkeypatch
):
    from fakes import structured

    def says(ask):
        letter = next((x for x, seat in ask.labels.items() if seat == "bob"), "nobody")
        return f"As {letter} says, tabs."

    monkeypatch.setattr(api.cast, "_cast", structured.form_fillers(*PANEL, says=says))
    done = await api.chat()
    assert done["answer"].startswith("As bob says, tabs.")
    said = await api.get(f"/api/sessions/{done['sessionId']}/account")
    stored = await api.get(f"/api/sessions/{done['sessionId']}")
    assert said["texts"][stored["synthesis"]["key"]] == done["answer"]
    assert stored["synthesis"]["content"].startswith("As Panelist ")


async def test_who_waits_has_the_answer_before_the_analyst_has_read_it(api):
    reading = asyncio.Event()
    asked = api.cast._cast.ask

    async def ask_slowly(ask, on_text):
        if ask.role == "analysis":
            await reading.wait()
        return await asked(ask, on_text)

    api.cast._cast.ask = ask_slowly
    done = await api.chat(analyst="ada")
    assert done["answer"]
    assert (done["status"], done["analysis"]) == ("active", "running")
    assert done["ledger"]["source"] == "panel"
    going_on = asyncio.create_task(
        api.client.post(f"/api/sessions/{done['sessionId']}/synthesize", headers=WAIT)
    )
    reading.set()
    assert (await going_on).status_code == 200  # not refused: it waited for the reader to end


async def test_sources_have_the_numbers_of_the_answer_and_who_named_them(api, monkeypatch):
    from fakes import structured

    text = "See https://a.example/x and https://b.example/y."
    monkeypatch.setattr(structured, "plainly", lambda ask: text)
    api.cast._cast = structured.form_fillers(*PANEL, says=lambda ask: text)
    said = await api.chat(mode="reflection")
    found = (await api.get(f"/api/sessions/{said['sessionId']}/citations"))["citations"]
    assert [(c["number"], c["url"]) for c in found] == [
        (1, "https://a.example/x"),
        (2, "https://b.example/y"),
    ]
    assert found[0]["citedBy"] == PANEL


async def test_a_session_is_exported_in_every_format(api, name):
    path = f"/api/sessions/{name}/export"
    text = await api.client.get(path, params={"format": "markdown"})
    assert text.headers["content-type"].startswith("text/markdown")
    assert CHAT["message"] in text.text
    assert f'_{name[:8]}.markdown"' in text.headers["content-disposition"]
    table = await api.client.get(path, params={"format": "csv"})
    assert len(list(csv.DictReader(io.StringIO(table.text)))) == 7
    assert (await api.client.get(path)).json()["transcript_id"] == name
    for content, times in (("false", 0), ("true", 1)):
        spans = await api.client.get(path, params={"format": "otlp", "content": content})
        assert spans.headers["content-type"] == "application/json"
        assert spans.text.count(CHAT["message"]) == times
        assert {
            s["traceId"] for s in spans.json()["resourceSpans"][0]["scopeSpans"][0]["spans"]
        } == {name.replace("-", "")}
    refused = await api.get(f"{path}?format=pdf", 422)
    assert "markdown" in refused["error"]["message"]


# -- orders


async def test_a_stopped_session_keeps_what_was_said_and_is_resumed(api):
    name = await api.begun()
    while len(api.hosted.sessions.partial(name)) < 3:
        await asyncio.sleep(0.01)
    here = f"/api/sessions/{name}"
    stopped = await api.post(f"{here}/stop", None, 200, **WAIT)
    assert stopped["status"] == "stopped"
    api.cast.open.set()
    done = await api.post(f"{here}/resume", None, 200, **WAIT)
    assert (done["status"], done["answer"]) == ("completed", "on synthesis -1")


async def test_a_paused_session_holds_after_the_calls_in_flight(api):
    name = await api.begun()
    here = f"/api/sessions/{name}"
    assert (await api.post(f"{here}/pause", None, 202))["status"] == "active"
    await api.ordered()
    api.cast.open.set()
    assert (await api.hosted.sessions.wait(name, 60)).status.value == "paused"
    assert len(api.cast.asks) < 7
    assert (await api.post(f"{here}/resume", {}, 200, **WAIT))["status"] == "completed"
    assert len(api.cast.asks) == 7


async def test_the_panel_hears_a_remark_with_the_next_requests(api):
    name = await api.begun(mode="reflection")
    await api.post(f"/api/sessions/{name}/tell", {"remark": "Think of the blind."}, 202)
    await api.ordered()
    api.cast.open.set()
    await api.hosted.sessions.wait(name, 60)
    assert any("Think of the blind." in a.text for a in api.cast.asks)


async def test_further_rounds_are_held_and_the_answer_is_written_anew(api):
    name = (await api.chat(mode="reflection"))["sessionId"]
    body = {"rounds": 1, "remark": "And screen readers?"}
    done = await api.post(f"/api/sessions/{name}/continue", body, 200, **WAIT)
    assert done["rounds"] == 3
    assert "And screen readers?" in api.cast.asks[-1].text
    assert len([a for a in api.cast.asks if a.role == "synthesis"]) == 2


async def test_an_answer_that_was_left_out_is_written_later_by_whom_one_likes(api):
    bare = await api.chat(synthesize=False)
    assert bare["isFallback"]
    path = f"/api/sessions/{bare['sessionId']}/synthesize"
    done = await api.post(path, {"synthesizer": "eve"}, 200, **WAIT)
    assert (done["answerBy"], done["isFallback"]) == ("eve", False)


async def test_ballots_are_counted_again_without_asking_anybody(api, name):
    asked = len(api.cast.asks)
    path = f"/api/sessions/{name}/decide"
    found = await api.post(path, {"rule": "all"})
    assert found["candidates"] == PANEL
    assert {d["rule"] for d in found["decisions"]} >= {"borda", "schulze", "kemeny"}
    assert (await api.post(path, None))["decisions"][0]["rule"] == "borda"
    assert (await api.post(path, {"rule": "dice"}, 422))["error"]["code"] == "unknown_name"
    assert len(api.cast.asks) == asked


async def test_how_a_session_turned_out_is_put_on_record_and_replaced(api, name):
    here, asked = f"/api/sessions/{name}", len(api.cast.asks)
    told = await api.post(f"{here}/outcome", {"outcome": "Right", "note": "it runs"})
    assert told["outcome"] == "right"
    assert "It turned out right (it runs)." in told["heading"]
    await api.post(f"{here}/outcome", {"outcome": "wrong"})
    assert (await api.get(here))["outcome"]["outcome"] == "wrong"
    assert (await api.get("/api/sessions", params={"graded": True}))["total"] == 1
    assert (await api.post(f"{here}/outcome", {"outcome": ""}, 422))["error"]["message"]
    assert (await api.get("/api/panel", 422))["error"]["message"].endswith("look at a recording")
    assert len(api.cast.asks) == asked


async def test_what_does_not_fit_the_session_is_refused_with_a_reason(api, name):
    here = f"/api/sessions/{name}"
    for path, status in (("pause", 409), ("stop", 409), ("continue", 422)):
        assert (await api.post(f"{here}/{path}", None, status))["error"]["message"]
    assert (await api.post(f"{here}/tell", {"remark": "x"}, 409))["error"]["code"] == "not_running"


# -- deleting


async def test_a_deleted_session_leaves_nothing_behind(api, name, own_home):
    files = list((own_home / "transcripts").iterdir())
    assert len(files) == 1
    assert (await api.client.delete(f"/api/sessions/{name}")).status_code == 204
    await api.get(f"/api/sessions/{name}", 404)
    assert list((own_home / "transcripts").iterdir()) == []
    stats = await api.get("/api/stats")
    assert stats["spending"] == []


async def test_a_session_that_is_under_way_is_not_deleted(api):
    name = await api.begun()
    refused = await api.client.delete(f"/api/sessions/{name}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "held")


# -- the rest


async def test_the_catalogue_names_what_can_be_asked_for(api, name):
    modes = await api.get("/api/modes")
    assert {m["name"] for m in modes["modes"]} == set(api.hosted.md.modes)
    assert {"borda", "schulze"} <= set(modes["rules"])
    presets = await api.get("/api/presets")
    assert {p["name"] for p in presets["presets"]} == set(api.hosted.md.settings.presets)
    models = await api.get("/api/models")
    assert {a["alias"] for a in models["aliases"]} == set(api.hosted.md.settings.aliases)
    agents = await api.get("/api/agents")
    assert {a["healthy"] for a in agents["agents"]} == {None}
    stats = await api.get("/api/stats", params={"by": "day"})
    assert stats["record"]["lookedAt"] == 1
    assert len(stats["spending"]) == 1


async def test_who_can_be_reached_is_asked_only_by_a_post(api):
    assert not api.cast.asks
    found = await api.post("/api/agents/probe", {"agents": ["ada", "nobody"]})
    assert [(a["agentId"], a["healthy"]) for a in found["agents"]] == [
        ("ada", True),
        ("nobody", False),
    ]
    assert len(api.cast.asks) == 2
    for path in ("models", "modes", "presets", "agents", "stats", "sessions"):
        await api.get(f"/api/{path}")
    assert len(api.cast.asks) == 2


# -- spelling

OWN_NAMES = {"rounds", "responses"}
"""Under these, what comes is in the format of transcripts."""


def fields_of(value, within=""):
    """Every key of an answer, with its place; not those of the transcript format."""
    if isinstance(value, list):
        return {k for part in value for k in fields_of(part, within)}
    if not isinstance(value, dict):
        return set()
    found = {f"{within}.{name}" for name in value}
    own = (fields_of(v, f"{within}.{name}") for name, v in value.items() if name not in OWN_NAMES)
    return found.union(*own)


async def test_every_answer_but_the_transcript_itself_is_in_camel_case(api):
    name = (await api.chat(mode="ranking"))["sessionId"]
    here = f"/api/sessions/{name}"
    parts = ("account", "four-layers", "citations", "rounds", "responses")
    looks = [f"{here}/{part}" for part in parts] + [f"/api/conversations/{name}"]
    looks += [f"/api/{what}" for what in ("sessions", "modes", "presets", "agents")]
    looks += ["/api/models?text=a", "/api/stats", "/api/stats?by=day"]
    said = {look: await api.get(look) for look in looks}
    said["quote"] = await api.post("/api/quote", CHAT)
    said["decide"] = await api.post(f"{here}/decide", {"rule": "all"})
    said["state"] = await api.post(f"{here}/resume")
    for look, answer in said.items():
        assert not {f for f in fields_of(answer) if "_" in f}, look
    assert said["quote"]["panel"][0]["route"]["modelId"]
    assert said["/api/sessions"]["items"][0].keys() >= {"sessionId", "costUsd", "createdAt"}
    transcript = await api.get(here)
    assert transcript["transcript_id"] == name
    assert said[f"{here}/rounds"]["rounds"] == transcript["rounds"]


async def test_a_presets_values_are_fields_that_a_debate_can_be_asked_with(own_home):
    configured(own_home, "[presets.thrifty]\nmax_cost = 1.5\ncall_timeout = 30\n")
    async with rest(own_home) as api:
        presets = (await api.get("/api/presets"))["presets"]
        [thrifty] = [p for p in presets if p["name"] == "thrifty"]
        assert thrifty["values"] == {"maxCostUsd": 1.5, "callTimeout": 30}
        await api.post("/api/quote", {**CHAT, **thrifty["values"]})


def configured(home, text):
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(text)
    (home / "config.toml").chmod(0o600)


async def test_names_that_are_somebodys_words_stay_as_they_are(own_home):
    alias = '[model_aliases]\nmy_own_model = "ollama:qwen_3"\n'
    configured(own_home, alias + '[personas.old_hand]\ninstructions = "Be wise."\n')
    async with rest(own_home, seats=["a_b", "c_d", "e_f"]) as api:
        assert "my_own_model" in {a["alias"] for a in (await api.get("/api/models"))["aliases"]}
        assert "old_hand" in {p["name"] for p in (await api.get("/api/modes"))["personas"]}
        name = (await api.chat(mode="ranking", panel=["a_b", "c_d", "e_f"]))["sessionId"]
        counted = await api.post(f"/api/sessions/{name}/decide", {"rule": "borda"})
        assert set(counted["decisions"][0]["scores"]) == {"a_b", "c_d", "e_f"}
        assert set(counted["ballots"]) == {"a_b", "c_d", "e_f"}
