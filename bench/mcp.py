"""The MCP server: its first answer, and what reading a stored session costs."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Self

from bench.report import Table

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
CALLS = 50
TOOLS = ("get_consensus", "get_round_details", "get_citations", "export_session", "list_sessions")
"""What a client reads most; each answers from the record."""


def measure(table: Table) -> None:
    """CPU until `dissent mcp` has answered its first request, and of a call that reads."""
    with tempfile.TemporaryDirectory() as home:
        session = asyncio.run(_stored(home))
        with _Server(home) as warm:  # bytecode is compiled
            warm.ask("initialize", HELLO)
        first = min(_first(home) for _ in range(3))
        costs = {tool: _reading(home, tool, session) for tool in TOOLS}
    worst = max(costs, key=lambda tool: costs[tool])
    table.add("CPU of `dissent mcp` to its first answer", first, 2.0, unit="s")
    note = f"{worst}; the others {', '.join(f'{c:.1f}' for t, c in costs.items() if t != worst)}"
    table.add("CPU of an MCP call that reads a session", costs[worst], 10, unit="ms", note=note)


def _first(home: str) -> float:
    with _Server(home) as server:
        server.ask("initialize", HELLO)
        return server.cpu()


def _reading(home: str, tool: str, session: str) -> float:
    """Milliseconds of CPU for a call."""
    arguments = {} if tool == "list_sessions" else {"sessionId": session}
    with _Server(home) as server:
        server.ask("initialize", HELLO)
        params = {"name": tool, "arguments": arguments}
        server.ask("tools/call", params)
        before = server.cpu()
        for _ in range(CALLS):
            server.ask("tools/call", params)
        return (server.cpu() - before) / CALLS * 1000


async def _stored(home: str) -> str:
    """A stored debate of four panelists and three rounds of usual length."""
    from mutual_dissent.app import MutualDissent
    from mutual_dissent.providers.scripted import Scripted

    text = " ".join(f"Point {i} holds because of reason {i}." for i in range(40))
    seats = ("ada", "bob", "cyd", "dan")
    panel = Scripted({s: lambda ask: f"{ask.panelist.seat} says: {text}" for s in seats})
    async with MutualDissent(home=home, env={}, provider=panel) as md:
        held = await md.debate("What holds?", panel=seats, rounds=2, analyst="none")
    return held.transcript_id


class _Server:
    """A running `dissent mcp`."""

    def __init__(self, home: str) -> None:
        env = {**os.environ, "MUTUAL_DISSENT_HOME": home}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mutual_dissent", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
        )
        self._number = 0

    def ask(self, method: str, params: dict) -> dict:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        assert not answer.get("result", {}).get("isError"), answer
        return answer["result"]

    def cpu(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()
