"""Model servers on this machine: found by themselves, and never mistaken for one another."""

import asyncio
import json

import pytest
from aiohttp import web

from fakes.patience import LONG, not_for_ever
from mutual_dissent.app import MutualDissent
from mutual_dissent.providers.endpoints import SERVERS, Endpoint
from mutual_dissent.providers.local import servers
from mutual_dissent.providers.local.servers import running_models

TAGS = {
    "models": [
        {"name": "small:1b", "size": 1},
        {"name": "big:70b", "size": 70},
        {"name": "nomic-embed-text", "size": 99},
        {"name": "odd"}, {"size": 3}, None,
    ]
}  # fmt: skip
LISTED = {
    "data": [
        {"id": "/models/one.gguf"}, {"id": "text-embedding-nomic"}, {"id": "two"},
        {"id": 7}, {"id": ""}, {"id": "x" * 500}, {"id": "\x1b[2J"}, None,
    ]
}  # fmt: skip
OTHERS = [vendor for vendor in SERVERS if vendor != "ollama"]


@pytest.fixture
async def serving(monkeypatch):
    """Serves one body on loopback at every path that a server lists its models under."""
    monkeypatch.setattr(servers, "PROBE_SECONDS", LONG)
    runners = []

    async def start(body):
        async def answer(_):
            return web.Response(body=body, content_type="application/json")

        app = web.Application()
        app.router.add_get("/api/tags", answer)
        app.router.add_get("/v1/models", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        runners.append(runner)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}/v1"

    yield start
    for runner in runners:
        await runner.cleanup()


def at(**addresses):
    return {
        vendor: Endpoint(vendor=vendor, dialect="openai-chat", base_url=address)
        for vendor, address in addresses.items()
    }


async def test_ollamas_models_come_largest_first_without_embeddings(serving):
    found = await running_models(at(ollama=await serving(json.dumps(TAGS).encode())))
    assert found == ["ollama:big:70b", "ollama:small:1b", "ollama:odd"]


@pytest.mark.parametrize("vendor", OTHERS)
async def test_models_of_other_servers_come_as_they_list_them(serving, vendor):
    found = await running_models(at(**{vendor: await serving(json.dumps(LISTED).encode())}))
    assert found == [f"{vendor}:/models/one.gguf", f"{vendor}:two"]


async def test_where_several_run_ollama_is_preferred(serving):
    both = at(
        vllm=await serving(json.dumps(LISTED).encode()),
        ollama=await serving(json.dumps(TAGS).encode()),
    )
    assert {name.partition(":")[0] for name in await running_models(both)} == {"ollama"}


async def test_a_panel_of_ours_is_not_asked_as_if_it_were_a_model(serving):
    ours = {"data": [{"id": "dissent", "owned_by": "mutual-dissent"}]}
    assert await running_models(at(vllm=await serving(json.dumps(ours).encode()))) == []


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'{"models": 5, "data": 5}', b'{"data": [[]]}', b"<html>"]
)
async def test_whatever_else_answers_in_a_servers_place_is_no_model(serving, body):
    address = await serving(body)
    assert await running_models(at(**dict.fromkeys(SERVERS, address))) == []


async def test_missing_or_silent_servers_cost_no_time(unused_tcp_port):
    everywhere = at(**dict.fromkeys(SERVERS, f"http://127.0.0.1:{unused_tcp_port}/v1"))
    assert await running_models(everywhere) == []
    silent = []
    server = await asyncio.start_server(
        lambda _, writer: silent.append(writer), "127.0.0.1", unused_tcp_port
    )
    async with not_for_ever():
        assert await running_models(everywhere) == []
    for writer in silent:
        writer.close()
        await writer.wait_closed()
    server.close()


async def test_without_a_key_a_server_that_runs_here_makes_the_panel(serving, tmp_path):
    nobody = dict.fromkeys(("OLLAMA_HOST", "LLAMACPP_BASE_URL"), "http://127.0.0.1:9")
    address = await serving(json.dumps(LISTED).encode())
    env = {**nobody, "VLLM_BASE_URL": "http://127.0.0.1:9", "LMSTUDIO_BASE_URL": address}
    async with MutualDissent(home=tmp_path, env=env) as md:
        brief = await md.brief("q")
        assert [p.seat for p in brief.panel] == ["lmstudio:/models/one.gguf", "lmstudio:two"]
        assert "of your LM Studio" in brief.notices[0]
        assert md.prices.cost(brief.panel[0].route, 1000, 1000) == 0


async def test_a_server_that_was_configured_by_hand_stays_what_it_was(tmp_path):
    (tmp_path / "config.toml").write_text('[endpoints.vllm]\nbase_url = "http://127.0.0.1:7/v1"\n')
    async with MutualDissent(home=tmp_path, env={}) as md:
        assert md.settings.endpoints()["vllm"].base_url == "http://127.0.0.1:7/v1"
