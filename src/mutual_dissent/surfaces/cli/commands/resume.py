"""`dissent resume`: continue a debate where its record ends."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.stream import UpdateStream
from mutual_dissent.surfaces.cli.options import DEBATE, examples, limits, watched
from mutual_dissent.surfaces.cli.output import SHOWN, ResultOutput, show_debate
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import Interruption, run
from mutual_dissent.views.panel.names import late_names


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
    help="Ask those now who were not waited for or failed, and have the answer written anew.",
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
    showing = ResultOutput.from_options(md, **{name: given.pop(name) for name in SHOWN})
    course = Interruption()
    events = md.resume(name, remark=remark, late=late, **given)
    if not (late or remark or showing.quiet):
        events = _note_if_finished(md, name, events)
    return run(show_debate(md, events, showing, course), course)


async def _note_if_finished(md: MutualDissent, name: str, events: UpdateStream) -> UpdateStream:
    """Yield the events of a debate, after a note if there is nothing to resume."""
    past = md.store.transcript(md.store.find(name))
    if past.status is Status.COMPLETED:
        say(_what_can_be_done(past))
    async with aclosing(events):
        async for event in events:
            yield event


def _what_can_be_done(past: Transcript) -> str:
    """Return one line about a finished debate."""
    short = past.transcript_id[:8]
    who = late_names(past)
    again = f", or ask {who} again with: dissent resume {short} --late" if who else ""
    return f"debate {short} is finished; hold further rounds with: dissent continue {short}{again}"
