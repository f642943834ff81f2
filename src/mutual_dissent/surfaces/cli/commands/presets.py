"""`dissent presets`: panels with mode and options under one name, most of them named by a task."""

from __future__ import annotations

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.commands.modes import preset_rows
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json, table, terminal_width
from mutual_dissent.surfaces.facts.modes import known_preset


@click.command(
    "presets",
    epilog=examples(
        "dissent presets",
        'dissent ask "Which database?" --preset decide',
        'dissent ask "Is this plan sound?" --preset plan-check --context plan.md',
        "dissent modes decide",
    ),
)
@as_list
def command(output: str) -> None:
    """List the presets: what each is for, and the mode that it is held in.

    `dissent modes NAME` says what one sets. With `--preset auto`, a model proposes one, and you
    confirm it.
    """
    presets = list(MutualDissent().settings.presets.values())
    if output == "json":
        echo_json({"presets": [known_preset(p) for p in presets]})
        return
    click.echo(table(*preset_rows(presets), width=terminal_width(), whole=True))
