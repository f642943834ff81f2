"""Keys and whatever else is the user's own stay with the user (K1 to K4, J6)."""

from __future__ import annotations

import asyncio
import copy
import gc
import getpass
import json
import logging
import os
import pickle
import traceback
from pathlib import Path

import pytest

from fakes.command_line import dissent
from fakes.patience import LONG
from fakes.vendor import FakeVendor
from mutual_dissent import MutualDissent
from mutual_dissent.core.brief import Attachment
from mutual_dissent.core.errors import DissentError

KEYS = {
    "OPENAI_API_KEY": "canary-openai-0a1b2c3d4e",
    "ANTHROPIC_API_KEY": "canary-anthropic-5f6a7b8c",
    "MY_OWN_SECRET": "canary-endpoint-env-9d0e1f",
    "XAI_API_KEY": "canary-idle-vendor-2a3b4c",
}
IN_FILE = ("canary-google-in-file-5d6e7f", "canary-endpoint-in-file-8a9b")
CANARIES = (*KEYS.values(), *IN_FILE)
SEATS = ["openai:m1", "anthropic:m2", "google:m3", "mine:m4", "other:m5"]


def leaks(*texts: object) -> list[str]:
    """The keys that stand in any of these texts."""
    whole = [t if isinstance(t, bytes) else str(t).encode("utf-8", "replace") for t in texts]
    return [c for c in CANARIES if any(c.encode() in t for t in whole)]


@pytest.fixture
def home(tmp_path):
    """A folder with keys in its configuration, beside those in the environment."""
    folder = tmp_path / "home-of-canary"
    folder.mkdir(mode=0o700)
    return folder


def environment(home: Path, vendor: FakeVendor, **more: str) -> dict[str, str]:
    """Everything that leads to one fake vendor in all dialects, under many keys."""
    chat, config = vendor.base_url(), home / "config.toml"
    config.write_text(
        f'[providers]\ngoogle_api_key = "{IN_FILE[0]}"\n'
        f'google_base_url = "{vendor.base_url("google")}"\n'
        f'[endpoints.mine]\nbase_url = "{chat}"\nkey_env = "MY_OWN_SECRET"\n'
        f'[endpoints.other]\nbase_url = "{chat}"\napi_key = "{IN_FILE[1]}"\n'
        "[prices]\nrefresh = false\n"
    )
    config.chmod(0o600)
    return {
        **KEYS,
        "HOME": str(home),
        "OPENAI_BASE_URL": chat,
        "ANTHROPIC_BASE_URL": vendor.base_url("anthropic"),
        **more,
    }


def written(home: Path) -> list[bytes]:
    return [p.read_bytes() for p in home.rglob("*") if p.is_file() and p.name != "config.toml"]


@pytest.mark.parametrize("fault", ["ok", "echo_key", "401", "midcut", "html", "error_event"])
async def test_no_key_is_logged_shown_or_stored_by_the_library(fault, home, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    asyncio.get_running_loop().set_debug(True)
    async with FakeVendor() as vendor:
        vendor.always(fault)
        async with MutualDissent(home=home, env=environment(home, vendor)) as md:
            transcript = await md.debate("q", panel=SEATS, synthesizer=SEATS[0], call_timeout=60)
            stored = md.store.transcript(transcript.transcript_id)
        assert {a.dialect for a in vendor.arrivals} == {"openai-chat", "anthropic", "google"}
    out, err = capfd.readouterr()
    assert leaks(caplog.text, out, err, repr(transcript), repr(stored), *written(home)) == []
    assert any(p.name == "dissent.db" for p in home.rglob("*"))


async def test_no_living_object_shows_a_key(home):
    """Also not in the middle of a call, when the headers are made and the key is out."""
    async with FakeVendor() as vendor:
        vendor.always("hang")
        async with MutualDissent(home=home, env=environment(home, vendor)) as md:
            debate = asyncio.create_task(md.debate("q", panel=SEATS, synthesizer=SEATS[0]))
            while len(vendor.arrivals) < len(SEATS):
                vendor.heard.clear()
                await asyncio.wait_for(vendor.heard.wait(), LONG)
            ours = [o for o in gc.get_objects() if "mutual_dissent" in str(type(o).__module__)]
            kinds = {type(o).__name__ for o in ours}
            assert {"Key", "Endpoint", "Settings", "Vendor", "WireRequest", "Router"} <= kinds
            assert [type(o).__name__ for o in ours if leaks(repr(o), str(o))] == []
            stack = traceback.StackSummary.extract(
                ((f, f.f_lineno) for f in debate.get_stack()), capture_locals=True
            )
            assert leaks("".join(stack.format())) == []
            debate.cancel()
            await asyncio.wait([debate])


async def test_what_holds_a_key_is_neither_pickled_nor_copied(home):
    async with FakeVendor() as vendor:
        md = MutualDissent(home=home, env=environment(home, vendor))
        async with md:
            transcript = await md.debate("q", panel=SEATS[:2], synthesizer=SEATS[0])
    endpoint = md.settings.vendors["openai"]
    for holder in (md.settings, endpoint, endpoint.key):
        for way in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError):
                way(holder)
    assert leaks(pickle.dumps(transcript), json.dumps(md.settings.snapshot())) == []


