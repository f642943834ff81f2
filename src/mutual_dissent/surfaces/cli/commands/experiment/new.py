"""`dissent experiment new`: a first file, commented and ready to be run."""

from __future__ import annotations

import os
from pathlib import Path

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.surfaces.cli.options import PATH, examples
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import run


@click.command(
    "new",
    epilog=examples(
        "dissent experiment new pilot",
        "dissent experiment new pilot --file studies/pilot.toml",
        "dissent experiment new fire-drill --drill",
    ),
)
@click.argument("name", metavar="NAME")
@click.option("--file", "-f", type=PATH, help="Where to write it; by default NAME.toml.")
@click.option("--drill", is_flag=True, help="A poisoning drill: one panelist is an adversary.")
def command(name: str, file: Path | None, drill: bool) -> None:
    """Write the file of a first experiment, with your own panel, commented and ready to be run."""
    from mutual_dissent.experiments.design.template import sample
    from mutual_dissent.store.files.export import write_output

    name = name.removesuffix(".toml")  # the file's name is accepted for the experiment's
    path = file or Path(f"{name.replace('/', '-')}.toml")
    if os.path.lexists(path):
        raise BadInput(f"{path} exists already and is left alone; choose another name or --file")
    md = MutualDissent()
    try:
        text = run(sample(md, name, str(path), drill=drill))
    finally:
        md.close()
    write_output(path, text.encode())
    click.echo(str(path))
    say(f"Look at it, then: dissent experiment check {path}")
