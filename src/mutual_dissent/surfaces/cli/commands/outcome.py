"""`dissent outcome`: how a stored debate turned out."""

from __future__ import annotations

import asyncio

import click

from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.analysis.scores.track_record import graded_answers
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.figures.forecasts import FORECAST
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.cli.options import DEBATE, examples
from mutual_dissent.text.sanitize import plain
from mutual_dissent.views.heading import turned_out
from mutual_dissent.views.phrases import plural


@click.command(
    "outcome",
    epilog=examples(
        "dissent outcome last right",
        "dissent outcome 1f0c9a2e wrong --note 'the invoice says 42'",
        "dissent outcome 1f0c9a2e 42",
    ),
)
@click.argument("name", metavar="ID", type=DEBATE)
@click.argument("outcome", metavar="right|wrong|VALUE")
@click.option("--note", default="", metavar="TEXT", help="How that is known.")
def command(name: str, outcome: str, note: str) -> int:
    """Say how a finished debate turned out: right, wrong, or the true value.

    A value grades each panelist that gave a closed answer. What was said before is replaced. With
    enough graded answers, --rule weighted and dissent panel rest on them.
    """

    async def told() -> Transcript:
        async with MutualDissent() as md:
            return await md.resolve(name, outcome, note=note)

    t = asyncio.run(told())
    click.echo(f"{t.transcript_id[:8]}: {plain(turned_out(t))} {_graded(t)}")
    return 0


def _graded(t: Transcript) -> str:
    if t.brief.mode == FORECAST:
        return "How every forecaster fared: dissent forecasts --scores"
    count = len(graded_answers(t, lambda r: position(r, t.query)))
    if count == 0:
        return "No first answer can be compared with it by value, so none is graded."
    return f"{plural(count, 'first answer')} {'is' if count == 1 else 'are'} graded by it."
