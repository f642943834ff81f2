"""`dissent acp`: the panel as an agent for editors, over the Agent Client Protocol."""

from __future__ import annotations

import json
import os
import random
import time
from base64 import b64encode

import psutil
import pytest

from fakes.command_line import PROGRAM, dissent, wait_until
from fakes.images import a_png
from fakes.mcp_process import Server
from fakes.patience import LONG
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Status

QUERY = "Tabs or spaces?"
TEXT = {"type": "text", "text": QUERY}


@pytest.fixture
def editor(vendor):
    with Server(hello=False, word="acp") as running:
        running.ask("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        yield running


def on_record(session):
    with MutualDissent().store as store:
        return store.transcript(session)


def conversation(session):
    with MutualDissent().store as store:
        return store.conversation(session)


def new_session(editor) -> str:
    return editor.ask("session/new", {"cwd": "/", "mcpServers": []})["result"]["sessionId"]


def prompt(editor, session, *blocks):
    return editor.ask("session/prompt", {"sessionId": session, "prompt": list(blocks) or [TEXT]})


def updates(editor, kind):
    found = [m["params"]["update"] for m in editor.messages if m.get("method") == "session/update"]
    return [u for u in found if u["sessionUpdate"] == kind]


def text_of(editor, kind):
    return "".join(u["content"]["text"] for u in updates(editor, kind))


def test_a_prompt_is_a_debate_with_a_plan_thoughts_and_one_answer(editor, vendor):
    session = new_session(editor)
    done = prompt(editor, session)["result"]
    assert done["stopReason"] == "end_turn"
    assert done["usage"]["totalTokens"] > 0
    stored = on_record(session)
    assert stored.status is Status.COMPLETED
    answer = text_of(editor, "agent_message_chunk")
    assert answer.startswith(stored.synthesis.content.split("\n")[0])
    assert stored.heading.split(":")[0] in answer
    thoughts = text_of(editor, "agent_thought_chunk")
    for seat in stored.brief.panel:
        assert f"### {seat.seat}" in thoughts
    assert "## synthesis" not in thoughts  # the answer is no thought
    assert "## analysis" not in thoughts  # it is a form for a program
    assert {e["status"] for e in updates(editor, "plan")[-1]["entries"]} == {"completed"}
    assert any("synthesis" in e["content"] for e in updates(editor, "plan")[-1]["entries"])


def test_a_session_is_one_conversation_and_can_be_loaded_by_another_process(editor, vendor):
    session = new_session(editor)
    prompt(editor, session)
    vendor.fake.arrivals.clear()
    prompt(editor, session, {"type": "text", "text": "And in Python?"})
    assert all(QUERY in json.dumps(a.body) for a in vendor.arrivals[:2])
    assert len(conversation(session)) == 2
    with Server(hello=False, word="acp") as later:
        later.ask("initialize", {"protocolVersion": 1})
        loaded = later.ask(
            "session/load", {"sessionId": session, "cwd": "/", "mcpServers": []}
        )  # fmt: skip
        assert loaded["result"]["modes"]["currentModeId"] == "default"
        asked = [u["content"]["text"] for u in updates(later, "user_message_chunk")]
        assert asked == [QUERY, "And in Python?"]
        assert len(updates(later, "agent_message_chunk")) == 2
        assert prompt(later, session)["result"]["stopReason"] == "end_turn"
    assert len(conversation(session)) == 3


def test_presets_are_modes_and_the_one_that_is_chosen_holds(editor, vendor):
    made = editor.ask("session/new", {"cwd": "/", "mcpServers": []})["result"]
    modes = [m["id"] for m in made["modes"]["availableModes"]]
    assert modes[0] == made["modes"]["currentModeId"] == "default"
    assert "quick" in modes
    assert [o["value"] for o in made["configOptions"][0]["options"]] == modes
    session = made["sessionId"]
    assert editor.ask("session/set_mode", {"sessionId": session, "modeId": "quick"})["result"] == {}
    prompt(editor, session)
    assert on_record(session).brief.preset == "quick"
    chosen = {"sessionId": session, "configId": "preset", "value": "default"}
    now = editor.ask("session/set_config_option", chosen)["result"]["configOptions"]
    assert now[0]["currentValue"] == "default"
    for wrong in ({"modeId": "none"}, {"modeId": 7}, {}):
        said = editor.ask("session/set_mode", {"sessionId": session, **wrong})
        assert said["error"]["code"] == -32602


def test_what_an_editor_attaches_is_read_and_links_are_told(editor, vendor):
    session = new_session(editor)
    done = prompt(
        editor, session, TEXT,
        {"type": "resource", "resource": {"uri": "file:///x/plan.md", "text": "canary one"}},
        {"type": "resource", "resource": {"uri": "file:///y/plan.md", "text": "canary two"}},
        {"type": "resource_link", "name": "main.py", "uri": "file:///x/main.py"},
        {"type": "image", "mimeType": "image/png", "data": b64encode(a_png()).decode()},
    )  # fmt: skip
    assert done["result"]["stopReason"] == "end_turn"
    brief = on_record(session).brief
    assert [(a.name, a.text, a.picture is not None) for a in brief.context] == [
        ("plan.md", "canary one", False),
        ("plan.md (2)", "canary two", False),
        ("picture", "", True),
    ]
    assert "[main.py](file:///x/main.py)" in brief.query
    assert "canary one" in json.dumps(vendor.arrivals[0].body)


UNREADABLE = [
    ([TEXT, {"type": "image", "data": "AAAA", "mimeType": "image/png"}], "not a picture"),
    ([TEXT, {"type": "image", "data": "...", "mimeType": "image/png"}], "base 64"),
    ([{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}], "no audio"),
    ([TEXT, {"type": "resource", "resource": {"uri": "x", "blob": "?"}}], "base 64"),
    ([{"type": "resource", "resource": {"uri": "x"}}], "content block"),
    ([{"type": "text"}], "content block"),
    ([{"type": "text", "text": "  "}], "no question"),
    ([], "no question"),
    ("words", "list"),
    ([7], "content block"),
    ([TEXT] * 300, "at most 256"),
]


def test_what_cannot_be_read_is_refused_before_anything_is_paid(editor, vendor):
    session = new_session(editor)
    for blocks, why in UNREADABLE:
        said = editor.ask("session/prompt", {"sessionId": session, "prompt": blocks})["error"]
        assert said["code"] == -32602
        assert why in said["message"]
    assert vendor.arrivals == []


def test_a_cancelled_prompt_ends_at_once_and_keeps_what_was_said(editor, vendor):
    vendor.fake.always("hang")
    session = new_session(editor)
    number = editor.begin("session/prompt", {"sessionId": session, "prompt": [TEXT]})
    wait_until(lambda: len(vendor.arrivals) >= 2)
    twice = prompt(editor, session)
    assert "under way" in twice["error"]["message"]
    since = time.monotonic()
    editor.send(
        {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}
    )  # fmt: skip
    assert editor.answer(number)["result"] == {"stopReason": "cancelled"}
    assert time.monotonic() - since < LONG / 5
    assert on_record(session).status in (Status.STOPPED, Status.INTERRUPTED)
    vendor.reset()
    assert prompt(editor, session)["result"]["stopReason"] == "end_turn"


def test_an_editor_that_leaves_ends_the_spending_and_leaves_no_process(editor, vendor):
    vendor.fake.always("hang")
    session = new_session(editor)
    editor.begin("session/prompt", {"sessionId": session, "prompt": [TEXT]})
    wait_until(lambda: len(vendor.arrivals) >= 2)
    children = psutil.Process(editor.process.pid).children(recursive=True)
    assert editor.close() == 0
    assert not any(c.is_running() for c in children)
    assert on_record(session).status in (Status.STOPPED, Status.INTERRUPTED)
    assert b"Traceback" not in editor.stderr


def test_a_debate_that_fails_is_told_in_words(editor, vendor):
    vendor.fake.always("401")
    done = prompt(editor, new_session(editor))
    assert done["result"]["stopReason"] == "end_turn"
    assert "There is no answer." in text_of(editor, "agent_message_chunk")


def test_without_any_model_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    (tmp_path / "config.toml").write_text('[defaults]\npanel = ["nobody:x", "nobody:y"]\n')
    with Server(hello=False, word="acp", MUTUAL_DISSENT_HOME=str(tmp_path)) as server:
        server.ask("initialize", {"protocolVersion": 1})
        said = prompt(server, new_session(server))["error"]
        assert said["code"] == -32602
        assert "nobody" in said["message"]


def test_debates_that_are_not_to_be_kept_are_a_conversation_all_the_same(vendor):
    dissent("config", "set", "defaults.save", "false")
    with Server(hello=False, word="acp") as server:
        server.ask("initialize", {"protocolVersion": 1})
        session = new_session(server)
        prompt(server, session)
        vendor.fake.arrivals.clear()
        prompt(server, session, {"type": "text", "text": "And in Python?"})
        assert QUERY in json.dumps(vendor.arrivals[0].body)
        missing = server.ask("session/load", {"sessionId": session, "cwd": "/", "mcpServers": []})
        assert missing["error"]["code"] == -32002
        no_id = server.ask("session/load", {"sessionId": "0000", "cwd": "/", "mcpServers": []})
        assert "no such session" in no_id["error"]["message"]


BAD_LINES = {
    b"{": -32700,
    b"\xff\xfe{}": -32700,
    b"[" * 100_000 + b"]" * 100_000: -32700,
    b"[]": -32600,
    b"7": -32600,
    b"{}": -32600,
    b'{"jsonrpc": "1.0", "id": 1, "method": "initialize"}': -32600,
    b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "initialize"}': -32600,
    b'{"jsonrpc": "2.0", "id": 1, "method": 7}': -32600,
    b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": [1]}': -32602,
    b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}': -32601,
    b'{"jsonrpc": "2.0", "id": 1, "method": "session/prompt"}': -32002,
    b'{"jsonrpc": "2.0", "id": 1, "method": "session/load", "params": {"sessionId": ".."}}': -32602,
    b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * 9_000_000 + b'"}': -32600,
}


