"""`dissent experiment`: many debates as one question, from its file to its report."""

from __future__ import annotations

import click

from mutual_dissent.surfaces.cli.commands.experiment import (
    check,
    export,
    new,
    report,
    run,
    status,
)
from mutual_dissent.surfaces.cli.options import examples


@click.group(
    "experiment",
    epilog=examples(
        "dissent experiment new pilot",
        "dissent experiment check pilot.toml",
        "dissent experiment run pilot.toml",
        "dissent experiment report pilot --output html --file pilot.html",
    ),
)
def command() -> None:
    """Run many debates as one question, and report what they show and how sure that is.

    An experiment is a file: queries, conditions, baselines, repeats. It can be interrupted at any
    moment and run again; what was answered is never asked twice.
    """


for part in (
    new.command,
    check.command,
    run.command,
    status.command,
    status.stop_command,
    run.resume_command,
    report.command,
    export.command,
):
    command.add_command(part)
