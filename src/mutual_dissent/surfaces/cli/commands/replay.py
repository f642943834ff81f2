"""`dissent replay`: a new debate from the recorded answers of a stored one."""

from __future__ import annotations

from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.options import DEBATE, examples, limits, watched
from mutual_dissent.surfaces.cli.output import SHOWN, ResultOutput, show_debate
from mutual_dissent.surfaces.process.signals import Interruption, run


@click.command(
    "replay",
    epilog=examples(
        "dissent replay 1f0c9a2e --synthesizer gpt",
        "dissent replay 1f0c9a2e --synthesizer grok --rounds 1",
    ),
)
@click.argument("name", metavar="ID", type=DEBATE)
@click.option(
    "--synthesizer",
    "-s",
    metavar="MODEL",
    help="Who writes the answer this time.",
    shell_complete=completion.model,
)
@click.option("--rounds", "-r", type=click.IntRange(0, 10), default=0, help="Further rounds (0).")
@click.option("--no-save", is_flag=True, help="Keep nothing of the new debate.")
@watched
@limits
def command(
    name: str,
    synthesizer: str | None,
    rounds: int,
    no_save: bool,
    **given: Any,
) -> int:
    """Debate again from the recorded answers of a stored debate.

    The recorded answers are not paid for again. The stored debate stays as it is; the new one has
    an id of its own.
    """
    md = MutualDissent()
    showing = ResultOutput.from_options(md, **{name: given.pop(name) for name in SHOWN})
    course = Interruption(saved=md.settings.defaults.save and not no_save)
    events = md.replay(name, synthesizer=synthesizer, rounds=rounds, save=course.saved, **given)
    return run(show_debate(md, events, showing, course), course)
