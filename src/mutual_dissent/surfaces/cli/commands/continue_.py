"""`dissent continue`: further rounds of a finished debate."""

from __future__ import annotations

from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.options import DEBATE, examples, limits, watched
from mutual_dissent.surfaces.cli.output import SHOWN, ResultOutput, show_debate
from mutual_dissent.surfaces.process.signals import Interruption, run


@click.command(
    "continue",
    epilog=examples(
        "dissent continue 1f0c9a2e",
        'dissent continue 1f0c9a2e --rounds 2 --remark "Focus on what it costs."',
    ),
)
@click.argument("name", metavar="ID", type=DEBATE)
@click.option("--rounds", type=int, default=1, show_default=True, help="Further rounds to hold.")
@click.option("--remark", metavar="TEXT", help="What the panel is told before them.")
@watched
@limits
def command(
    name: str,
    rounds: int,
    remark: str | None,
    **given: Any,
) -> int:
    """Hold further rounds of a finished debate, and have its answer written anew.

    The recorded answers stand; the old synthesis is kept as stale.
    """
    md = MutualDissent()
    showing = ResultOutput.from_options(md, **{name: given.pop(name) for name in SHOWN})
    course = Interruption()
    return run(
        show_debate(md, md.go_on(name, rounds=rounds, remark=remark, **given), showing, course),
        course,
    )
