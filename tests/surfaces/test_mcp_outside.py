"""What others say of our MCP server: the conformance suite for both eras, and the Inspector."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from fakes.command_line import PROGRAM
from fakes.node_tools import CONFORMANCE, INSPECTOR, command, run_script
from fakes.patience import LONG
from mutual_dissent.surfaces.mcp.answers.schemas import input_schema
from mutual_dissent.surfaces.mcp.tools import TABLE

pytestmark = [pytest.mark.outside, pytest.mark.slow]

FIXTURES = Path(__file__).parents[1] / "fakes" / "conformance_server.py"
ERAS = ("2025-11-25", "2026-07-28")
GENERIC = {
    "2025-11-25": (
        "server-initialize", "server-session-lifecycle", "ping", "completion-complete",
        "tools-list", "tools-call-error", "server-sse-multiple-streams", "resources-list",
        "prompts-list", "dns-rebinding-protection",
    ),
    "2026-07-28": (
        "completion-complete", "tools-list", "tools-call-error", "server-sse-multiple-streams",
        "resources-list", "sep-2164-resource-not-found", "prompts-list", "caching",
        "dns-rebinding-protection", "http-header-validation",
        "input-required-result-unsupported-methods",
    ),
}  # fmt: skip
"""Scenarios that need nothing but a server."""

NOT_OFFERED = {"server-sse-polling"}
"""Not required by any revision: ending a stream in the middle of a call so that clients poll. All
`tasks-...` scenarios are of an extension that is not offered either."""


@contextmanager
def serving(*words):
    """The address of a server that runs as a process of its own."""
    process = subprocess.Popen(
        [sys.executable, str(FIXTURES), *words], stdout=subprocess.PIPE, text=True
    )
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate(timeout=LONG)


def judged(url, *words):
    """Scenario -> how many of its checks passed and failed."""
    done = subprocess.run(
        [*command(CONFORMANCE), "server", "--url", url, *words],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    found = re.findall(r"^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed", done.stdout, re.MULTILINE)
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return {name: (int(passed), int(failed)) for name, passed, failed in found}


@pytest.mark.parametrize("era", ERAS)
def test_every_scenario_that_a_revision_requires_passes_on_the_fixtures(era, tmp_path):
    command(CONFORMANCE)
    with serving(str(tmp_path)) as url:
        found = judged(url, "--requirements", era)
    offered = {
        name: counts
        for name, counts in found.items()
        if name not in NOT_OFFERED and not name.startswith("tasks-")
    }
    assert len(offered) >= 30
    assert {name for name, (_, failed) in offered.items() if failed} == set()


@pytest.mark.parametrize("era", ERAS)
def test_generic_scenarios_pass_on_the_roundtable_itself(era, tmp_path):
    command(CONFORMANCE)
    with serving(str(tmp_path), "--bare") as url:
        found = judged(url, "--requirements", era)
    assert {n: found[n][1] for n in GENERIC[era]} == dict.fromkeys(GENERIC[era], 0)


def inspected(*words, **more):
    return subprocess.run(
        [*command(INSPECTOR), "--cli", *words],
        capture_output=True, text=True, timeout=LONG, **more,
    )  # fmt: skip


def test_the_inspector_finds_nothing_wrong_with_our_schemas(tmp_path):
    env = {**os.environ, "HOME": str(tmp_path)}
    done = inspected(*PROGRAM, "mcp", "--method", "tools/list", "--strict", env=env)
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(json.loads(done.stdout)["tools"]) == 12
    assert "portability" not in done.stderr, done.stderr


def test_the_inspector_calls_a_tool_over_stdio(tmp_path):
    env = {**os.environ, "HOME": str(tmp_path)}
    done = inspected(
        *PROGRAM, "mcp", "--method", "tools/call", "--tool-name", "list_sessions",
        "--tool-arg", "pageSize=5", env=env,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert json.loads(done.stdout)["structuredContent"]["total"] == 0


AJV = """
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const Ajv = createRequire(process.cwd() + "/x.js")("ajv/dist/2020").default;
const tools = JSON.parse(readFileSync(0, "utf8"));
const wrong = [];
for (const [name, schema] of Object.entries(tools)) {
  try { new Ajv({ strict: true, strictTypes: true }).compile(schema); }
  catch (e) { wrong.push(`${name}: ${e.message}`); }
}
console.log(JSON.stringify(wrong));
"""


def test_a_strict_reader_of_json_schema_takes_every_schema():
    schemas = {
        f"{row.work.__name__} {side}": schema
        for row in TABLE
        for side, schema in (
            ("takes", input_schema(row.takes)),
            ("gives", row.schema),
        )
    }
    done = run_script(AJV, json.dumps(schemas))
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == []
