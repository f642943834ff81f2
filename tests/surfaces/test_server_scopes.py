"""Whose debates a token sees and changes: its own, all to look at, or all."""

from __future__ import annotations

from contextlib import asynccontextmanager

import httpx
import httpx2
import openai as sdk
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceTemplateReference

from fakes.gate import Gate
from fakes.ledgers import unread
from fakes.mcp_process import HELLO
from fakes.roundtable import ERAS, Table
from fakes.served import served
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.http.backend import host
from mutual_dissent.surfaces.mcp.transport.http import mcp_part
from mutual_dissent.surfaces.openai import openai
from mutual_dissent.surfaces.rest import api

BODY = {"message": "Tabs or spaces?", "panel": ["ada", "bob"], "mode": "reflection"}
SURFACES = [api, openai, mcp_part]
SESSION = "{session_id}"
ORDERS = ["pause", "stop", "resume", "continue", "synthesize", "analyze", "tell", "again", "hurry"]


@asynccontextmanager
async def as_token(url, md, name, scope):
    word = md.tokens.new(name, md.clock(), scope=scope)
    field = {"authorization": f"Bearer {word}"}
    async with httpx.AsyncClient(base_url=url, headers=field, timeout=60) as client:
        yield client


@pytest.fixture
async def place(tmp_path):
    gate = Gate()
    gate.open.set()
    world = {"provider": gate, "prices": Tariff()}
    async with MutualDissent(home=unread(tmp_path / "h"), env={}, **world) as md:
        hosted = host(md)
        async with served(hosted, SURFACES) as url, as_token(url, md, "alice", "own") as alice:
            started = await alice.post("/api/chat", json=BODY, headers={"Prefer": "wait=60"})
            name = started.json()["sessionId"]
            await hosted.sessions.wait(name, 60)
            yield url, md, name, alice


def body_of(order: str) -> dict:
    return {"tell": {"remark": "x"}, "again": {"key": "0/initial/ada"}}.get(order, {})


async def test_a_debate_belongs_to_the_token_that_began_it(place):
    _, md, name, alice = place
    assert md.store.transcript(name).brief.owner == "alice"
    assert (await alice.get(f"/api/sessions/{name}")).status_code == 200
    listed = (await alice.get("/api/sessions")).json()
    assert name in str(listed)


async def test_another_token_does_not_even_learn_that_it_is_there(place):
    url, md, name, _ = place
    asked = len(md.provider.asks)
    async with as_token(url, md, "mallory", "own") as mallory:
        document = (await mallory.get("/api/openapi.json")).json()["paths"]
        looks = [p for p, ways in document.items() if SESSION in p and "get" in ways]
        assert len(looks) > 8
        for look in looks:
            place_of = {SESSION: name, "{round_number}": "0", "{key}": "0/initial/ada"}
            place_of["{sha256}"] = "0" * 64
            for blank, value in place_of.items():
                look = look.replace(blank, value)
            answer = await mallory.get(look)
            assert answer.status_code == 404, answer.text
            assert "not_found" in answer.text, answer.text
        for order in ORDERS:
            answer = await mallory.post(f"/api/sessions/{name}/{order}", json=body_of(order))
            assert answer.status_code == 404, (order, answer.text)
        assert (await mallory.delete(f"/api/sessions/{name}")).status_code == 404
        assert (await mallory.get(f"/api/sessions/{name[:8]}")).status_code == 404
        assert name not in (await mallory.get("/api/sessions")).text
        follow = {**BODY, "conversationId": name}
        assert (await mallory.post("/api/chat", json=follow)).status_code == 404
    assert len(md.provider.asks) == asked
    assert md.store.transcript(name)


