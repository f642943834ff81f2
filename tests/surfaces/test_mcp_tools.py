"""The twelve tools as clients of both protocol eras meet them."""

from __future__ import annotations

import asyncio
import json
import sqlite3

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from fakes.roundtable import ERAS, PANEL, Panel, differently, roundtable
from mutual_dissent.core.events import Status

TWELVE = [
    "start_roundtable", "continue_roundtable", "control_session", "list_sessions",
    "get_consensus", "get_thoughts", "export_session", "synthesize_debate",
    "get_round_details", "get_response_detail", "get_citations", "get_agents",
]  # fmt: skip


@pytest.fixture
async def table(tmp_path):
    async with roundtable(tmp_path, Panel(says=differently)) as made:
        yield made


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


async def test_there_are_exactly_the_twelve_tools_in_their_order(table, era):
    async with table.client(era) as ask:
        listed = (await ask.client.list_tools()).tools
        assert [t.name for t in listed] == TWELVE
        plain = [t.model_dump(by_alias=True, exclude_none=True) for t in listed]
        assert len(json.dumps(plain, separators=(",", ":"))) <= 29_050
        for tool in listed:
            assert tool.title
            assert len(tool.description.encode()) <= 700
            assert tool.annotations.read_only_hint is not None
            assert tool.annotations.open_world_hint is not None
            assert tool.output_schema["type"] == "object"
            assert tool.input_schema["additionalProperties"] is False
        spending = [t.name for t in listed if not t.annotations.read_only_hint]
        assert spending == [
            "start_roundtable", "continue_roundtable", "control_session", "synthesize_debate",
        ]  # fmt: skip


async def test_start_has_the_arguments_of_the_protocol(table, era):
    async with table.client(era) as ask:
        start, go_on = (await ask.client.list_tools()).tools[:2]
        assert set(start.input_schema["properties"]) == {
            "topic", "mode", "agents", "preset", "perspectives", "roles", "teams", "rounds",
            "exitCriteria", "context", "conversationId", "recall", "analyst", "answer", "wait",
            "maxCostUsd", "grace", "due", "pictures",
        }  # fmt: skip
        arguments = start.input_schema["properties"]
        assert [n for n, a in arguments.items() if "enum" in a and "description" not in a] == []
        wait = arguments["wait"]
        assert (wait["default"], wait["minimum"], wait["maximum"]) == (45, 0, 300)
        assert list(go_on.input_schema["properties"]) == [
            "sessionId", "rounds", "focusQuestion", "hostStatement", "wait",
        ]  # fmt: skip


async def test_addresses_as_context_are_fetched_from_the_public_web_alone(table, era):
    async with table.client(era) as ask:
        said = await ask.client.call_tool(
            "start_roundtable", {"topic": "Sound?", "context": "http://127.0.0.1/x"}
        )
        assert said.is_error
        assert "was not fetched: '127.0.0.1' is not on the public web" in said.content[0].text


async def test_a_debate_comes_back_in_four_layers_without_a_synthesis(table, era):
    async with table.client(era) as ask:
        said = await ask.start(
            rounds=2, exitCriteria={"consensusThreshold": 1, "convergenceRounds": 9}
        )
        assert said["status"] == "completed"
        assert said["topic"] == "Tabs or spaces?"
        assert said["roundNumber"] == 1
        assert said["decision"]["consensusLevel"] == "medium"
        assert said["decision"]["actionRecommendation"]["type"] == "verify"
        assert [a["agentId"] for a in said["agentResponses"]] == PANEL
        ada = said["agentResponses"][0]
        assert ada["position"] == "Tabs are better."
        assert ada["onTheOthers"] == {"bob": "partly: the words", "cyd": "partly: the words"}
        assert ada["changed"] == "nothing"
        assert said["ledger"]["source"] == "panel"
        holders = [h for p in said["ledger"]["positions"] for h in p["holders"]]
        assert sorted(holders) == PANEL
        assert said["agentResponses"][0]["keyPoints"]
        assert said["agentResponses"][0]["confidenceChange"]["previousRound"] == 0
        assert said["evidence"]["groupthinkWarning"]["detected"] is False
        assert said["metadata"]["detailReference"] == {
            "tool": "get_round_details",
            "params": {"sessionId": said["sessionId"], "roundNumber": 1},
        }
        assert said["metadata"]["exitReason"] == "max_rounds"
        assert "synthesize_debate" in said["next"]
        assert {a.role for a in table.panel.asks} == {"initial", "reflection"}


