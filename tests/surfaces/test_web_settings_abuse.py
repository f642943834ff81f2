"""The settings' routes without their page: wrong values, wrong names, wrong moments, strangers."""

from __future__ import annotations

import asyncio
import tomllib

import httpx
import pytest

from fakes.patience import LONG
from fakes.served import served
from mutual_dissent.app import MutualDissent
from mutual_dissent.config.protection import is_guarded
from mutual_dissent.config.schema import SCHEMA
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.surfaces.http.auth import CookieEntry
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.web import web

CANARY = "sk-canary-of-the-settings-4711"
REFLECT = "/ui/settings/prompts/reflection/reflect"


@pytest.fixture
async def md(own_home):
    env = {"OPENAI_API_KEY": CANARY}
    async with MutualDissent(home=own_home, env=env) as found:
        yield found


@pytest.fixture
async def client(md):
    entry = CookieEntry()
    async with (
        served(HostedBackend(md=md, sessions=Sessions(md)), [web], entry=entry) as url,
        httpx.AsyncClient(base_url=url, timeout=LONG) as found,
    ):
        await found.get("/", params={"token": entry.start})
        yield found


async def put(client, name, value):
    return await client.put("/ui/settings/value", json={"name": name, "value": value})


def files(home):
    return sorted(str(p.relative_to(home)) for p in home.rglob("*") if p.is_file())


WRONG = [
    ("defaults.quorum", "many", "whole number"),
    ("defaults.qourum", "2", "quorum"),
    ("defaults.mode", "no-such-mode", "no-such-mode"),
    ("defaults", "x", "is a table"),
    ("", "x", ""),
    ("model_aliases.a b.openrouter", "x\ny", ""),
]


@pytest.mark.parametrize(("name", "value", "words"), WRONG)
async def test_a_value_that_cannot_be_used_is_the_callers_fault_and_not_kept(
    client, md, name, value, words
):
    await put(client, "defaults.rounds", "2")
    before = md.home.config.read_bytes()
    answer = await put(client, name, value)
    assert answer.status_code == 422, answer.text
    assert words in answer.json()["error"]["message"]
    assert md.home.config.read_bytes() == before
    assert (await client.get("/ui/settings")).status_code == 200


LEFT_TO_THE_COMMAND_LINE = [
    ("programs.helper.command", "sh -c 'touch /tmp/owned'"),
    ("programs.claude.env", "HOME"),
    ("programs.remote", "true"),
    ("providers.openai_base_url", "https://collector.example/v1"),
    ("providers.openrouter_base_url", "https://collector.example/v1"),
    ("endpoints.mine.base_url", "https://collector.example/v1"),
    ("endpoints.mine.key_env", "OPENAI_API_KEY"),
    ("search.searxng_url", "https://collector.example"),
    ("store.url", "postgresql://u:p@collector.example/x"),
    ("cluster.engine", "temporal://collector.example:7233"),
    ("server.names", "evil.example"),
]


@pytest.mark.parametrize(("name", "value"), LEFT_TO_THE_COMMAND_LINE)
async def test_what_is_run_and_where_keys_go_is_not_changed_from_the_page(client, md, name, value):
    """Whoever has the page's cookie must not thereby have the machine, or the keys."""
    await put(client, "defaults.rounds", "2")
    before = md.home.config.read_bytes()
    for word in (value, ""):
        answer = await put(client, name, word)
        assert answer.status_code == 403, answer.text
        assert f"dissent config set {name}" in answer.json()["error"]["message"]
    assert md.home.config.read_bytes() == before


def test_every_setting_that_names_an_address_or_a_command_is_left_to_the_command_line():
    open_ones = [s.name for s in SCHEMA if not is_guarded(s.name)]
    assert not [n for n in open_ones if n.endswith(("url", "command", "env"))]


@pytest.mark.parametrize("value", [CANARY + "\nx", CANARY + "\x00", CANARY * 2000])
async def test_a_key_is_never_repeated_in_an_answer_or_a_log(client, value, caplog):
    for name in ("providers.anthropic_api_key", "providers.no_such_api_key", "defaults.rounds"):
        assert "canary" not in (await put(client, name, value)).text
    assert "canary" not in (await client.get("/ui/settings")).text
    assert "canary" not in caplog.text