async def test_a_token_that_reads_sees_all_and_changes_only_its_own(place):
    url, md, name, _ = place
    async with as_token(url, md, "auditor", "read") as auditor:
        assert (await auditor.get(f"/api/sessions/{name}")).status_code == 200
        assert name in (await auditor.get("/api/sessions")).text
        for order in ORDERS:
            answer = await auditor.post(f"/api/sessions/{name}/{order}", json=body_of(order))
            if order == "resume":  # it is finished: that is told, and nobody is asked
                assert answer.status_code == 200
                continue
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_yours"), order
        assert (await auditor.delete(f"/api/sessions/{name}")).status_code == 403
        own = await auditor.post("/api/chat", json=BODY, headers={"Prefer": "wait=60"})
        assert own.status_code in (200, 202), own.text
    assert md.store.transcript(name)


async def test_a_token_for_all_may_delete_anything(place):
    url, md, name, _ = place
    async with as_token(url, md, "root", "all") as root:
        assert (await root.delete(f"/api/sessions/{name}")).status_code in (200, 204)
    assert md.store.count() == 0


async def test_without_a_token_all_is_seen(place):
    _, md, name, _ = place
    assert md.store.find(name[:8]) == name
    assert [r.transcript_id for r in md.store.list()] == [name]


# -- over MCP

TOOLS = {
    "get_consensus": {},
    "get_thoughts": {"agentId": "ada"},
    "export_session": {"format": "json"},
    "get_round_details": {"roundNumber": 0},
    "get_response_detail": {"agentId": "ada"},
    "get_citations": {},
}
CHANGES = {
    "continue_roundtable": {"rounds": 1},
    "synthesize_debate": {"synthesizer": "bob"},
}
ACTIONS = ["pause", "stop", "resume"]
HERE = "roundtable://sessions/"


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


@asynccontextmanager
async def at_the_table(url, md, name, scope, era):
    """A client of the roundtable that comes with a token."""
    word = md.tokens.new(name, md.clock(), scope=scope)
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {word}"}, timeout=60) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Client(transport, mode=era) as client:
            yield Table(client)


async def uris(table):
    return {str(r.uri) for r in (await table.client.list_resources()).resources}


async def completed(table, begun):
    about = ResourceTemplateReference(type="ref/resource", uri=HERE + "{sessionId}")
    found = await table.client.complete(about, {"name": "sessionId", "value": begun})
    return found.completion.values


async def test_over_mcp_another_token_does_not_even_learn_that_a_debate_is_there(place, era):
    url, md, name, _ = place
    asked = len(md.provider.asks)
    async with at_the_table(url, md, "mallory", "own", era) as ask:
        assert (await ask("list_sessions"))["sessions"] == []
        assert (await ask("list_sessions", search="Tabs"))["total"] == 0
        for tool, more in (TOOLS | CHANGES).items():
            said = await ask.refused(tool, sessionId=name, **more)
            assert f"no stored debate begins with {name}" in said, tool
            assert "no stored debate" in await ask.refused(tool, sessionId=name[:8], **more)
        for action in ACTIONS:
            said = await ask.refused("control_session", sessionId=name, action=action)
            assert "no stored debate" in said, action
        assert not await uris(ask)
        assert await completed(ask, name[:4]) == []
        with pytest.raises(MCPError, match="no stored debate"):
            await ask.client.read_resource(HERE + name)
        own = (await ask.start(agents=["ada", "bob"], rounds=1))["sessionId"]
        assert [s["sessionId"] for s in (await ask("list_sessions"))["sessions"]] == [own]
        assert await uris(ask) == {HERE + own}
        assert await completed(ask, "") == [own]
        assert md.store.transcript(own).brief.owner == "mallory"
    asks = [a for a in md.provider.asks[asked:] if a.key == "0/initial/ada"]
    assert len(asks) == 1, "only its own debate was asked about"
    assert md.store.transcript(name).last_seq


async def test_over_mcp_a_token_that_reads_sees_all_and_changes_only_its_own(place, era):
    url, md, name, _ = place
    before = md.store.last_seq(name)
    async with at_the_table(url, md, "auditor", "read", era) as ask:
        for tool, more in TOOLS.items():
            assert await ask(tool, sessionId=name, **more)
        assert HERE + name in await uris(ask)
        assert await completed(ask, name[:4]) == [name]
        assert (await ask.client.read_resource(HERE + name)).contents
        for tool, more in CHANGES.items():
            assert "is not this token's" in await ask.refused(tool, sessionId=name, **more)
        for action in ("pause", "stop"):
            said = await ask.refused("control_session", sessionId=name, action=action)
            assert "is not this token's" in said
    assert md.store.last_seq(name) == before


