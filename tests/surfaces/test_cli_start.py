"""The program starts at once, and its help is complete."""

from __future__ import annotations

import re
import subprocess
import sys

import click
import pytest

from fakes.command_line import dissent
from mutual_dissent.surfaces.cli import TABLE, cli

HEAVY = (
    "pydantic aiohttp rich orjson sqlite3 asyncio tomlkit genai_prices fastapi uvicorn pytauri"
).split()

MOST_MODULES = 235
"""Modules of ours, packages included, that a first debate loads. Lower it when it can be."""


def modules_after(*words: str) -> set[str]:
    """What is imported when a command has run."""
    code = (
        "import sys\n"
        "from mutual_dissent.surfaces.cli import cli\n"
        "try: cli.main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_help_and_version_load_nothing_that_they_do_not_need(word):
    loaded = modules_after(word)
    assert not loaded & set(HEAVY)
    commands = {m for m in loaded if m.startswith("mutual_dissent.surfaces.cli.commands")}
    assert not commands


@pytest.mark.parametrize("words", [("list",), ("show", "12345678"), ("doctor",)])
def test_looking_at_the_record_loads_no_http_client(words):
    assert not modules_after(*words) & {"aiohttp", "genai_prices", "pydantic"}


def test_a_debate_loads_its_own_mode_rule_and_wire_format_alone(vendor):
    words = ("ask", "Tabs or spaces?", "--panel", "claude,gpt", "--no-analyst")
    loaded = {m for m in modules_after(*words) if m.startswith("mutual_dissent")}
    assert "mutual_dissent.modes.reflection" in loaded
    assert "mutual_dissent.providers.dialects.openai" in loaded
    others = re.compile(
        r"(modes\.(delphi|review|escalate)|analysis\.(review|ballots\.rules)\.|proposer|"
        r"providers\.(dialects\.(anthropic|google)|human|scripted|local\.provider)|experiments|"
        r"surfaces\.(rest|mcp|web|http|openai)|store\.postgres\.adapter|views\.(markdown|charts))"
    )
    assert not {m for m in loaded if others.match(m.removeprefix("mutual_dissent."))}
    core = {m for m in loaded if "semantics" not in m}  # asked, since the answers differ in words
    assert len(core) <= MOST_MODULES, "load what only some debates need where it is needed"


def commands(group: click.Group = cli, *above: str) -> list[tuple[str, ...]]:
    """Every command and what is below it."""
    context = click.Context(group)
    found = []
    for name in group.list_commands(context):
        found.append((*above, name))
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            found += commands(command, *above, name)
    return found


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_has_help_with_examples(words):
    result = dissent(*words, "--help")
    assert result.exit_code == 0
    assert "Examples:\n" in result.stdout
    assert f"dissent {' '.join(words)}" in result.stdout.partition("Examples:")[2]


@pytest.mark.parametrize("name", TABLE)
def test_the_list_of_commands_says_what_each_commands_own_help_says(name):
    command = cli.get_command(click.Context(cli), name)
    assert command.help.partition("\n\n")[0].replace("\n", " ") == TABLE[name][1]


@pytest.mark.parametrize("words", [(), ("config",), ("local",)])
def test_a_command_that_needs_another_one_shows_them(words):
    result = dissent(*words)
    assert result.exit_code == 2
    assert ("Commands:\n" if words else "\nAsk:\n") in result.stderr
    assert "\n    dissent" in result.stderr.partition("Examples:")[2]


def test_the_version_is_said():
    assert dissent("--version").stdout.startswith("dissent ")


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["aks", "hello"], "did you mean 'ask'?"),
        (["ask", "--panle", "a,b", "hello"], "did you mean --panel?"),
        (["config", "sett"], "did you mean 'set'?"),
        (["list", "--limit", "many"], "dissent list --help"),
    ],
)
def test_a_misspelt_word_gets_a_suggestion_in_one_line(words, hint):
    result = dissent(*words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("dissent: ")
    assert hint in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_for_this_program(shell):
    result = dissent("completion", shell)
    assert result.exit_code == 0
    assert "_DISSENT_COMPLETE" in result.stdout


def test_a_shell_can_complete_commands_and_options():
    env = {"_DISSENT_COMPLETE": "bash_complete", "COMP_CWORD": "1"}
    assert "plain,replay" in dissent(**env, COMP_WORDS="dissent re").stdout
    env = {"_DISSENT_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    assert "plain,--topology" in dissent(**env, COMP_WORDS="dissent ask --to").stdout
    env |= {"COMP_CWORD": "3"}
    assert "file,pa" in dissent(**env, COMP_WORDS="dissent ask --context pa").stdout
