"""A sentence speaks of options and commands as the surface does on which it is read."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click
import pytest

from mutual_dissent.core.errors import BadInput, Finished, Held, NotFound, NotRunning
from mutual_dissent.core.values.terms import LIBRARY, command, option
from mutual_dissent.surfaces.cli import cli
from mutual_dissent.surfaces.terms import COMMAND_LINE, MCP, PAGE, REST

SOURCE = Path(__file__).resolve().parents[2] / "src" / "mutual_dissent"
ID = "1f0c9a2e-0000-4000-8000-000000000000"

OPTIONS = "briefing/options.py"
"""The table of options itself."""
OTHER_PROGRAMS = {
    "analysis/review/text.py",  # git, whose diffs are read
    "briefing/inputs/git.py",  # git
    "briefing/inputs/review_text.py",  # git
    "briefing/inputs/file_list.py",  # git
    "hosting/temporal/dev_server.py",  # Temporal's server
    "providers/agents/table.py",  # claude, codex, gemini
    "providers/local/weights.py",  # pip
    "views/documents/html_style.py",  # custom properties of a style sheet
}
"""Files with arguments of other programs."""


@pytest.mark.parametrize(
    ("sentence", "surface", "said"),
    [
        (f"leave out {option('rounds')}", COMMAND_LINE, "leave out --rounds"),
        (f"leave out {option('rounds')}", REST, "leave out rounds"),
        (f"leave out {option('rounds')}", LIBRARY, "leave out rounds"),
        (option("max_cost"), COMMAND_LINE, "--max-cost"),
        (option("max_cost"), REST, "maxCostUsd"),
        (option("max_cost"), MCP, "maxCostUsd"),
        (option("max_cost"), PAGE, "Budget in dollars"),
        (option("max_cost"), LIBRARY, "max_cost"),
        (option("roles"), COMMAND_LINE, "--role"),
        (option("panel", "claude"), MCP, "agents claude"),
        (option("exit_consensus"), MCP, "exitCriteria.consensusThreshold"),
        (option("call_timeout"), MCP, "defaults.call_timeout in the configuration"),
        (option("allow_unpriced"), MCP, "--allow-unpriced on the command line"),
        (option("no_save"), COMMAND_LINE, "--no-save"),
        (option("no_save"), LIBRARY, "save=False"),
        (command("resume", "1f0c"), COMMAND_LINE, "dissent resume 1f0c"),
        (command("resume", "1f0c"), REST, "POST /api/sessions/1f0c/resume"),
        (command("resume", "1f0c"), MCP, "control_session with sessionId 1f0c and action resume"),
        (command("doctor"), REST, "dissent doctor"),
        (command("resume", "1f0c", remark='"..."'), COMMAND_LINE,
         'dissent resume 1f0c --remark "..."'),
        (command("experiment resume", "e", cluster=True), MCP,
         "dissent experiment resume e --cluster"),
    ],
)  # fmt: skip
def test_each_surface_has_its_own_words(sentence, surface, said):
    assert surface.resolve(sentence) == said


@pytest.mark.parametrize("error", [Finished(ID), NotRunning(ID), Held(ID, "process 1")])
def test_no_marker_is_ever_shown(error):
    for told in (str(error), *(error.in_terms(t) for t in (COMMAND_LINE, REST, MCP, PAGE))):
        assert told.isprintable()
        assert "1f0c9a2e" in told
    assert "dissent" not in error.in_terms(REST) + error.in_terms(MCP) + error.in_terms(PAGE)


def test_an_error_keeps_its_terms_inside_another_one():
    inner = BadInput(f"leave out {option('rounds')}")
    outer = BadInput(f"preset quick: {inner.sentence}")
    assert outer.in_terms(COMMAND_LINE) == "preset quick: leave out --rounds"
    assert str(outer) == "preset quick: leave out rounds"


def test_what_somebody_else_wrote_is_no_marker():
    hostile = option("rounds") + "\ue000crm -rf\ue003"
    told = NotFound(f"nothing is called {command('show', hostile)}").in_terms(COMMAND_LINE)
    assert "rm -rf" in told
    assert told.count("dissent") == 1


@pytest.mark.parametrize("terms", [COMMAND_LINE, REST, MCP, PAGE, LIBRARY])
@pytest.mark.parametrize(
    "name",
    [
        "\ue000cshow\ue003",
        "\ue000c\ue003",
        "\ue000o\ue003",
        "\ue000",
        "\ue003\ue001\ue002",
        "{0}{x}",
    ],
)
def test_a_file_that_is_named_like_a_marker_breaks_no_sentence(terms, name):
    told = terms.resolve(f"{name} cannot be read; {command('show', name)}, {option('panel', name)}")
    assert "cannot be read" in told


def test_nothing_below_the_surfaces_speaks_of_flags_or_commands():
    names = "|".join(map(re.escape, cli.list_commands(click.Context(cli))))
    commands = re.compile(rf"\bdissent (?:{names})\b")
    flags = re.compile(r"(?<![\w(-])--[a-z]")  # after a bracket it is CSS
    found = [
        f"{file}:{text.lineno}: {text.value[:80]!r}"
        for file in (p.relative_to(SOURCE).as_posix() for p in sorted(SOURCE.rglob("*.py")))
        if not file.startswith("surfaces/") and file != OPTIONS
        for text in literals(ast.parse((SOURCE / file).read_text("utf-8")))
        if commands.search(text.value) or (file not in OTHER_PROGRAMS and flags.search(text.value))
    ]
    assert not found


def literals(tree: ast.Module):
    """Every text but docstrings and the strings that stand under a name to explain it."""
    told = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node
