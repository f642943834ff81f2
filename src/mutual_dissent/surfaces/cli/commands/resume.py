"""`dissent resume`: on with a debate where its record ends."""

from __future__ import annotations

from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.debate import SHOWN, Showing, show_debate
from mutual_dissent.surfaces.cli.options import DEBATE, examples, limits, watched
from mutual_dissent.surfaces.cli.running import Course, run


@click.command(
    "resume",
    epilog=examples(
        "dissent list --status interrupted",
        "dissent resume 1f0c9a2e",
        "dissent resume 1f0c9a2e --max-cost 2",
        "dissent resume 1f0c9a2e --late",
        'dissent resume 1f0c9a2e --remark "We have 20 users."',
    ),
)
@click.argument("name", metavar="ID", type=DEBATE)
@click.option("--remark", metavar="TEXT", help="What the panel is told before it goes on.")
@click.option(
    "--late",
    is_flag=True,
    help="Ask those now who were not waited for, and have the answer written anew.",
)
@watched
@limits
def command(
    name: str,
    remark: str | None,
    late: bool,
    **given: Any,
) -> int:
    """Go on with a debate where its record ends.

    Whatever stopped it - Ctrl-C, a crash, a limit - no recorded answer is bought again.
    """
    md = MutualDissent()
    showing = Showing.chosen(md, **{name: given.pop(name) for name in SHOWN})
    course = Course()
    return run(
        show_debate(md, md.resume(name, remark=remark, late=late, **given), showing, course), course
    )
