"""`dissent serve` and `dissent token` as a user meets them: FAULTS W9, and an end by Ctrl-C."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from fakes.command_line import dissent, program, started, wait_until
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.http.run.sockets import address_of, bind_socket

SECRET = "a question that must stay between us"


class Running:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.said: dict[str, str] = {}
        for line in process.stdout:
            name, _, where = line.decode().strip().partition("  ")
            self.said[name] = where.strip()
            if name.startswith("Programs"):
                break

    def call(self, method: str, path: str, body: object = None, **fields: str) -> tuple[int, bytes]:
        parts = urlsplit(self.said["REST"])
        connection = HTTPConnection(parts.hostname, parts.port, timeout=30)
        headers = {"content-type": "application/json"} if body is not None else {}
        sent = json.dumps(body) if body is not None else None
        connection.request(method, path, sent, {**headers, **fields})
        answer = connection.getresponse()
        found = answer.status, answer.read()
        connection.close()
        return found

    def ended(self, number: int) -> tuple[int, str]:
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=30)
        return self.process.returncode, err.decode()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


@contextmanager
def serving(*words: str) -> Iterator[Running]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started("serve", "--no-open", "--port", str(free_port()), *words, **pipes) as process:
        yield Running(process)


def statuses() -> list[str]:
    return [row["status"] for row in json.loads(dissent("list", "-o", "json").stdout or "[]")]


def test_an_interrupted_server_leaves_its_debates_to_be_resumed(vendor):
    vendor.fake.then("hang", model="x-ai/grok-4.7", times=9)
    with serving() as server:
        chat = {"message": SECRET, "mode": "reflection"}
        code, _ = server.call("POST", "/api/chat", chat)
        assert code == 202
        wait_until(lambda: len(vendor.arrivals) == 4)
        numbers = server.call("GET", "/metrics")[1].decode()
        assert "dissent_debates_live 1\n" in numbers
        code, log = server.ended(signal.SIGINT)
    assert code == 130
    assert "1 debate can be resumed" in log.splitlines()[-1]
    assert statuses() == ["interrupted"]
    assert dissent("doctor").stdout == "Nothing is wrong.\n"
    vendor.reset()
    (row,) = json.loads(dissent("list", "-o", "json").stdout)
    resumed = dissent("resume", row["transcript_id"][:8], "-o", "json")
    assert json.loads(resumed.stdout)["status"] == "completed"


def test_the_log_is_json_without_words_or_keys(vendor):
    word = dissent("token", "new", "laptop").stdout.strip()
    with serving() as server:
        assert server.said["Programs need a token: Authorization: Bearer TOKEN"] == ""
        bearer = {"authorization": f"Bearer {word}"}
        chat = {"message": SECRET, "mode": "reflection"}
        assert server.call("POST", "/api/chat", chat)[0] == 401
        assert server.call("POST", "/api/chat", chat, **bearer)[0] == 202
        assert server.call("GET", "/api/sessions?text=secret-search", **bearer)[0] == 200
        page = urlsplit(server.said["page"])
        assert server.call("GET", f"{page.path}?{page.query}")[0] == 303
        wait_until(lambda: statuses() == ["completed"])
        code, log = server.ended(signal.SIGTERM)
    assert code == 143
    lines = [json.loads(line) for line in log.splitlines()[:-1]]
    asked = {(x["method"], x["route"], x["status"], x["token"]) for x in lines if "route" in x}
    assert ("POST", "/api/chat", 202, "laptop") in asked
    assert ("POST", "refused", 401, None) in asked
    start = page.query.partition("=")[2]
    for hidden in (SECRET, word, start, "secret-search", "sk-or-test-key-000001"):
        assert hidden not in log


def test_the_next_free_port_is_taken_and_said(vendor):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with started("serve", "--no-open", "--port", str(port), **pipes) as process:
            said = process.stderr.readline().decode()
            server = Running(process)
            chosen = urlsplit(server.said["REST"]).port
            assert said == f"port {port} is taken; using {chosen}\n"
            assert server.call("GET", "/healthz")[0] == 200
            assert server.ended(signal.SIGINT)[0] == 130


def test_what_others_can_reach_is_not_served_without_a_token(own_home):
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        result = dissent("serve", "--host", host, "--no-open")
        assert result.exit_code == 2
        assert "dissent token new NAME" in result.stderr
        assert result.stderr.count("\n") == 1


def test_with_a_token_it_may_be_reached(own_home):
    md = MutualDissent()
    md.tokens.new("laptop", md.clock())
    with bind_socket("0.0.0.0", free_port(), md.tokens) as sock:
        assert address_of(sock).startswith("http://127.0.0.1:")
    md.tokens.revoke("laptop", md.clock())
    with pytest.raises(BadInput, match="no token"):
        bind_socket("0.0.0.0", free_port(), md.tokens)
    md.close()


@pytest.mark.parametrize("host", ["nowhere.invalid", "256.1.1.1", "a" * 300, "127.0.0.1:80", "\0"])
def test_what_is_no_address_is_said_in_one_line(host):
    result = dissent("serve", "--host", host, "--no-open")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_without_the_extra_it_says_what_to_install():
    code = (
        "import sys\n"
        "sys.modules['uvicorn'] = None\n"
        "from mutual_dissent.surfaces.cli import cli\n"
        "cli.main(['serve'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'mutual-dissent[web]'" in done.stderr


def test_a_token_is_shown_once_and_alone_on_stdout():
    made = dissent("token", "new", "ci", "--budget", "5", "--rate", "60/min", "--mode", "ranking")
    word = made.stdout.strip()
    assert word.startswith("dissent_")
    assert "\n" not in word
    listed = dissent("token", "list")
    assert word not in listed.stdout
    name, _, *row = listed.stdout.split("\n")[1].split()
    assert (name, row) == ("ci", ["$0", "$5.00", "60/min", "ranking", "own"])
    (plain,) = json.loads(dissent("token", "list", "-o", "json").stdout)
    assert (plain["name"], plain["budget_usd"], plain["per_minute"]) == ("ci", 5.0, 60)
    assert dissent("token", "revoke", "ci").exit_code == 0
    assert json.loads(dissent("token", "list", "-o", "json").stdout) == []


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["new", "../../etc"], "cannot be a token's name"),
        (["new", "a" * 65], "cannot be a token's name"),
        (["new", ""], "cannot be a token's name"),
        (["new", "ci", "--mode", "rankin"], "did you mean 'ranking'?"),
        (["new", "ci", "--rate", "often"], "is not a rate"),
        (["new", "ci", "--rate", "0"], "is not a rate"),
        (["new", "ci", "--budget", "-1"], "budget"),
        (["new", "ci", "--budget", "nan"], "a budget must be"),
        (["revoke", "nobody"], "dissent token new NAME"),
    ],
)
def test_what_a_token_cannot_be_is_said_in_one_line(words, hint):
    result = dissent("token", *words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert hint in result.stderr
    assert json.loads(dissent("token", "list", "-o", "json").stdout) == []


def test_the_same_word_is_never_made_twice():
    words = {dissent("token", "new", f"t{i}").stdout for i in range(5)}
    assert len(words) == 5
    assert all(len(w.strip()) > 40 for w in words)


def test_help_says_how_to_begin():
    result = program("serve", "--help")
    assert b"--no-open" in result.stdout
