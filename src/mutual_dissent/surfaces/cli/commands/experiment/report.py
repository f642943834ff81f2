"""`dissent experiment report`: the findings of an experiment, and their certainty."""

from __future__ import annotations

from pathlib import Path

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.options import PATH, examples, format_option
from mutual_dissent.surfaces.cli.output import suffix_format
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import run

BY_SUFFIX = {".html": "html", ".htm": "html", ".json": "json", ".md": "markdown"}


@click.command(
    "report",
    epilog=examples(
        "dissent experiment report pilot",
        "dissent experiment report pilot --output html --file pilot.html",
        "dissent experiment report pilot --output json | jq .lead",
    ),
)
@click.argument("name", metavar="NAME", shell_complete=completion.experiment)
@format_option(
    type=click.Choice(["markdown", "html", "json"]),
    help="By default what the file's name says, else markdown.",
)
@click.option("--file", "-f", type=PATH, help="Write to this file instead of stdout.")
@click.option("--force", is_flag=True, help="Overwrite that file.")
def command(name: str, form: str | None, file: Path | None, force: bool) -> None:
    """Report on an experiment: what is known first and how sure that is, then the figures.

    It can be asked for at any time; what is not complete is left out.
    """
    form = form or suffix_format(file, BY_SUFFIX) or "markdown"
    text = run(_text(name, form))
    if file is None:
        click.echo(text.removesuffix("\n"))
        return
    from mutual_dissent.store.files.export import write_output

    write_output(file, text.encode("utf-8", "replace"), force=force)
    say(f"written to {file}")


async def _text(name: str, form: str) -> str:
    from mutual_dissent.experiments.report.build import build_report, render_report
    from mutual_dissent.experiments.run.registry import load_experiment

    async with MutualDissent() as md:
        return render_report(build_report(md, await load_experiment(md, name)), form)
