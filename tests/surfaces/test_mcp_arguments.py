"""What tools take: nothing that does not fit reaches the panel, and nothing leads elsewhere."""

from __future__ import annotations

import json

import pytest

from fakes.roundtable import PANEL, Roundtable, roundtable
from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.surfaces.http.backend import HostedBackend

LONG = "x" * 1_000_000
START = {"topic": "Tabs or spaces?", "agents": PANEL}
BAD_STARTS = {
    "nothing": {},
    "no topic": {"agents": PANEL},
    "an empty topic": {**START, "topic": ""},
    "a blank topic": {**START, "topic": "  \n"},
    "a topic of a megabyte": {**START, "topic": LONG},
    "a topic that is a number": {**START, "topic": 7},
    "an unknown argument": {**START, "base_url": "http://evil.example"},
    "snake case": {**START, "max_cost_usd": 1},
    "forty agents": {**START, "agents": ["ada"] * 40},
    "no agents": {**START, "agents": []},
    "one agent": {**START, "agents": ["ada"]},
    "agents that are numbers": {**START, "agents": [1, 2]},
    "agents that are a text": {**START, "agents": "ada"},
    "an agent of a megabyte": {**START, "agents": ["ada", LONG]},
    "a budget of nothing": {**START, "maxCostUsd": 0},
    "a negative budget": {**START, "maxCostUsd": -1},
    "a budget that is a text": {**START, "maxCostUsd": "1"},
    "a huge budget": {**START, "maxCostUsd": 1e300},
    "a negative wait": {**START, "wait": -1},
    "a wait of an hour": {**START, "wait": 3600},
    "a wait that is true": {**START, "wait": True},
    "no rounds": {**START, "rounds": 0},
    "a million rounds": {**START, "rounds": 1_000_000},
    "half a round": {**START, "rounds": 1.5},
    "rounds beyond the mode": {**START, "mode": "collaborative", "rounds": 50},
    "two numbers of rounds": {**START, "rounds": 1, "exitCriteria": {"maxRounds": 2}},
    "an unknown mode": {**START, "mode": "fight"},
    "an unknown preset": {**START, "preset": "none-such"},
    "an unknown criterion": {**START, "exitCriteria": {"mood": 1}},
    "a criterion beyond its range": {**START, "exitCriteria": {"consensusThreshold": 2}},
    "roles for a stranger": {**START, "mode": "devils-advocate", "roles": {"zoe": "PRIMARY"}},
    "teams where there are none": {**START, "mode": "delphi", "teams": {"ada": "red"}},
    "perspectives in another mode": {**START, "mode": "delphi", "perspectives": ["x"]},
    "a context of three megabytes": {**START, "context": LONG * 3},
}
IDS = [
    "../../etc/passwd", "..\\..\\x", "%2e%2e%2f", "/etc/passwd", "~root", "con", "a" * 300,
    "\u202e12345678", "1234\u00005678", "12345678\n", "-1234567", "", " ", "*", "12345678'--",
    "http://evil.example", "abcdefgh",
]  # fmt: skip
WITH_ID = {
    "continue_roundtable": {},
    "control_session": {"action": "stop"},
    "get_consensus": {"wait": 0},
    "get_thoughts": {"agentId": "ada"},
    "export_session": {},
    "synthesize_debate": {},
    "get_round_details": {},
    "get_response_detail": {"agentId": "ada"},
    "get_citations": {},
}
SUSPECT = "url uri path file command cmd program key token header endpoint server env".split()


@pytest.fixture
async def table(tmp_path):
    async with roundtable(tmp_path) as made:
        yield made


async def test_nothing_that_does_not_fit_is_paid_for(table):
    async with table.client() as ask:
        for what, given in BAD_STARTS.items():
            said = await ask.refused("start_roundtable", **given)
            assert len(said) < 2_500, what
            assert LONG[:2_000] not in said, what
    assert not table.panel.asks
    assert table.hosted.md.store.count() == 0


async def test_what_is_wrong_is_named_as_the_client_knows_it(table):
    async with table.client() as ask:
        said = await ask.refused("start_roundtable", topic="?", maxCostUsd=-1, speed=3)
        assert "maxCostUsd: must be above 0" in said
        assert "speed: there is no such argument" in said
        assert "nput should" not in said
        said = await ask.refused("start_roundtable", **START, rounds=50, mode="delphi")
        assert "rounds: must be at most 10" in said
        said = await ask.refused("start_roundtable", **START, rounds=9, mode="reflection")
        assert "reflection takes 1 to" in said
        said = await ask.refused("start_roundtable", **START, mode="delfi")
        assert "did you mean 'delphi'?" in said
        assert "--" not in said


async def test_an_id_that_is_none_is_refused_before_anything_is_opened(table):
    async with table.client() as ask:
        for tool, more in WITH_ID.items():
            for name in IDS:
                said = await ask.refused(tool, sessionId=name, **more)
                assert "list_sessions" in said, (tool, name)


async def test_clients_that_send_lists_as_text_are_understood(table):
    async with table.client() as ask:
        said = await ask.start(
            agents=json.dumps(PANEL), exitCriteria='{"consensusThreshold": 0.5}', rounds=2.0
        )
        assert said["status"] == "completed"


async def test_an_unknown_tool_is_an_error(table):
    async with table.client() as ask:
        assert "no_such_tool" in await ask.refused("no_such_tool")


async def test_no_tool_takes_a_command_a_path_or_an_address(table):
    async with table.client() as ask:
        for tool in (await ask.client.list_tools()).tools:
            for name in _names(tool.input_schema):
                words = "".join(f" {c.lower()}" if c.isupper() else c for c in name).split()
                assert not set(words) & set(SUSPECT), (tool.name, name)


def _names(schema):
    """Every name of an argument, however deep."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for below in schema.values():
            yield from _names(below)
    elif isinstance(schema, list):
        for below in schema:
            yield from _names(below)


async def test_an_agent_that_is_an_address_is_not_reached(tmp_path):
    """Keys are bound to the hosts of the configuration: no argument names another host."""

    env = {"OPENAI_API_KEY": "sk-canary-000001"}
    async with MutualDissent(home=tmp_path, env=env, remote=True) as md:
        table = Roundtable(HostedBackend(md=md, sessions=Sessions(md)), None)
        async with table.client() as ask:
            for name in (
                "http://evil.example/v1:gpt", "https://evil.example", "evil.example:gpt",
                "openai@evil.example:gpt", "base_url=http://evil.example", "cli:claude", "cli:sh",
            ):  # fmt: skip
                said = await ask.refused("start_roundtable", topic="?", agents=[name, name])
                assert "sk-canary" not in said, name
        assert md.store.count() == 0