def test_what_is_no_message_is_answered_with_an_error_and_the_agent_lives(editor):
    for line, code in BAD_LINES.items():
        before = len(editor.messages)
        editor.write(line + b"\n")
        editor.until(lambda m, n=before: len(editor.messages) > n)
        assert editor.messages[-1]["error"]["code"] == code, line[:60]
    editor.write(b'\n\r\n  \n{"jsonrpc": "2.0", "id": 77, "result": {}}\n')
    editor.send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": []}})
    dice = random.Random(7)
    for _ in range(300):
        editor.write(bytes(dice.randrange(256) for _ in range(dice.randrange(60))) + b"\n")
    assert new_session(editor)
    assert editor.close() == 0
    assert b"Traceback" not in editor.stderr


def test_what_anything_prints_does_not_reach_the_wire(tmp_path, vendor):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "class Loud:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name in ('mutual_dissent.surfaces.acp.start', 'sqlite3', 'aiohttp'):\n"
        "            print('NOISE'), os.write(1, b'NOISE\\n'), os.system('echo NOISE')\n"
        "sys.meta_path.insert(0, Loud())\n"
    )
    with Server(hello=False, word="acp", PYTHONPATH=str(tmp_path)) as server:
        early = server.ask("session/new", {"cwd": "/", "mcpServers": []})
        assert early["error"]["code"] == -32600
        server.ask("initialize", {"protocolVersion": 1})
        prompt(server, new_session(server))
        assert server.close() == 0
    assert server.stderr.count(b"NOISE") >= 6
    assert b"NOISE" not in json.dumps(server.messages).encode()


