"""`dissent experiment export`: results for notebooks and findings for other tools."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.input import is_terminal
from mutual_dissent.surfaces.cli.options import PATH, examples, format_option
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import run


@click.command(
    "export",
    epilog=examples(
        "dissent experiment export pilot --output parquet --file pilot.parquet",
        "dissent experiment export pilot --output csv > pilot.csv",
        "dissent experiment export fire-drill --output sarif --file drill.sarif",
    ),
)
@click.argument("name", metavar="NAME", shell_complete=completion.experiment)
@format_option(
    type=click.Choice(["parquet", "csv", "jsonl", "findings", "sarif"]),
    required=True,
    help="Results as parquet, csv or jsonl; security findings as JSON or SARIF 2.1.0.",
)
@click.option("--file", "-f", type=PATH, help="Write to this file instead of stdout.")
@click.option("--force", is_flag=True, help="Overwrite that file.")
def command(name: str, form: str, file: Path | None, force: bool) -> None:
    """Write an experiment's results, a row for each answer; or what it found of poisoning."""
    if form == "parquet" and file is None and is_terminal(sys.stdout):
        raise BadInput("parquet is no text for a terminal; write it to a file with --file")
    data = run(_data(name, form))
    if file is None:
        click.echo(data, nl=False)
        return
    from mutual_dissent.store.files.export import write_output

    write_output(file, data, force=force)
    say(f"written to {file}")


async def _data(name: str, form: str) -> bytes:
    from mutual_dissent.experiments.results.export import export_experiment
    from mutual_dissent.experiments.run.registry import load_experiment

    async with MutualDissent() as md:
        return export_experiment(md, await load_experiment(md, name), form)
