"""`/mcp` behind the guard: both eras, who may come in, what they may spend, and who has left."""

from __future__ import annotations

import asyncio
import io
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import aiohttp
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from fakes.mcp_process import HELLO, META, MODERN
from fakes.roundtable import ERAS, PANEL, Panel, Table, differently, roundtable
from fakes.served import served
from mutual_dissent.core.events import Status
from mutual_dissent.surfaces.mcp.transport.http import mcp_part

ACCEPT = {"Accept": "application/json, text/event-stream"}
START = {"name": "start_roundtable", "arguments": {"topic": "Tabs?", "agents": PANEL}}


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


@asynccontextmanager
async def table_at(home, panel=None):
    """A roundtable and the address at which it is served."""
    async with (
        roundtable(home, panel or Panel(says=differently)) as table,
        served(table.hosted, [mcp_part]) as url,
    ):
        yield table, f"{url}/mcp"


@asynccontextmanager
async def client_of(url, era, token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=era) as client:
            yield Table(client)


def modern(method, **params):
    """Headers and body of one request of the stateless era."""
    name = params.get("name")
    headers = {**ACCEPT, "MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, **META}}
    return {"headers": {**headers, **({"Mcp-Name": name} if name else {})}, "json": body}


async def test_a_debate_over_http_in_both_eras(tmp_path, era):
    async with table_at(tmp_path) as (_, url), client_of(url, era) as ask:
        said = await ask.start(rounds=1)
        assert said["status"] == "completed"
        report = await ask("export_session", sessionId=said["sessionId"])
        assert report["content"].startswith("# Tabs or spaces?")
        assert "list_sessions" in await ask.refused("get_consensus", sessionId="nothing!")


async def test_a_client_of_the_stateless_era_that_goes_away_stops_the_spending(tmp_path):
    panel = Panel()
    panel.open.clear()
    async with table_at(tmp_path, panel) as (table, url), aiohttp.ClientSession() as http:
        call = asyncio.create_task(_read(http, url, modern("tools/call", **START)))
        await panel.begun.wait()
        call.cancel()
        await asyncio.wait([call])
        [row] = table.hosted.md.store.list()
        assert (await table.hosted.sessions.wait(row.transcript_id, 60)).status is Status.STOPPED
        assert panel.given_up == len(PANEL)


async def _read(http, url, request):
    async with http.post(url, **request) as answer:
        return await answer.read()


async def test_in_the_handshake_era_a_lost_connection_is_no_cancellation(tmp_path):
    """The protocol says so: the client may come back. Ending its session does end the spending."""
    panel = Panel()
    panel.open.clear()
    async with table_at(tmp_path, panel) as (table, url), aiohttp.ClientSession() as http:
        hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
        async with http.post(url, json=hello, headers=ACCEPT) as answer:
            session = {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"], **ACCEPT}
            await answer.read()
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": START}
        call = asyncio.create_task(_read(http, url, {"json": body, "headers": session}))
        await panel.begun.wait()
        call.cancel()
        await asyncio.wait([call])
        [row] = table.hosted.md.store.list()
        assert table.hosted.sessions.transcript(row.transcript_id).status is Status.ACTIVE
        async with http.delete(url, headers=session) as answer:
            assert answer.status == 200
        assert (await table.hosted.sessions.wait(row.transcript_id, 60)).status is Status.STOPPED


async def test_the_guard_stands_before_it(tmp_path):
    ping = modern("server/discover")
    async with table_at(tmp_path) as (table, url), aiohttp.ClientSession() as http:

        async def status(**headers):
            request = {**ping, "headers": {**ping["headers"], **headers}}
            async with http.post(url, **request) as answer:
                return answer.status

        assert await status() == 200
        assert await status(Host="evil.example") in (403, 421)
        assert await status(Origin="http://evil.example") == 403
        assert await status(Origin="null") == 403
        assert await status(**{"Content-Type": "text/plain"}) in (400, 415)
        async with http.post(url, data=b"[" * 100_000, headers=ping["headers"]) as answer:
            assert answer.status in (400, 415)
        big = json.dumps({"x": "y" * 12_000_000}).encode()
        headers = {**ping["headers"], "Content-Type": "application/json"}
        async with http.post(url, data=io.BytesIO(big), headers=headers) as answer:
            assert answer.status == 413
        word = table.hosted.md.tokens.new("laptop", datetime.now(UTC))
        assert await status() == 401
        assert await status(Authorization="Bearer wrong") == 401
        assert await status(Authorization=f"Bearer {word}") == 200


async def test_a_token_spends_no_more_than_it_has_and_owns_what_it_starts(tmp_path, era):
    async with table_at(tmp_path) as (table, url):
        tokens, now = table.hosted.md.tokens, datetime.now(UTC)
        rich = tokens.new("rich", now, mode="delphi")
        poor = tokens.new("poor", now, budget_usd=0.000001)
        async with client_of(url, era, rich) as ask:
            given = {"topic": "Tabs?", "agents": PANEL, "rounds": 1}
            said = await ask("start_roundtable", **given)
            assert table.hosted.sessions.transcript(said["sessionId"]).brief.mode == "delphi"
        async with client_of(url, era, poor) as ask:
            before = len(table.panel.asks)
            await ask.client.call_tool("start_roundtable", given)
            assert len(table.panel.asks) == before
