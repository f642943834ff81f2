"""`dissent skill`: tells agent programs when and how to ask the panel."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mutual_dissent.surfaces.cli.options import examples
from mutual_dissent.surfaces.cli.skill import file as skill_file
from mutual_dissent.surfaces.cli.skill.hosts import HOSTS, Host, place_in
from mutual_dissent.surfaces.cli.skill.text import has_tools, skill_text
from mutual_dissent.surfaces.process.failure import say


@click.group("skill", epilog=examples("dissent skill install --host claude", "dissent skill show"))
def command() -> None:
    """Tell agent programs when and how to ask the panel.

    A skill is a file of instructions that such programs read when a task calls for it. Ours is made
    from the tools and commands of this version; installing it again brings it up to date.
    """


def _host(decorated: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which file is meant."""
    where = click.option(
        "--project/--user",
        "in_project",
        help="In the current folder only, or in all of your projects (--user).",
    )
    name = click.option(
        "--host", "name", type=click.Choice(list(HOSTS)), required=True, help="The agent program."
    )
    return name(where(decorated))


@command.command(
    "install",
    epilog=examples(
        "dissent skill install --host claude",
        "dissent skill install --host cursor --project",
        "dissent skill install --host codex --dry-run",
    ),
)
@_host
@click.option("--dry-run", is_flag=True, help="Say which file it would be; write nothing.")
def install(name: str, in_project: bool, dry_run: bool) -> None:
    """Write the skill for an agent program.

    An earlier one is replaced, unless you have changed it; any other file stays as it is.
    """
    host, file = _place(name, in_project)
    if dry_run:
        does = "replace" if skill_file.check(file) else "write"
        say(f"this would {does} {file}; its text: dissent skill show")
        return
    skill_file.write(file, _text())
    say(f"{host.title} has the skill now ({file}); start it again")


@command.command("uninstall", epilog=examples("dissent skill uninstall --host claude"))
@_host
def uninstall(name: str, in_project: bool) -> None:
    """Remove the skill from an agent program, unless you have changed it."""
    host, file = _place(name, in_project)
    if skill_file.remove(file):
        say(f"{host.title} no longer has the skill ({file} is removed)")
    else:
        say(f"{host.title} does not have the skill; there is no {file}")


@command.command("show", epilog=examples("dissent skill show", "dissent skill show > SKILL.md"))
def show() -> None:
    """Print the skill, for a program that is not among the hosts."""
    click.echo(_text(), nl=False)


def _place(name: str, in_project: bool) -> tuple[Host, Path]:
    return HOSTS[name], place_in(HOSTS[name], in_project=in_project, env=os.environ)


def _text() -> str:
    if not has_tools():
        say("without the MCP tools, which need: pip install 'mutual-dissent[mcp]'")
    return skill_text()
