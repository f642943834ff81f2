"""`dissent skill`: what agent programs are told of the panel, and where."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import click
import pytest
import yaml

from fakes.command_line import dissent
from fakes.library import stocked
from mutual_dissent.surfaces.cli import TABLE as COMMANDS
from mutual_dissent.surfaces.cli import cli
from mutual_dissent.surfaces.mcp.answers.schemas import input_schema
from mutual_dissent.surfaces.mcp.tools import TABLE as TOOLS

FOLDERS = {
    "claude": ".claude/skills",
    "codex": ".agents/skills",
    "cursor": ".cursor/skills",
    "gemini": ".gemini/skills",
    "opencode": ".opencode/skills",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


def skill(root, host="claude"):
    is_moved = host == "opencode" and root == Path.home()
    folder = ".config/opencode/skills" if is_moved else FOLDERS[host]
    return root / folder / "mutual-dissent" / "SKILL.md"


def everything(folder):
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("host", FOLDERS)
def test_every_host_gets_the_skill_where_it_looks_for_it_and_loses_it_again(host, project):
    for words, root in (((), Path.home()), (("--project",), project)):
        planned = dissent("skill", "install", "--host", host, "--dry-run", *words)
        assert str(skill(root, host)) in planned.stderr
        assert not everything(root)
        assert dissent("skill", "install", "--host", host, *words).exit_code == 0
        assert list(everything(root)) == [skill(root, host)]
        assert skill(root, host).read_text().startswith(dissent("skill", "show").stdout)
        assert dissent("skill", "uninstall", "--host", host, *words).exit_code == 0
        assert not skill(root, host).parent.exists()


def test_the_skill_keeps_the_open_format():
    _, head, body = dissent("skill", "show").stdout.split("---\n", 2)
    fields = yaml.safe_load(head)
    assert fields["name"] == "mutual-dissent"
    assert 0 < len(fields.pop("description")) <= 1024
    assert len(fields) == 1
    assert not re.search(r"\{\w+\}", body)


def test_the_skill_says_what_tools_and_commands_say_of_themselves(project):
    text = dissent("skill", "show").stdout
    for row in TOOLS:
        assert f"- `{row.work.__name__}`: {row.summary}\n" in text
    for name in re.findall(r"- `dissent (\w+)`", text):
        assert f"- `dissent {name}`: {COMMANDS[name][1]}\n" in text
    [start] = [row for row in TOOLS if row.work.__name__ == "start_roundtable"]
    assert "`maxCostUsd`" in text
    assert "maxCostUsd" in input_schema(start.takes)["properties"]


def test_every_command_line_in_the_skill_is_understood(project):
    (project / "design.md").write_text("A queue.")
    stocked(Path(os.environ["MUTUAL_DISSENT_HOME"]), 1)
    text = dissent("skill", "show").stdout
    lines = re.findall(r"^dissent .*", text, re.MULTILINE) + re.findall(r"`(dissent .*?)`", text)
    assert len(lines) > 15
    for line in lines:
        _, name, *words = shlex.split(line)
        command = cli.get_command(click.Context(cli), name)
        if words and words != ["--help"]:
            command.make_context(name, words)
    ask = cli.get_command(click.Context(cli), "ask")
    options = {o for p in ask.params for o in p.opts}
    assert set(re.findall(r"`(--[\w-]+)", text)) <= options


def test_an_older_skill_of_ours_is_brought_up_to_date(project, monkeypatch):
    from mutual_dissent.surfaces.cli.commands import skill as module

    with monkeypatch.context() as patch:
        patch.setattr(module, "skill_text", lambda: "old\n")
        dissent("skill", "install", "--host", "claude")
    assert skill(Path.home()).read_text().startswith("old")
    assert "replace" in dissent("skill", "install", "--host", "claude", "--dry-run").stderr
    assert dissent("skill", "install", "--host", "claude").exit_code == 0
    assert "old" not in skill(Path.home()).read_text().splitlines()


@pytest.mark.parametrize("kind", ["foreign", "changed", "binary", "folder", "in the way"])
def test_what_we_did_not_write_is_never_touched(kind, project):
    file = skill(Path.home())
    dissent("skill", "install", "--host", "claude")
    ours = file.read_bytes()
    file.unlink()
    if kind == "folder":
        file.mkdir()
    elif kind == "in the way":
        file.parent.rmdir()
        file.parent.write_text("a file where the folder should be")
    else:
        made = {"foreign": b"my own", "changed": ours.replace(b"panel", b"team"), "binary": b"\xff"}
        file.write_bytes(made[kind])
    before = everything(Path.home())
    for words in (("install",), ("install", "--dry-run"), ("uninstall",)):
        result = dissent("skill", words[0], "--host", "claude", *words[1:])
        assert result.exit_code == 2, words
        assert result.stderr.count("\n") == 1
        assert "first" in result.stderr
    assert everything(Path.home()) == before


def test_uninstalling_leaves_what_stands_beside_it(project):
    assert "does not have" in dissent("skill", "uninstall", "--host", "codex").stderr
    dissent("skill", "install", "--host", "codex")
    notes = skill(Path.home(), "codex").with_name("notes.md")
    notes.write_text("mine")
    dissent("skill", "uninstall", "--host", "codex")
    assert list(everything(Path.home())) == [notes]


def test_without_the_mcp_server_the_skill_tells_of_the_command_line_alone(monkeypatch):
    monkeypatch.setitem(sys.modules, "mutual_dissent.surfaces.mcp.tools", None)
    result = dissent("skill", "show")
    assert "start_roundtable" not in result.stdout
    assert "dissent ask" in result.stdout
    assert "mutual-dissent[mcp]" in result.stderr
