"""`dissent mcp` as a real process: its stdout is the protocol's, whatever it is sent."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import psutil
import pytest

from fakes.command_line import PROGRAM, wait_until
from fakes.mcp_process import HELLO, META, MODERN, Server
from fakes.patience import LONG
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Status

PROCESSES = int(os.environ.get("MCP_PROCESSES", "2"))
MESSAGES = int(os.environ.get("MCP_MESSAGES", "500"))
"""Of random messages to each process. 20 processes of 500 take minutes on 2 cores: set
MCP_PROCESSES=20 for the whole run."""


@pytest.fixture
def server():
    with Server() as running:
        yield running


def test_it_serves_the_handshake_era(server):
    listed = server.ask("tools/list")["result"]["tools"]
    assert len(listed) == 12
    said = server.call("list_sessions")
    assert said["structuredContent"]["total"] == 0
    assert server.close() == 0


def test_it_serves_the_stateless_era():
    with Server(hello=False) as server:
        found = server.ask("server/discover", META)["result"]
        assert MODERN in found["supportedVersions"]
        said = server.ask("tools/call", {"name": "get_agents", "arguments": {}, **META})
        assert said["result"]["structuredContent"]["agents"]
        assert server.close() == 0


def test_answers_that_are_nearly_there_still_come_when_the_client_closes_its_end():
    done = subprocess.run(
        [*PROGRAM, "mcp"],
        input=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}),
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    [line] = done.stdout.splitlines()
    assert json.loads(line)["result"]["serverInfo"]["name"] == "mutual-dissent"
    assert (done.returncode, done.stderr) == (0, "")


BAD_LINES = {
    b"{": -32700,
    b"\xff\xfe{}": -32700,
    b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": NaN}}': -32700,
    b'"\\ud800"': -32700,
    b"[" * 100_000 + b"]" * 100_000: -32700,
    b'{"a":' * 5_000 + b"1" + b"}" * 5_000: -32700,
    b"[]": -32600,
    b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]': -32600,
    b"7": -32600,
    b"null": -32600,
    b"{}": -32600,
    b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}': -32600,
    b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}': -32600,
    b'{"jsonrpc": "2.0", "id": true, "method": "ping"}': -32600,
    b'{"jsonrpc": "2.0", "id": 1, "method": 7}': -32600,
    b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}': -32600,
}


def test_what_is_no_message_is_answered_with_an_error_and_the_server_lives(server):
    for line, code in BAD_LINES.items():
        before = len(server.messages)
        server.write(line + b"\n")
        server.until(lambda m, n=before: len(server.messages) > n)
        assert server.messages[-1]["error"]["code"] == code, line[:60]
    server.write(b'{"jsonrpc": "2.0", "id": 9000, "method": "ping", "params": {"x": "')
    for _ in range(50):
        server.write(b"y" * 1_000_000)
    server.write(b'"}}\n')
    assert (
        "bytes"
        in server.until(
            lambda m: (
                m.get("error", {}).get("code") == -32600 and "at most" in m["error"]["message"]
            )
        )["error"]["message"]
    )
    assert psutil.Process(server.process.pid).memory_info().rss < 400_000_000
    assert server.ask("no/such/method")["error"]["code"] == -32601
    assert server.ask("tools/call", {"name": 7})["error"]["code"] == -32602
    for odd in ("notifications/cancelled", "notifications/initialized", "notifications/none"):
        server.send({"jsonrpc": "2.0", "method": odd, "params": {"requestId": [], "x": 1}})
    server.send({"jsonrpc": "2.0", "id": 77, "result": {}})
    server.write(b"\n\r\n  \n")
    assert server.ask("ping")["result"] == {}
    assert server.close() == 0


def test_a_call_before_the_handshake_is_an_error():
    with Server(hello=False) as server:
        assert "error" in server.ask("tools/list")
        assert "result" in server.ask("initialize", HELLO)
        assert "result" in server.ask("tools/list")


def test_what_anything_prints_does_not_reach_the_wire(tmp_path):
    """Prints, warnings and children's output go to stderr, from the first import on."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys, warnings\n"
        "def noise():\n"
        "    print('NOISE')\n"
        "    os.write(1, b'NOISE\\n')\n"
        "    os.system('echo NOISE')\n"
        "    warnings.warn('NOISE')\n"
        "class Loud:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name in ('mcp', 'mutual_dissent.surfaces.mcp.transport.start', 'sqlite3'):\n"
        "            noise()\n"
        "sys.meta_path.insert(0, Loud())\n"
    )
    with Server(PYTHONPATH=str(tmp_path)) as server:
        server.call("list_sessions")
        assert server.close() == 0
    assert server.stderr.count(b"NOISE") >= 6
    assert b"NOISE" not in json.dumps(server.messages).encode()


