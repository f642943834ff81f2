"""`dissent panel`: is a panel better than its best member, and who adds to it?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mutual_dissent.core.errors import BadInput
from mutual_dissent.own_record import own_seat
from mutual_dissent.surfaces.cli.options import PATH, as_list, examples
from mutual_dissent.surfaces.cli.read_only import record
from mutual_dissent.surfaces.cli.tables import echo_json, table
from mutual_dissent.text.sanitize import one_line, plain

if TYPE_CHECKING:
    from mutual_dissent.experiments.recordings.advice import PanelAdvice, Share


@click.command(
    "panel",
    epilog=examples(
        "dissent panel",
        "dissent panel --recording answers.jsonl",
        "dissent panel --output json",
    ),
)
@click.option("--recording", type=PATH, metavar="FILE", help="Of this recording instead.")
@as_list
def command(recording: Path | None, output: str) -> None:
    """Say from graded answers whether a panel is better than its best member for you.

    Which three to ask, who adds nothing, and how many more graded answers it takes until that is
    known. By default from your own debates: see dissent outcome. A recording is a file as dissent
    bench recorded reads it. Nobody is asked.
    """
    from mutual_dissent.experiments.recordings.advice import advise_on_own, advise_on_recorded
    from mutual_dissent.experiments.recordings.rules import read_recorded

    if recording:
        found = advise_on_recorded(recording.name, read_recorded(recording))
    else:
        with record() as md:
            you = own_seat(md.store)
            try:
                found = [advise_on_own(md.own_answers(), you)]
            except BadInput:  # too few to speak of a panel, yet something can be said of the user
                if you and output != "json":
                    click.echo("\n".join(you.sentences))
                raise
    if output == "json":
        echo_json(found)
        return
    for i, advice in enumerate(found):
        click.echo("\n" * bool(i) + _told(advice))


def _told(advice: PanelAdvice) -> str:
    from mutual_dissent.experiments.recordings.advice import member_name

    rows: Sequence[tuple[str, ...]] = [
        (
            one_line(member_name(m.model), 50),
            _percent(m.right),
            "-" if m.adds is None else _points(m.adds),
            m.verdict,
        )
        for m in advice.members
    ]
    head = f"{plain(advice.source)}: {advice.questions:,} questions"
    members = table(("MEMBER", "RIGHT ALONE (95 %)", "ADDS, POINTS (95 %)", "VERDICT"), rows)
    return "\n\n".join([head, "\n".join(map(plain, advice.sentences)), members])


def _percent(i: Share) -> str:
    return f"{i.value:.1%} [{i.low:.0%}, {i.high:.0%}]"


def _points(i: Share) -> str:
    return f"{100 * i.value:+.1f} [{100 * i.low:+.1f}, {100 * i.high:+.1f}]"
