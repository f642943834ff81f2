"""The reference says what the code says: an undocumented command, setting or event fails here."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import click
import pytest

from mutual_dissent.config.schema import SCHEMA
from mutual_dissent.core.events import KINDS
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.surfaces.cli import cli

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "docs" / "reference.md"


@pytest.fixture(scope="module")
def script():
    """The program that makes the reference."""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


def test_the_stored_reference_is_what_the_code_makes(script):
    assert script.reference() == STORED.read_text("utf-8"), "run: make docs"


def test_nothing_that_a_user_can_name_is_missing():
    page = STORED.read_text("utf-8")
    named = [s.name for s in SCHEMA] + list(KINDS) + list(TOPOLOGIES) + options(cli)
    missing = [name for name in named if not re.search(rf"(?<![\w.-]){re.escape(name)}", page)]
    assert not missing


def options(command: click.Command) -> list[str]:
    """Every option of a command and of those below it."""
    own = [o for p in command.params if isinstance(p, click.Option) for o in p.opts]
    if isinstance(command, click.Group):
        context = click.Context(command)
        below = [command.get_command(context, name) for name in command.list_commands(context)]
        own += [o for sub in below for o in options(sub)]
    return own


def test_a_field_that_nobody_describes_stops_the_reference(script, monkeypatch):
    monkeypatch.delitem(script.words.FIELDS["Noted"], "seat")
    with pytest.raises(SystemExit, match=r"Noted: not described.*seat"):
        script.reference()


def test_a_description_of_something_that_is_gone_stops_it_too(script, monkeypatch):
    monkeypatch.setitem(script.words.STATS, "total_fun", "How much there was.")
    with pytest.raises(SystemExit, match="describes what is not there: total_fun"):
        script.reference()


@pytest.mark.parametrize(
    ("pattern", "table"),
    [
        (r'Noted\([^)]*?code="(\w+)"', "CODES"),
        (r'\bDebateEnding\(\s*Status\.\w+,\s*"(\w+)"', "REASONS"),
    ],
)
def test_every_word_that_programs_may_meet_is_explained(script, pattern, table):
    sources = (ROOT / "src").rglob("*.py")
    used = {word for file in sources for word in re.findall(pattern, file.read_text("utf-8"))}
    assert used
    assert used <= set(getattr(script.words, table))
