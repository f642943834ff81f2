"""The text of the skill: our advice, and what tool table and command line say of themselves."""

from __future__ import annotations

from importlib.resources import files

import click

from mutual_dissent.surfaces.cli import TABLE, cli

COMMANDS_NEEDED = (
    "ask", "review", "continue", "resume", "tell", "pause", "stop",
    "list", "show", "export", "outcome", "forecasts", "presets",
)  # fmt: skip
OPTIONS_NEEDED = (
    "panel", "preset", "mode", "rounds", "context", "conversation",
    "output", "max_cost", "timeout", "dry_run",
)  # fmt: skip
TOOLS = """\
## With the MCP tools

Where you have the tools of the server `mutual-dissent`, use them instead of the command line:

"""


def skill_text() -> str:
    """Return the skill; its part on MCP tools is there if those are installed."""
    text = (files(__package__) / "SKILL.md").read_text("utf-8")
    parts = {"{tools}\n": _tools(), "{commands}\n": _commands(), "{options}\n": _options()}
    for blank, part in parts.items():
        text = text.replace(blank, part)
    return text


def has_tools() -> bool:
    """Return whether the MCP server is installed, and with it the table of its tools."""
    try:
        import mutual_dissent.surfaces.mcp.tools  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True


def _tools() -> str:
    if not has_tools():
        return ""
    from mutual_dissent.surfaces.mcp import tools

    rows = (f"- `{row.work.__name__}`: {row.summary}\n" for row in tools.TABLE)
    return f"{TOOLS}{''.join(rows)}\n"


def _commands() -> str:
    return "".join(f"- `dissent {name}`: {TABLE[name][1]}\n" for name in COMMANDS_NEEDED)


def _options() -> str:
    root = click.Context(cli, info_name="dissent")
    command = cli.get_command(root, "ask")
    assert command is not None
    known = {p.name: p for p in command.params if isinstance(p, click.Option)}
    return "".join(_option(known[name], click.Context(command)) for name in OPTIONS_NEEDED)


def _option(option: click.Option, ctx: click.Context) -> str:
    value = "" if option.is_flag else f" {option.make_metavar(ctx)}"
    return f"- `{max(option.opts, key=len)}{value}`: {option.help}\n"
