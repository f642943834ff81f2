"""`dissent continue`: further rounds of a finished debate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli import completing
from mutual_dissent.surfaces.cli.debate import Showing, show_debate
from mutual_dissent.surfaces.cli.options import examples, limits, shown
from mutual_dissent.surfaces.cli.running import Course, run


@click.command(
    "continue",
    epilog=examples(
        "dissent continue 1f0c9a2e",
        'dissent continue 1f0c9a2e --rounds 2 --remark "Focus on what it costs."',
    ),
)
@click.argument("name", metavar="ID", shell_complete=completing.debate)
@click.option("--rounds", type=int, default=1, show_default=True, help="Further rounds to hold.")
@click.option("--remark", metavar="TEXT", help="What the panel is told before them.")
@shown
@limits
def command(
    name: str,
    rounds: int,
    remark: str | None,
    output: str | None,
    file: Path | None,
    force: bool,
    verbose: bool,
    **changes: Any,
) -> int:
    """Hold further rounds of a finished debate, and have its answer written anew.

    The recorded answers stand; the old synthesis is kept as stale.
    """
    md = MutualDissent()
    showing = Showing.chosen(md, output, file, force=force, verbose=verbose)
    course = Course()
    return run(
        show_debate(md, md.go_on(name, rounds=rounds, remark=remark, **changes), showing, course),
        course,
    )