async def test_over_mcp_a_token_for_all_goes_on_with_anything(place, era):
    url, md, name, _ = place
    async with at_the_table(url, md, "root", "all", era) as ask:
        said = await ask("continue_roundtable", sessionId=name, rounds=1)
    assert said["status"] == "completed"
    assert md.store.transcript(name).brief.owner == "alice"


async def test_a_session_of_the_protocol_is_no_way_to_what_another_token_sees(place):
    url, md, name, alice = place
    accept = {"Accept": "application/json, text/event-stream"}
    opened = await alice.post("/mcp", json=asked("initialize", HELLO), headers=accept)
    session = {"Mcp-Session-Id": opened.headers["Mcp-Session-Id"], **accept}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await alice.post("/mcp", json=ready, headers=session)
    read = asked("resources/list", {})
    assert name in (await alice.post("/mcp", json=read, headers=session)).text
    async with as_token(url, md, "mallory", "own") as mallory:
        found = await mallory.post("/mcp", json=read, headers=session)
        assert found.status_code == 404, found.text
        assert name not in found.text
        assert (await mallory.delete("/mcp", headers=session)).status_code == 404
    assert name in (await alice.post("/mcp", json=read, headers=session)).text


def asked(method, params):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


# -- under /v1


@asynccontextmanager
async def as_client(url, md, name, scope):
    word = md.tokens.new(name, md.clock(), scope=scope)
    async with sdk.AsyncOpenAI(base_url=f"{url}/v1", api_key=word, max_retries=0) as client:
        yield client


SMALL = {"panel": ["ada", "bob"], "synthesizer": "ada"}


async def test_under_v1_a_debate_belongs_to_the_token_and_another_cannot_go_on_from_it(place):
    url, md, name, _ = place
    asks = len(md.provider.asks)
    async with as_client(url, md, "mallory", "own") as mallory:
        for earlier in (name, f"resp_{name}", name[:8]):
            with pytest.raises(sdk.NotFoundError) as e:
                await mallory.responses.create(
                    model="dissent/default", input="And tabs?", previous_response_id=earlier,
                    extra_body={"dissent": SMALL},
                )  # fmt: skip
            assert "no stored debate" in e.value.message
        with pytest.raises(sdk.NotFoundError):
            await mallory.chat.completions.create(
                model="dissent/default", messages=[{"role": "user", "content": "And tabs?"}],
                extra_body={"dissent": {**SMALL, "conversationId": name}},
            )  # fmt: skip
        assert len(md.provider.asks) == asks
        own = await mallory.responses.create(
            model="dissent/default", input="Vim or Emacs?", extra_body={"dissent": SMALL}
        )
        again = await mallory.responses.create(
            model="dissent/default", input="And tabs?", previous_response_id=own.id,
            extra_body={"dissent": SMALL},
        )  # fmt: skip
    made = md.store.transcript(own.model_extra["dissent"]["session_id"])
    follow_up = md.store.transcript(again.model_extra["dissent"]["session_id"])
    assert made.brief.owner == follow_up.brief.owner == "mallory"
    assert md.store.conversation(made.transcript_id)[-1] == follow_up.transcript_id


@pytest.mark.parametrize("scope", ["read", "all"])
async def test_under_v1_who_may_see_a_debate_may_ask_what_follows_from_it(place, scope):
    url, md, name, _ = place
    async with as_client(url, md, "auditor", scope) as auditor:
        said = await auditor.responses.create(
            model="dissent/default", input="And tabs?", previous_response_id=name,
            extra_body={"dissent": SMALL},
        )  # fmt: skip
    made = md.store.transcript(said.model_extra["dissent"]["session_id"])
    assert (made.brief.owner, made.brief.conversation) == ("auditor", name)