async def test_a_debate_goes_on_from_the_one_that_the_client_chose(table, era):
    async with table.client(era) as ask:
        first = (await ask.start(rounds=1))["sessionId"]
        table.panel.asks.clear()
        second = await ask.start(topic="And in Makefiles?", conversationId=first[:8], rounds=1)
        assert second["sessionId"] != first
        head = table.panel.asks[0].head
        assert "Tabs" in head[: head.index("And in Makefiles?")]
        wrong = {"topic": "And?", "conversationId": "0000dead"}
        said = await ask.client.call_tool("start_roundtable", wrong)
        assert said.is_error
        assert "0000dead" in said.content[0].text


async def test_only_synthesize_debate_synthesizes_and_pays_once(table, era):
    async with table.client(era) as ask:
        session = (await ask.start(rounds=1))["sessionId"]
        first = await ask("synthesize_debate", sessionId=session)
        assert (first["agentId"], first["content"]) == ("ada", "Tabs are better.")
        calls = len(table.panel.asks)
        assert await ask("synthesize_debate", sessionId=session) == first
        assert len(table.panel.asks) == calls
        other = await ask("synthesize_debate", sessionId=session, synthesizer="eve")
        assert other["agentId"] == "eve"
        assert len(table.panel.asks) == calls + 1
        await ask("continue_roundtable", sessionId=session)
        assert [a.role for a in table.panel.asks].count("synthesis") == 2


async def test_the_answer_comes_while_the_analyst_still_reads_it(table, era, monkeypatch):
    reading = asyncio.Event()
    asked = table.panel._cast.ask

    async def ask_slowly(wanted, on_text):
        if wanted.role == "analysis":
            await reading.wait()
        return await asked(wanted, on_text)

    monkeypatch.setattr(table.panel._cast, "ask", ask_slowly)
    async with table.client(era) as ask:
        session = (await ask.start(rounds=1, analyst="eve"))["sessionId"]
        first = await ask("synthesize_debate", sessionId=session)
        assert (first["status"], first["analysis"]) == ("active", "running")
        assert first["content"] == "Tabs are better."
        assert first["ledger"]["source"] == "panel"
        assert "get_consensus" in first["next"]
        reading.set()
        await table.hosted.sessions.wait(session, 60)
        read = await ask("get_consensus", sessionId=session)
        assert (read["ledger"]["source"], read["ledger"]["analyst"]) == ("analyst", "eve")


async def test_the_panel_hears_the_hosts_own_view_as_such(table, era):
    async with table.client(era) as ask:
        session = (await ask.start(rounds=1))["sessionId"]
        told = await ask(
            "continue_roundtable",
            sessionId=session,
            rounds=2,
            hostStatement="I prefer spaces.",
            focusQuestion="What do beginners read best?",
        )
        assert told["roundNumber"] == 2
        heard = [a.text for a in table.panel.asks if a.round_number == 1 and a.role == "reflection"]
        assert len(heard) == len(PANEL)
        for text in heard:
            assert "host's own model" in text
            assert "I prefer spaces." in text
            assert "What do beginners read best?" in text


