"""An option of a debate is one entry of the table, and every surface follows from it."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from fakes.command_line import dissent
from fakes.rest import rest
from mutual_dissent.briefing.options import OPTIONS, Options, Where
from mutual_dissent.config.schema import setting_at
from mutual_dissent.config.settings import Defaults
from mutual_dissent.surfaces.cli import cli
from mutual_dissent.surfaces.mcp.answers.schemas import input_schema
from mutual_dissent.surfaces.mcp.arguments import StartRoundtable
from mutual_dissent.surfaces.rest.input.requests import Debate

NEW = """
import json, sys
from dataclasses import make_dataclass
from types import MappingProxyType
import mutual_dissent.briefing.options as table
from mutual_dissent.briefing.kinds import WholeNumber

row = table.entry(WholeNumber(1, 5), "How fervently they argue.", usual=3)
rows = [("fervour", "int | None", row)]
table.Options = make_dataclass("Options", rows, bases=(table.Options,), frozen=True, kw_only=True)
table.OPTIONS = MappingProxyType(dict(table._entries()))

import click
from mutual_dissent.app import MutualDissent
from mutual_dissent.config.schema import setting_at
from mutual_dissent.surfaces.rest.input.requests import Debate
from mutual_dissent.surfaces.cli import cli
from mutual_dissent.surfaces.facts.options import debate_options
from mutual_dissent.surfaces.mcp.arguments import StartRoundtable
from mutual_dissent.surfaces.mcp.answers.schemas import input_schema

md = MutualDissent(env={"MUTUAL_DISSENT_HOME": sys.argv[1]})
ask = cli.get_command(click.Context(cli), "ask")
default, preset = (setting_at((*t, "fervour")) for t in [("defaults",), ("presets", "mine")])
form = [o for o in debate_options(md).options if o.name == "fervour"]
print(json.dumps({
    "shell": ask.get_help(click.Context(ask)),
    "rest": Debate.model_json_schema()["properties"]["fervour"],
    "mcp": input_schema(StartRoundtable)["properties"]["fervour"],
    "default": [default.default, default.accepts.what, md.settings.defaults.fervour],
    "preset": preset.accepts.what,
    "form": [[o.kind, o.low, o.high, o.usual, o.in_form] for o in form],
}))
"""


def test_a_new_entry_of_the_table_is_an_option_on_every_surface(tmp_path):
    code = [sys.executable, "-c", NEW, str(tmp_path)]
    seen = json.loads(subprocess.run(code, capture_output=True, text=True, check=True).stdout)
    assert "--fervour N" in seen["shell"]
    assert "How fervently they argue." in seen["shell"]
    number = {"type": "integer", "minimum": 1, "maximum": 5}
    assert seen["rest"]["anyOf"][0] == number
    assert seen["mcp"] == {**number, "description": "How fervently they argue."}
    assert seen["default"] == [3, "a whole number from 1 to 5", 3]
    assert seen["preset"] == "a whole number from 1 to 5"
    assert seen["form"] == [["number", 1, 5, 3, True]]


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_an_option_is_offered_where_the_table_says_and_nowhere_else(option):
    ask = cli.get_command(click.Context(cli), "ask")
    flags = {flag for parameter in ask.params for flag in parameter.opts}
    arguments = input_schema(StartRoundtable)["properties"]
    above, _, argument = option.in_mcp.rpartition(".")
    fields = {f.alias for f in Debate.model_fields.values()}
    found = {
        Where.SHELL: option.in_shell in flags,
        Where.REST: option.in_json in fields,
        Where.MCP: (above or argument) in arguments,
        Where.DEFAULTS: setting_at(("defaults", option.name)) is not None,
        Where.PRESETS: setting_at(("presets", "mine", option.name)) is not None,
    }
    assert {w for w, is_there in found.items() if is_there} == set(option.where & ~Where.PAGE)


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_a_default_stands_in_the_table_alone(option):
    if Where.DEFAULTS in option.where:
        assert Defaults()[option.name] == option.usual
    else:
        assert option.usual is None
    assert getattr(Options(), option.name) == option.default


@pytest.mark.parametrize("name", [o.name for o in OPTIONS.values() if Where.SHELL in o.where])
def test_help_says_what_every_option_does(name):
    option = OPTIONS[name]
    words = " ".join(dissent("ask", "--help", COLUMNS="400").stdout.split())
    said = (option.cli or option.help).partition("{")[0].rstrip(" (")
    assert said in words


async def test_a_form_can_be_built_of_what_the_server_lists(own_home):
    async with rest(own_home) as api:
        listed = {o["name"]: o for o in (await api.get("/api/options"))["options"]}
    assert set(listed) == {o.in_json for o in OPTIONS.values() if Where.REST in o.where}
    shown = {name for name, entry in listed.items() if entry["inForm"]}
    assert shown == {o.in_json for o in OPTIONS.values() if Where.PAGE in o.where}
    assert "delphi" in [c["name"] for c in listed["mode"]["choices"]]
    assert (listed["rounds"]["words"], listed["rounds"]["needs"]) == (["auto"], "rounds")
    assert (listed["rule"]["usual"], listed["judge"]["beside"]) == ("borda", "groundTruth")