async def test_many_changes_at_once_are_all_kept(client, md):
    names = [f"personas.p{i}.instructions" for i in range(12)]
    answers = await asyncio.gather(*(put(client, n, f"Be {n}.") for n in names))
    assert {a.status_code for a in answers} == {200}
    written = tomllib.loads(md.home.config.read_text())["personas"]
    assert sorted(written) == sorted(f"p{i}" for i in range(12))
    assert set(written) <= set(md.settings.personas)


async def test_one_prompt_rewritten_by_several_at_once_is_one_of_theirs(client, md):
    ours = (await client.get(REFLECT)).json()["ours"]
    texts = [f"Version {i}.\n{ours}" for i in range(8)]
    answers = await asyncio.gather(*(client.put(REFLECT, json={"text": t}) for t in texts))
    assert {a.status_code for a in answers} == {200}
    assert (md.home.prompts / "reflection/reflect.md").read_text().rstrip() in texts
    assert [f for f in files(md.home.root) if "prompt" in f] == ["prompts/reflection/reflect.md"]


STRANGE = [
    "../config",
    "..%2f..%2fconfig",
    "%2e%2e/%2e%2e/config",
    "reflection/../../config",
    "reflection//reflect",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "reflection/reflect.md",
    "reflection/reflect%00",
    "reflection\\..\\..\\config",
    "con",
    "x" * 300,
]


@pytest.mark.parametrize("name", STRANGE)
async def test_only_the_name_of_a_prompt_becomes_a_path(client, md, name):
    before = files(md.home.root)
    for method in ("GET", "PUT", "DELETE"):
        body = {"text": "{query} {own_response} {other_responses}"} if method == "PUT" else None
        request = client.build_request(method, f"/ui/settings/prompts/{name}", json=body)
        answer = await client.send(request)
        assert 400 <= answer.status_code < 500, (method, answer.text)
    assert files(md.home.root) == before


async def test_a_prompt_that_cannot_be_used_is_refused_in_words_about_it(client, md):
    answer = await client.put(REFLECT, json={"text": "Nothing of what it needs."})
    assert answer.status_code == 422
    assert "lacks the blank" in answer.json()["error"]["message"]
    assert str(md.home.root) not in answer.text
    assert not md.home.prompts.exists()


async def test_a_prompt_that_cannot_be_taken_back_says_why(client, md):
    (md.home.prompts / "reflection/reflect.md").mkdir(parents=True)
    answer = await client.delete(REFLECT)
    assert answer.json()["error"]["code"] != "internal"
    assert "could not be removed" in answer.json()["error"]["message"]


async def test_strangers_change_nothing(client, md):
    before = files(md.home.root)
    foreign = {"Origin": "http://evil.example"}
    body = {"name": "defaults.rounds", "value": "3"}
    path = "/ui/settings/value"
    assert (await client.put(path, json=body, headers=foreign)).status_code == 403
    crossing = {"Sec-Fetch-Site": "cross-site"}
    assert (await client.put(path, json=body, headers=crossing)).status_code == 403
    plain = {"Content-Type": "text/plain"}
    assert (await client.put(path, content=b"{}", headers=plain)).status_code == 415
    async with httpx.AsyncClient(base_url=client.base_url) as other:
        assert (await other.put(path, json=body)).status_code == 401
        assert (await other.delete(REFLECT)).status_code == 401
    assert files(md.home.root) == before


async def test_a_token_is_made_only_as_a_request_can_use_it(client, md):
    for wrong in (
        {"name": "a", "mode": "no-such-mode"},
        {"name": "a", "budget": -1},
        {"name": "a", "budget": "5"},
        {"name": "../a"},
        {"name": ""},
    ):
        answer = await client.post("/ui/settings/tokens", json=wrong)
        assert answer.status_code == 422, wrong
    assert not md.tokens.active()
    made = await client.post("/ui/settings/tokens", json={"name": "a", "mode": "delphi"})
    assert made.json()["token"]
    assert made.json()["token"] not in (await client.get("/ui/settings/tokens")).text
    assert (await client.post("/ui/settings/tokens", json={"name": "a"})).status_code == 422
    assert (await client.delete("/ui/settings/tokens/a")).status_code == 200
    assert (await client.delete("/ui/settings/tokens/a")).status_code == 422