async def test_a_long_debate_goes_on_by_its_id(table, era):
    async with table.client(era) as ask:
        table.panel.open.clear()
        begun = await ask.start(rounds=1, wait=0)
        assert begun["status"] in ("created", "active")
        assert "get_consensus" in begun["next"]
        assert begun["agentResponses"] == []
        assert begun["decision"] is None
        assert begun["ledger"] is None
        session = begun["sessionId"]
        poll = await ask("get_consensus", sessionId=session, wait=0.01)
        assert (poll["status"], poll["agreementLevel"]) == ("active", None)
        assert "get_consensus" in await ask.refused("continue_roundtable", sessionId=session)
        table.panel.open.set()
        done = await ask("get_consensus", sessionId=session, wait=60)
        assert done["status"] == "completed"
        assert len(done["clusters"]) > 1
        assert done["clusters"][0]["agentIds"]
        assert list(done["nuances"]) == [
            "partialAgreements", "conditionalPositions", "uncertainties",
        ]  # fmt: skip
        assert done["reasoning"]
        assert done["decision"]["consensusLevel"] == "unknown"
        assert done["decision"]["agreementScore"] is None
        assert done["decision"]["actionRecommendation"]["type"] != "proceed"
        assert done["heading"]


async def test_whoever_asks_late_gets_all_four_layers(table, era):
    async with table.client(era) as ask:
        begun = await ask.start(rounds=1)
        late = await ask("get_consensus", sessionId=begun["sessionId"])
        assert {k: late[k] for k in begun} == begun
        assert late["evidence"]["groupthinkWarning"]["detected"] is False
        assert late["metadata"]["exitReason"] == "max_rounds"
        assert late["costUsd"] == begun["costUsd"]


async def test_before_the_first_round_has_ended_there_is_no_decision(table, era):
    async with table.client(era) as ask:
        table.panel.open.clear()
        session = (await ask.start(rounds=1, wait=0))["sessionId"]
        poll = await ask("get_consensus", sessionId=session, wait=0)
        assert poll["decision"] is None
        assert poll["metadata"]["verificationHints"] == []
        table.panel.open.set()
        await table.hosted.sessions.wait(session, 60)


MODES_AND_NEXT = [
    ("collaborative", {"rounds": 1}, "continue_roundtable"),
    ("collaborative", {"rounds": 10}, None),
    ("consensus", {}, None),
    ("single", {"agents": ["ada"]}, None),
]


@pytest.mark.parametrize(("mode", "given", "way_on"), MODES_AND_NEXT)
async def test_only_what_will_be_accepted_is_recommended(table, mode, given, way_on):
    never = {"exitCriteria": {"consensusThreshold": 1, "convergenceRounds": 10}}
    more = never if given.get("rounds", 1) > 1 else {}
    async with table.client() as ask:
        said = await ask.start(mode=mode, **given, **more)
        recommended = "continue_roundtable" in said["next"]
        assert recommended is bool(way_on)
        call = {"sessionId": said["sessionId"], "rounds": 1}
        if recommended:
            await ask("continue_roundtable", **call)
        else:
            await ask.refused("continue_roundtable", **call)
        if "synthesize_debate" in said["next"]:
            await ask("synthesize_debate", sessionId=said["sessionId"])


async def test_the_answer_of_one_model_alone_comes_back_whole(table, era):
    async with table.client(era) as ask:
        said = await ask.start(mode="single", agents=["ada"])
        assert (said["answer"], said["answerBy"]) == ("Tabs are better.", "ada")
        late = await ask("get_consensus", sessionId=said["sessionId"])
        assert late["answer"] == "Tabs are better."


async def test_who_plays_which_part_is_said(table):
    async with table.client() as ask:
        roles = {"ada": "PRIMARY", "bob": "OPPOSITION", "cyd": "EVALUATOR"}
        said = await ask.start(mode="devils-advocate", roles=roles, rounds=1)
        assert {a["agentId"]: a["agentRole"] for a in said["agentResponses"]} == roles
        assert all(a["stance"] for a in said["agentResponses"])
        teams = {"ada": "red", "bob": "blue", "cyd": "blue"}
        said = await ask.start(mode="red-team-blue-team", teams=teams, rounds=1)
        assert {a["agentId"]: a["team"] for a in said["agentResponses"]} == teams
        views = ["law", "cost", "craft"]
        said = await ask.start(mode="expert-panel", perspectives=views, rounds=1)
        assert [a["perspective"] for a in said["agentResponses"]] == views
        detail = await ask("get_response_detail", sessionId=said["sessionId"], agentId="ada")
        assert detail["perspective"] == "law"