async def test_the_protocols_own_client_understands_every_word(vendor):
    acp = pytest.importorskip("acp", reason="SKIPPED: agent-client-protocol is not installed")

    class Editor(acp.Client):
        def __init__(self):
            self.heard = []

        async def session_update(self, session_id, update, **_):
            self.heard.append(type(update).__name__)

    editor = Editor()
    async with acp.spawn_agent_process(editor, *PROGRAM, "acp", env=dict(os.environ)) as (agent, _):
        met = await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        assert met.agent_info.name == "mutual-dissent"
        assert met.agent_capabilities.load_session
        session = await agent.new_session(cwd="/", mcp_servers=[])
        assert len(session.config_options[0].options) == len(session.modes.available_modes)
        await agent.set_session_mode(session_id=session.session_id, mode_id="quick")
        done = await agent.prompt(
            session_id=session.session_id, prompt=[acp.text_block(QUERY)]
        )  # fmt: skip
        assert done.stop_reason == "end_turn"
        await agent.load_session(session_id=session.session_id, cwd="/", mcp_servers=[])
        with pytest.raises(acp.RequestError, match="no such session"):
            await agent.prompt(session_id="nothing", prompt=[acp.text_block(QUERY)])
    assert {"AgentPlanUpdate", "AgentThoughtChunk", "AgentMessageChunk"} <= set(editor.heard)