def test_random_messages_bring_nothing_but_messages():
    for seed in range(PROCESSES):
        dice = random.Random(seed)
        with Server(hello=dice.random() < 0.8) as server:
            for _ in range(MESSAGES):
                server.write(random_line(dice))
            last = server.begin("ping", META if dice.random() < 0.1 else None)
            server.answer(last)
            assert server.close() == 0, server.stderr
            assert b"Traceback" not in server.stderr


METHODS = [
    "ping", "initialize", "tools/list", "tools/call", "resources/list", "resources/read",
    "resources/templates/list", "prompts/list", "prompts/get", "completion/complete",
    "logging/setLevel", "server/discover", "notifications/cancelled", "notifications/progress",
    "notifications/initialized", "roots/list", "sampling/createMessage", "x", "",
]  # fmt: skip
TOOLS = ["list_sessions", "get_consensus", "get_agents", "export_session", "control_session", "x"]


def random_value(dice, depth=0):
    kinds = [
        lambda: None, lambda: dice.random() < 0.5, lambda: dice.randint(-(2**40), 2**40),
        lambda: dice.random() * 10 ** dice.randint(-300, 300), lambda: "",
        lambda: "".join(chr(dice.randint(1, 0xD7FF)) for _ in range(dice.randint(0, 40))),
        lambda: dice.choice(TOOLS), lambda: f"roundtable://sessions/{dice.random()}",
    ]  # fmt: skip
    if depth < 3:
        kinds += [
            lambda: [random_value(dice, depth + 1) for _ in range(dice.randint(0, 3))],
            lambda: random_object(dice, depth + 1),
        ]
    return dice.choice(kinds)()


def random_object(dice, depth=0):
    names = ["name", "arguments", "uri", "cursor", "_meta", "sessionId", "requestId", "ref", "wait"]
    return {dice.choice(names): random_value(dice, depth) for _ in range(dice.randint(0, 3))}


def random_line(dice):
    """A message, or something like one; nothing that waits or spends."""
    message = {"jsonrpc": "2.0", "method": dice.choice(METHODS), "id": dice.randint(1000, 2000)}
    if message["method"] == "tools/call" and dice.random() < 0.7:
        message["params"] = {"name": dice.choice(TOOLS), "arguments": random_object(dice)}
    elif dice.random() < 0.7:
        message["params"] = random_value(dice)
    if dice.random() < 0.2:
        message.pop(dice.choice(list(message)))
    line = json.dumps(message).encode()
    if dice.random() < 0.1:
        line = bytes(dice.randint(0, 255) for _ in range(30)).replace(b"\n", b"")
    elif dice.random() < 0.1:
        line = line[: dice.randint(0, len(line))]
    return line + b"\n"