async def test_ballots_critiques_and_how_the_votes_fell_are_said(table):
    async with table.client() as ask:
        said = await ask.start(mode="hybrid")
        assert said["tally"]["winners"]
        assert said["tally"]["voters"] == 3
        assert set(said["tally"]["points"]) == set(PANEL)
        details = await ask("get_round_details", sessionId=said["sessionId"])
        for voter in details["responses"]:
            assert voter["ballot"]
            assert {"strengths", "weaknesses"} <= set(next(iter(voter["critique"].values())))


async def test_who_failed_what_is_missing_and_what_was_noted_is_said(tmp_path):
    def says(ask):
        if ask.panelist.seat == "cyd":
            raise RuntimeError("out of order")
        return "Tabs.\nNEEDED FROM THE USER: your editor"

    async with roundtable(tmp_path, Panel(says=says)) as made, made.client() as ask:
        said = await ask.start(mode="reflection", rounds=1)
        assert [f["agentId"] for f in said["failedAgents"]] == ["cyd"]
        assert said["failedAgents"][0]["details"]
        assert any("your editor" in n for n in said["neededFromUser"])
        assert any("cyd" in n for n in said["notes"])
        assert said["tally"] is None


async def test_a_poll_for_a_round_returns_when_that_round_has_ended(table, era):
    async with table.client(era) as ask:
        table.panel.open.clear()
        session = (await ask.start(rounds=2, wait=0))["sessionId"]
        table.panel.open.set()
        found = await ask("get_consensus", sessionId=session[:8], roundNumber=0, wait=60)
        assert found["roundNumber"] == 0
        assert found["decision"]["consensusLevel"] == "unknown"
        assert "no round 7" in await ask.refused(
            "get_consensus", sessionId=session, roundNumber=7, wait=60
        )


async def taken(table):
    """Wait until the order has been taken by whoever runs the debate."""
    with sqlite3.connect(table.hosted.md.store.path) as db:
        while db.execute("SELECT count(*) FROM directives").fetchone()[0]:
            await asyncio.sleep(0.02)
    db.close()


async def test_a_session_is_paused_resumed_and_stopped(table, era):
    async with table.client(era) as ask:
        table.panel.open.clear()
        session = (await ask.start(rounds=2, wait=0))["sessionId"]
        await table.panel.begun.wait()
        assert "pauses" in (await ask("control_session", sessionId=session, action="pause"))["next"]
        await taken(table)
        table.panel.open.set()
        paused = await table.hosted.sessions.wait(session, 60)
        assert paused.status is Status.PAUSED
        table.panel.open.clear()
        table.panel.begun.clear()
        assert (await ask("control_session", sessionId=session, action="resume"))[
            "status"
        ] == "active"
        await table.panel.begun.wait()
        await ask("control_session", sessionId=session, action="stop")
        stopped = await table.hosted.sessions.wait(session, 60)
        assert stopped.status is Status.STOPPED
        assert "resume" in await ask.refused("continue_roundtable", sessionId=session)
        assert "resume" in await ask.refused("control_session", sessionId=session, action="pause")
        table.panel.open.set()
        await ask("control_session", sessionId=session, action="resume")
        assert (await table.hosted.sessions.wait(session, 60)).status is Status.COMPLETED
        assert "continue_roundtable" in await ask.refused(
            "control_session", sessionId=session, action="resume"
        )
        assert len({a.key for a in table.panel.asks if a.round_number == 0}) == len(PANEL)


async def test_details_lead_from_the_round_to_the_single_answer(table, era):
    async with table.client(era) as ask:
        session = (await ask.start(rounds=1))["sessionId"]
        round_ = await ask("get_round_details", sessionId=session)
        assert [r["agentId"] for r in round_["responses"]] == PANEL
        assert round_["rounds"] == [0]
        assert not any(r["truncated"] for r in round_["responses"])
        one = await ask("get_response_detail", sessionId=session, agentId="bob", roundNumber=0)
        assert one["content"].startswith("Spaces are better.")
        assert one["citations"] == [{"url": "https://example.org/style?utm_source=x", "title": ""}]
        thoughts = await ask("get_thoughts", sessionId=session, agentId="bob")
        assert [t["roundNumber"] for t in thoughts["thoughts"]] == [0]
        assert thoughts["thoughts"][0]["reasoning"].startswith("because of Spaces")
        cited = await ask("get_citations", sessionId=session)
        assert [(c["number"], c["citedBy"]) for c in cited["citations"]] == [(1, ["bob"])]
        assert (await ask("get_citations", sessionId=session, agentId="ada"))["citations"] == []