def test_no_mistake_in_the_configuration_repeats_a_key(home):
    mistakes = (
        'api_key = "{0}\n',
        'api_key = ["{0}"]',
        '[providers]\nopenai_api_key = "{0} x"',
        '[endpoints.mine]\napi_key = "{0}"\nbase_url = "http://evil.example"',
        '[endpoints.mine]\nbase_url = "https://u:{0}@host.example"',
        '[endpoints.mine]\nbase_url = "https://host.example?key={0}"',
    )
    for text in mistakes:
        (home / "config.toml").write_text(text.format(CANARIES[0]))
        with pytest.raises(DissentError) as caught:
            _ = MutualDissent(home=home, env={}).settings
        assert leaks(str(caught.value), "".join(traceback.format_exception(caught.value))) == []


# -- a key goes to its own host -------------------------------------------------------------------


async def test_no_name_of_a_model_leads_a_key_elsewhere(home):
    async with FakeVendor() as vendor, FakeVendor() as evil:
        host = evil.url.removeprefix("http://")
        names = [evil.url, f"@{host}/x", f"/../../{host}", f"//{host}/v1", f"m#@{host}", "../x?a=b"]
        async with MutualDissent(home=home, env=environment(home, vendor)) as md:
            for maker in ("openai", "anthropic", "google", "mine"):
                panel = [f"{maker}:{n}" for n in names[:2]], [f"{maker}:{n}" for n in names[2:]]
                for seats in panel:
                    await md.debate("q", panel=seats, synthesizer=seats[0], save=False)
    assert evil.arrivals == []
    ways = ("/v1/chat/completions", "/v1/messages", "/v1beta/models/")
    assert {a.path for a in vendor.arrivals if not a.path.startswith(ways)} == set()


async def test_a_changed_address_gets_the_key_only_by_the_users_own_word(home):
    """A stored debate goes on at the address that is configured now, not at a recorded one."""
    async with FakeVendor() as vendor, FakeVendor() as evil:
        env = environment(home, vendor)
        vendor.then(model="m1").then(model="m2").always("500")
        async with MutualDissent(home=home, env=env) as md:
            first = await md.debate("q", panel=SEATS[:2], synthesizer="openai:m1", quorum=2)
            data = json.loads(next((home / "transcripts").iterdir()).read_bytes())
        text = json.dumps(data).replace(vendor.url, evil.url)
        text = text.replace(first.transcript_id, "0" * 8 + first.transcript_id[8:])
        (home / "evil.json").write_text(text)
        assert evil.url in text
        vendor.always()
        async with MutualDissent(home=home, env=env) as md:
            from mutual_dissent.app import import_files

            [brought] = import_files(md, [home / "evil.json"])
            assert brought.verdict == "imported"
            before = len(vendor.arrivals)
            async for _ in md.resume(brought.transcript_id):
                pass
    assert len(vendor.arrivals) > before
    assert evil.arrivals == []


@pytest.mark.parametrize("name", ["openai", "openrouter", "ollama", "local"])
def test_no_endpoint_takes_a_vendors_name(own_home, name):
    own_home.mkdir(mode=0o700)
    (own_home / "config.toml").write_text(f'[endpoints.{name}]\nbase_url = "https://x.example"\n')
    result = dissent("models", OPENAI_API_KEY=CANARIES[0])
    assert result.exit_code == 2
    assert "is the name of a vendor" in result.stderr


# -- nothing else of the user's travels -----------------------------------------------------------


async def test_no_key_path_name_or_variable_is_in_any_request(home, monkeypatch):
    """Our prompts hold no secret, so no panelist can be talked into giving one away."""
    monkeypatch.setenv("USER", "canary-user")
    monkeypatch.setenv("LOGNAME", "canary-user")
    secrets = {"CANARY_VARIABLE": "canary-value-of-a-variable", "USER": "canary-user"}
    async with FakeVendor() as vendor:
        env = environment(home, vendor, **secrets)
        (home / "prompts").mkdir()
        async with MutualDissent(home=home, env=env) as md:
            await md.debate(
                "q", panel=SEATS, synthesizer=SEATS[0], rounds=2, topology="star",
                context=[Attachment(name="notes.md", text="some notes")],
                ground_truth="x", judge=SEATS[1], personas={SEATS[2]: "skeptic"},
            )  # fmt: skip
    assert len(vendor.arrivals) > 15
    own = {"authorization", "x-api-key", "x-goog-api-key"}
    private = [*CANARIES, *secrets.values(), str(home), str(Path.cwd()), os.uname().nodename]
    private += [getpass.getuser() + "@", f"{Path.home()}/"]
    for arrival in vendor.arrivals:
        headers = {k: v for k, v in arrival.headers.items() if k.lower() not in own | {"host"}}
        sent = json.dumps([arrival.path, headers, arrival.body], ensure_ascii=False)
        assert [p for p in private if p in sent] == []
        used = [c for c in CANARIES if c in str(arrival.headers)]
        assert len(used) == 1, "its own key and no other"
