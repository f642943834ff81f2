"""The panel as a model of the program `llm`, without a server in between."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from fakes.command_line import dissent
from fakes.images import a_png

ROOT = Path(__file__).parents[2]
ENTRY_POINTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
QUERY = "What is the capital of Australia?"


@pytest.fixture(autouse=True)
def user_path(tmp_path, monkeypatch):
    """The folder of `llm` for its log."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path / "llm"))


@pytest.fixture
def llm(vendor, monkeypatch):
    """The package `llm` with our plugin, registered as its entry point has it, and no other."""
    import llm

    monkeypatch.setattr(llm.plugins, "LLM_LOAD_PLUGINS", "")
    llm.load_plugins()
    module = import_module(ENTRY_POINTS["llm"]["dissent"])
    llm.pm.register(module)
    yield llm
    llm.pm.unregister(module)


def run(*words):
    """The program `llm`, in this process; the fixture of that name goes first."""
    from llm.cli import cli

    return CliRunner().invoke(cli, [*words])


def test_the_installed_plugin_adds_the_panel_to_llm(vendor, tmp_path):
    installed = tmp_path / "site" / "panel-1.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: panel\nVersion: 1\n")
    rows = "".join(f"{name} = {module}\n" for name, module in ENTRY_POINTS["llm"].items())
    (installed / "entry_points.txt").write_text(f"[llm]\n{rows}")
    path = os.pathsep.join([str(installed.parent), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-m", "llm", "-m", "dissent", QUERY, "-o", "panel", "claude,gpt"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "LLM_LOAD_PLUGINS": "panel"},
    )
    assert done.returncode == 0, done.stderr
    answer, line = done.stdout.rsplit("---\n", 1)
    assert dissent("show", "last", "--output", "answer").stdout.strip() == answer.strip()
    assert line.startswith("*")


def test_options_reach_the_debate_and_its_figures_reach_the_log(llm, vendor):
    words = ("-o", "panel", "claude, gpt", "-o", "rounds", "2", "-o", "max_cost", "1")
    result = run("-m", "dissent", QUERY, "-s", "Be brief.", *words)
    assert result.exit_code == 0, result.output
    kept = json.loads(dissent("show", "last", "--output", "json").stdout)
    assert [len(r["responses"]) for r in kept["rounds"]] == [2, 2, 2]
    assert all("Be brief." in a.prompt for a in vendor.arrivals if not a.reads)
    [row] = json.loads(run("logs", "--json").output)
    assert row["response_json"]["transcript_id"] == kept["transcript_id"]
    assert row["input_tokens"] > row["output_tokens"] > 0


def test_a_conversation_goes_on(llm, vendor):
    run("-m", "dissent", QUERY, "-o", "mode", "single")
    vendor.arrivals.clear()
    assert run("-c", "And of Austria?", "-o", "mode", "single").exit_code == 0
    [arrival] = vendor.arrivals
    assert arrival.prompt.index(QUERY) < arrival.prompt.index("And of Austria?")


async def test_programs_with_a_loop_of_their_own_ask_it_too(llm, vendor):
    response = llm.get_async_model("dissent").prompt(QUERY, panel="claude,gpt")
    assert "\n---\n*" in await response.text()
    assert (await response.usage()).output > 0


def test_mistakes_and_failures_are_one_sentence(llm, vendor):
    wrong = run("-m", "dissent", QUERY, "-o", "mode", "no-such-mode")
    assert wrong.exit_code == 1
    assert wrong.output.startswith("Error: ")
    assert "no-such-mode" in wrong.output
    assert not vendor.arrivals
    vendor.fake.always("401")
    failed = run("-m", "dissent", QUERY)
    assert failed.exit_code == 1
    assert "gave no answer" in failed.output
    assert "Traceback" not in failed.output


def test_a_picture_that_is_attached_is_shown_to_the_panel(llm, vendor, tmp_path):
    (tmp_path / "chart.png").write_bytes(a_png(64, 48))
    shown = str(tmp_path / "chart.png")
    done = run("-m", "dissent", QUERY, "-a", shown, "-o", "panel", "claude,gpt")
    assert done.exit_code == 0, done.output
    assert all("iVBORw0KGgo" in json.dumps(a.body) for a in vendor.arrivals[:2])