@pytest.mark.parametrize(
    ("tool", "given", "hint"),
    [
        ("get_round_details", {"roundNumber": 3}, "its rounds are 0"),
        ("get_response_detail", {"agentId": "xyz"}, "choose from ada, bob, cyd"),
        ("get_response_detail", {"agentId": "ada", "roundNumber": 4}, "get_round_details"),
        ("get_thoughts", {"agentId": "adda"}, "did you mean 'ada'?"),
    ],
)
async def test_what_is_not_there_is_answered_with_what_is(table, tool, given, hint):
    async with table.client() as ask:
        session = (await ask.start(rounds=1))["sessionId"]
        assert hint in await ask.refused(tool, sessionId=session, **given)


async def test_sessions_are_listed_searched_and_paged(table, era):
    async with table.client(era) as ask:
        for n in range(3):
            await ask.start(topic=f"Question {n} about harbours", rounds=1)
        await ask.start(topic="Something else", rounds=1)
        page = await ask("list_sessions", search="harbours", pageSize=2)
        assert [s["topic"][:10] for s in page["sessions"]] == ["Question 2", "Question 1"]
        assert (page["total"], page["hasMore"]) == (3, True)
        rest = await ask("list_sessions", search="harbours", pageSize=2, page=2)
        assert (len(rest["sessions"]), rest["hasMore"]) == (1, False)
        assert (await ask("list_sessions", status="paused"))["sessions"] == []
        for odd in ('"', "NEAR(", "*", "'; DROP TABLE debates", "a OR b", "\u0000"):
            await ask("list_sessions", search=odd)


async def test_agents_are_listed_and_probed_on_request_only(table, era):
    async with table.client(era) as ask:
        seen = await ask("get_agents")
        assert seen["agents"]
        assert all(a["healthy"] is None for a in seen["agents"])
        assert not table.panel.asks
        probed = await ask("get_agents", agents=["ada", "nobody"], probe=True)
        assert [(a["agentId"], a["healthy"]) for a in probed["agents"]] == [
            ("ada", True),
            ("nobody", False),
        ]
        assert len(table.panel.asks) == 2


async def test_long_answers_are_cut_with_a_hint_and_come_whole_in_pieces(tmp_path):
    long = " ".join(f'wörd{i} "quoted"' for i in range(500))
    async with roundtable(tmp_path, Panel(says=lambda _: long)) as table, table.client() as ask:
        said = await ask.start(rounds=1)
        session = said["sessionId"]
        details = await ask("get_round_details", sessionId=session)
        assert "get_response_detail" in details["hint"]
        whole, offset = "", 0
        while offset is not None:
            piece = await ask(
                "get_response_detail", sessionId=session, agentId="ada", offset=offset
            )
            whole += piece["content"]
            offset = piece.get("nextOffset")
        assert len(whole) == piece["totalCharacters"]
        assert long in whole
        for form in ("markdown", "adr", "json"):
            text, offset = "", 0
            while offset is not None:
                piece = await ask("export_session", sessionId=session, format=form, offset=offset)
                text += piece["content"]
                offset = piece.get("nextOffset")
            assert len(text) == piece["totalCharacters"]
        assert json.loads(text)["transcript_id"] == session
        for tool in ("get_thoughts", "get_consensus", "get_citations"):
            more = {"agentId": "ada"} if tool == "get_thoughts" else {}
            await ask(tool, sessionId=session, **more)
        await ask("synthesize_debate", sessionId=session)
        [shown] = (await ask.client.read_resource(f"roundtable://sessions/{session}")).contents
        assert len(shown.text) <= 20_000
        assert "export_session" in shown.text[-200:]


async def test_sessions_are_resources(table, era):
    async with table.client(era) as ask:
        session = (await ask.start(rounds=1))["sessionId"]
        [template] = (await ask.client.list_resource_templates()).resource_templates
        assert template.uri_template == "roundtable://sessions/{sessionId}"
        [found] = (await ask.client.list_resources()).resources
        assert (found.uri, found.title) == (f"roundtable://sessions/{session}", "Tabs or spaces?")
        [shown] = (await ask.client.read_resource(found.uri)).contents
        assert shown.mime_type == "text/markdown"
        assert "Spaces are better." in shown.text
        for name in ("11111111-2222-4333-8444-555555555555", "..%2F..%2Fetc%2Fpasswd", "x"):
            with pytest.raises(Exception, match=r"list_sessions|not found|Unknown"):
                await ask.client.read_resource(f"roundtable://sessions/{name}")


async def test_clients_of_the_stateless_era_hear_of_new_sessions(table):
    async with (
        table.client("2026-07-28") as ask,
        table.client("2026-07-28") as other,
        ask.client.listen(resources_list_changed=True) as news,
    ):
        await other.start(rounds=1, wait=0)
        assert type(await anext(aiter(news))).__name__ == "ResourcesListChanged"


async def test_prompts_ask_for_a_roundtable(table, era):
    async with table.client(era) as ask:
        listed = (await ask.client.list_prompts()).prompts
        assert [p.name for p in listed] == [
            "debate_decision", "review_design", "check_claim", "join_debate",
        ]  # fmt: skip
        given = {
            "debate_decision": {"decision": "Tabs", "agents": "ada, bob"},
            "review_design": {"design": "Tabs"},
            "check_claim": {"claim": "Tabs"},
            "join_debate": {"sessionId": "12345678"},
        }
        for name, arguments in given.items():
            [message] = (await ask.client.get_prompt(name, arguments)).messages
            assert "roundtable" in message.content.text
        for name in ("none_such", "debate_decision"):
            with pytest.raises(MCPError) as refused:
                await ask.client.get_prompt(name)
            assert refused.value.error.code == -32602


async def test_arguments_are_completed(table, era):
    async with table.client(era) as ask:
        session = (await ask.start(rounds=1))["sessionId"]
        about = PromptReference(name="debate_decision")

        async def completed(ref, name, value):
            return (
                await ask.client.complete(ref, {"name": name, "value": value})
            ).completion.values

        assert await completed(about, "mode", "del") == ["delphi"]
        assert await completed(about, "agents", "claude,g") == [
            "claude,gpt", "claude,gemini", "claude,grok",
        ]  # fmt: skip
        assert "thorough" in await completed(about, "preset", "")
        assert await completed(about, "decision", "x") == []
        template = ResourceTemplateReference(uri="roundtable://sessions/{sessionId}")
        assert await completed(template, "sessionId", session[:4]) == [session]


async def test_sixty_four_calls_at_once_get_each_their_own_answer(table):
    async with table.client() as ask:
        await ask.schemas()
        begun = await asyncio.gather(
            *(ask.start(topic=f"Question {n}?", rounds=1, wait=120) for n in range(64))
        )
        assert {b["topic"] for b in begun} == {f"Question {n}?" for n in range(64)}
        assert len({b["sessionId"] for b in begun}) == 64
        one = begun[0]["sessionId"]
        same = await asyncio.gather(*(ask("get_round_details", sessionId=one) for _ in range(64)))
        assert all(found == same[0] for found in same)


async def test_a_completed_session_is_resolved_by_its_outcome(table, era):
    async with table.client(era) as ask:
        session = (await ask.start())["sessionId"]
        order = {"sessionId": session, "action": "resolve"}
        assert "needs outcome" in await ask.refused("control_session", **order)
        told = await ask("control_session", **order, outcome="right")
        assert told["next"] == "It turned out right."
        assert table.hosted.sessions.transcript(session).outcome.outcome == "right"
