"""`dissent config`: the settings, where each came from, and whether the vendors can be reached."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.config.settings import Settings
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.output import configured_format
from mutual_dissent.surfaces.cli.tables import echo_json, table
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import run
from mutual_dissent.text.sanitize import one_line, plain
from mutual_dissent.views.phrases import reason, seconds

if TYPE_CHECKING:
    from mutual_dissent.reach import Reach


@click.group(
    "config",
    epilog=examples(
        "dissent config show",
        "dissent config set defaults.panel claude,gpt,gemini",
        "dissent config test",
        "dissent config ping",
    ),
)
def command() -> None:
    """Show, change and test the settings."""


@command.command("show", epilog=examples("dissent config show", "dissent config show -o json"))
@as_list
def show(output: str) -> None:
    """Show the settings in force and where each came from.

    Of keys only the last four characters are shown.
    """
    from mutual_dissent.config.provenance import in_force

    settings = MutualDissent().settings
    settings_in_force = in_force(settings, os.environ)
    for notice in settings.notices:
        say(f"note: {notice}")
    if output == "json":
        echo_json([asdict(f) for f in settings_in_force])
        return
    rows = [(f.name, f.source, _as_text(f.value)) for f in settings_in_force]
    click.echo(table(("SETTING", "FROM", "VALUE"), rows))


@command.command(
    "set",
    epilog=examples(
        "dissent config set defaults.rounds auto",
        "dissent config set defaults.panel claude,gpt,gemini",
        "dissent config set providers.openrouter_api_key -   # reads the key from stdin",
        'dissent config set defaults.max_cost ""              # back to the default',
    ),
)
@click.argument("key")
@click.argument("value")
def set_(key: str, value: str) -> None:
    """Change one setting in your configuration file.

    With `-` the value is read from stdin, so that a key stays out of the shell's history. An empty
    value removes the setting.
    """
    from mutual_dissent.config.editor import set_value

    md = MutualDissent()
    path = md.home.config
    set_value(path, key, _read_value(key) if value == "-" else value, _check(md, key))
    say(f"{key} is set in {path}" if value.strip() else f"{key} is back to its default")
    _tell_if_idle(key)


def _check(md: MutualDissent, key: str) -> Callable[[Settings], None] | None:
    """Return a check of a default that runs before it is saved; None for other keys."""
    table, _, name = key.partition(".")
    if table != "defaults":
        return None
    return lambda settings: _check_default(md, name, settings)


def _check_default(md: MutualDissent, name: str, settings: Settings) -> None:
    md.check_default(name, settings)
    if name == "output":
        configured_format(settings)


def _read_value(key: str) -> str:
    """Read a value from stdin; typing is hidden, because it may be a key."""
    from mutual_dissent.surfaces.cli.input import from_stdin, is_terminal

    if is_terminal(sys.stdin):
        return str(click.prompt(f"{key} (not shown)", hide_input=True, err=True)).strip()
    return from_stdin().strip()


def _tell_if_idle(key: str) -> None:
    """Note where an environment variable overrides the value that was just saved."""
    from mutual_dissent.config.provenance import in_force

    for setting in in_force(MutualDissent().settings, os.environ):
        if setting.name == key and setting.source in os.environ:
            say(f"note: {setting.source} is set in the environment and goes before it")


@command.command("path", epilog=examples('"${EDITOR:-vi}" "$(dissent config path)"'))
def path() -> None:
    """Print where the configuration file is, or would be."""
    click.echo(str(MutualDissent().home.config))


@command.command(
    "test",
    epilog=examples(
        "dissent config test",
        "dissent config test claude groq:llama-3.3-70b-versatile",
        "dissent config test --output json",
    ),
)
@click.argument("names", nargs=-1, metavar="[MODEL]...")
@as_list
def test(names: tuple[str, ...], output: str) -> int:
    """Ask each model that can be reached one tiny question.

    Without names: every alias. It costs a fraction of a cent. The exit code is 1 if any fails.
    """
    probes = run(_reaches(MutualDissent(), names))
    if output == "json":
        echo_json([_plain(r) for r in probes])
    else:
        for reach in probes:
            click.echo(plain(_line(reach)))
    if not any(r.response for r in probes):
        say("nothing was asked: set a key, such as OPENROUTER_API_KEY, or name a model")
        return 1
    return 1 if any(r.response and not r.ok for r in probes) else 0


@command.command("ping", epilog=examples("dissent config ping"))
def ping() -> int:
    """Send a test to the collector and the webhook.

    They are those of [telemetry] and [webhook]. The exit code is 1 if any fails, or none is set.
    """
    from mutual_dissent.dispatch import ping as sent

    md = MutualDissent()
    outcomes = run(sent(md.settings, md.clock()))
    for o in outcomes:
        told = f"FAIL  {o.name}: {o.problem}" if o.problem else f"ok    {o.name}"
        click.echo(f"{told}, {seconds(int(o.seconds * 1000))}")
    if not outcomes:
        say("nothing was sent: set telemetry.endpoint or webhook.url with: dissent config set")
    return 1 if not outcomes or any(o.problem for o in outcomes) else 0


async def _reaches(md: MutualDissent, names: tuple[str, ...]) -> list[Reach]:
    async with md:
        return await md.reach(names)


def _line(reach: Reach) -> str:
    if reach.response is None:
        return f"--    {reach.name}: {one_line(reach.problem, 300)}"
    where = f"{reach.response.provider}:{reach.response.model_id}"
    if reach.ok:
        return f"ok    {reach.name}: {where}, {seconds(reach.response.latency_ms)}"
    why = f"{reason(reach.response)}: {one_line(reach.problem, 300)}"
    return f"FAIL  {reach.name}: {where}: {why}"


def _plain(reach: Reach) -> dict[str, Any]:
    response = reach.response
    return {
        "name": reach.name,
        "ok": reach.ok,
        "asked": response is not None,
        "vendor": response.provider if response else None,
        "model_id": response.model_id if response else None,
        "error_kind": response.error_kind if response else None,
        "error": reach.problem or None,
        "latency_ms": response.latency_ms if response else None,
        "cost_usd": response.cost_usd if response else None,
    }


def _as_text(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else one_line(str(value), 100)
