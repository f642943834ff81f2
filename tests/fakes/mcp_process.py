"""`dissent mcp` as a process, and a client that looks at every line of it."""

from __future__ import annotations

import json
import os
import subprocess
import threading

from fakes.command_line import PROGRAM
from fakes.patience import LONG

MODERN = "2026-07-28"
META = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Server:
    """A running `dissent mcp`, or `acp`; every line that it writes must be a message."""

    def __init__(self, *, hello=True, word="mcp", **env):
        self.process = subprocess.Popen(
            [*PROGRAM, word],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **env},
        )
        self.messages, self.stderr = [], b""
        self._news, self._gone = threading.Condition(), False
        self._readers = [threading.Thread(target=t) for t in (self._read, self._drain)]
        for reader in self._readers:
            reader.start()
        self._number = 0
        if hello:
            self.ask("initialize", HELLO)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)  # not a message: the thread dies, and the test with it
            assert message["jsonrpc"] == "2.0", line
            with self._news:
                self.messages.append(message)
                self._news.notify_all()
        with self._news:
            self._gone = True
            self._news.notify_all()

    def _drain(self):
        self.stderr = self.process.stderr.read()

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def begin(self, method, params=None):
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method}
        self.send({**message, **({"params": params} if params is not None else {})})
        return self._number

    def answer(self, number):
        return self.until(lambda m: m.get("id") == number and "method" not in m)

    def until(self, check):
        with self._news:
            found = self._news.wait_for(lambda: self._found(check) or self._gone, LONG)
        assert isinstance(found, dict), (self.messages[-3:], self.stderr)
        return found

    def _found(self, check):
        return next((m for m in self.messages if check(m)), None)

    def ask(self, method, params=None):
        return self.answer(self.begin(method, params))

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def close(self):
        """Leave, as a client does; returns the exit code."""
        self.process.stdin.close()
        return self.process.wait(LONG)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(LONG)
        for reader in self._readers:
            reader.join(LONG)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
