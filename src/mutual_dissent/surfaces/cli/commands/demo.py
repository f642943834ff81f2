"""`dissent demo`: a sample debate, played as if it were held now."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from mutual_dissent.surfaces.cli.options import examples

SPEED = 4.0
"""Playback speed against the recording, so that the demo takes about ten seconds."""

NEXT = """\
This was a sample from a file: nobody was asked, nothing was stored. Now ask something of your own:

  dissent "Which database should a team of three use?"
  dissent models         who can sit on your panel, and what they cost
  dissent local pull     a small model on this machine (1.1 GB), for those who have no key
"""


@click.command("demo", epilog=examples("dissent demo"))
def command() -> int:
    """Watch a sample debate; no key, no model and no network needed.

    In a pipe it is printed at once.
    """
    from mutual_dissent.app import MutualDissent
    from mutual_dissent.core.events import Asked
    from mutual_dissent.surfaces.cli.output import TERMINAL, ResultOutput, show_debate
    from mutual_dissent.surfaces.facts.sample import play_sample, sample
    from mutual_dissent.surfaces.process.signals import Interruption, run

    showing, course, events = ResultOutput(form=TERMINAL), Interruption(saved=False), sample()
    held = play_sample(events, datetime.now(UTC), speed=SPEED if showing.live else None)
    calls = sum(isinstance(e, Asked) for e in events)
    code = run(show_debate(MutualDissent(), held, showing, course, calls=calls), course)
    click.echo(f"\n{NEXT}", nl=False)
    return code