@pytest.mark.parametrize("leaving", ["eof", "cancel", "terminate"])
def test_a_client_that_leaves_ends_the_spending_and_leaves_no_process(vendor, own_home, leaving):
    vendor.fake.always("hang")
    panel = ["openai:a", "openai:b"]
    env = {"OPENAI_API_KEY": "sk-test-000001", "OPENAI_BASE_URL": vendor.url}
    with Server(**env) as server:
        call = {"name": "start_roundtable", "arguments": {"topic": "Tabs?", "agents": panel}}
        number = server.begin("tools/call", call)
        wait_until(lambda: len(vendor.arrivals) == 2)
        children = psutil.Process(server.process.pid).children(recursive=True)
        if leaving == "cancel":
            server.send({
                "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": number},
            })  # fmt: skip
            wait_until(lambda: stored(own_home) is Status.STOPPED)
            assert server.close() == 0
        elif leaving == "eof":
            assert server.close() == 0
        else:
            server.process.terminate()
            assert server.process.wait(LONG) == 143
        assert not any(c.is_running() for c in children)
    assert stored(own_home) in (Status.STOPPED, Status.INTERRUPTED)
    assert len(vendor.arrivals) == 2
    assert b"sk-test" not in server.stderr


def stored(home):
    with MutualDissent(home=home, env={}).store as store:
        [row] = store.list()
        return row.status


def test_a_debate_over_stdio_from_start_to_report(vendor):
    env = {"OPENAI_API_KEY": "sk-test-000001", "OPENAI_BASE_URL": vendor.url}
    with Server(**env) as server:
        said = server.call(
            "start_roundtable", topic="Tabs or spaces?", agents=["openai:a", "openai:b"],
            mode="reflection",
        )["structuredContent"]  # fmt: skip
        assert said["status"] == "completed"
        assert [a["agentId"] for a in said["agentResponses"]] == ["openai:a", "openai:b"]
        session = said["sessionId"]
        report = server.call("export_session", sessionId=session)["structuredContent"]
        assert report["content"].startswith("# Tabs or spaces?")
        assert server.close() == 0
    assert server.stderr == b""


def test_a_broken_configuration_is_said_where_a_model_reads_it(own_home):
    own_home.mkdir()
    (own_home / "config.toml").write_text("[defaults]\nmode = 7\n")
    with Server() as server:
        said = server.call("get_agents")
        assert said["isError"]
        assert "configuration cannot be used: defaults.mode" in said["content"][0]["text"]
        assert server.ask("tools/list")["result"]["tools"]
        assert server.close() == 0


def test_without_the_extra_it_says_what_to_install(tmp_path):
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('no mcp', name='mcp')\n")
    done = subprocess.run(
        [sys.executable, "-m", "mutual_dissent", "mcp"],
        input=b"",
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=LONG,
    )
    assert done.returncode == 2
    assert b"pip install 'mutual-dissent[mcp]'" in done.stderr
    assert done.stdout == b""


def test_a_panelist_that_fails_is_named_and_the_others_count(vendor):
    """One fault of each class: refused, gone, cut, empty, nonsense, another model."""
    env = {"OPENAI_API_KEY": "sk-test-000001", "OPENAI_BASE_URL": vendor.url}
    panel = [f"openai:{name}" for name in ("a", "b", "c")]
    with Server(**env) as server:
        for fault in ("404", "midcut", "empty", "refusal", "badjson", "error200"):
            vendor.reset()
            for _ in range(8):
                vendor.fake.then(fault, model="c")
            said = server.call(
                "start_roundtable", topic="Tabs?", agents=panel, mode="reflection", wait=120
            )["structuredContent"]
            assert said["status"] == "completed", fault
            assert [a["agentId"] for a in said["agentResponses"]] == panel[:2], fault
            missed = "c's answer broke off" if fault == "midcut" else "c did not answer: "
            assert missed in said["heading"], fault
            absent = server.call(
                "get_response_detail", sessionId=said["sessionId"], agentId="openai:c"
            )["structuredContent"]
            assert absent["error"], fault
        vendor.reset()
        vendor.fake.always("401")
        said = server.call(
            "start_roundtable", topic="Tabs?", agents=panel, mode="reflection", wait=120
        )["structuredContent"]
        assert said["status"] in ("error", "stopped")
        assert "model not allowed" in said["heading"]  # the key has answered before
        refused = server.call(
            "get_response_detail", sessionId=said["sessionId"], agentId="openai:a"
        )["structuredContent"]
        assert "OPENAI_API_KEY" in refused["error"]
        assert server.close() == 0
    assert "sk-test" not in json.dumps(server.messages)
