"""`dissent publish`: stored debates as pages for everyone, which play them without a server."""

from __future__ import annotations

from pathlib import Path

import click

from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.cli.options import DEBATE, PATH, examples
from mutual_dissent.surfaces.cli.read_only import record
from mutual_dissent.surfaces.process.failure import say

MOST = 500


@click.command(
    "publish",
    epilog=examples(
        "dissent publish site last", "dissent publish public/debates 1f0c9a2e 77b3d0c4 --yes"
    ),
)
@click.argument("folder", metavar="DIR", type=PATH)
@click.argument("names", nargs=-1, required=True, metavar="ID...", type=DEBATE)
@click.option("--yes", "-y", is_flag=True, help="Do not ask first.")
@click.option("--force", is_flag=True, help="Write into a folder that has other files in it.")
def command(folder: Path, names: tuple[str, ...], yes: bool, force: bool) -> int:
    """Write stored debates as pages that play them.

    DIR gets a page for each debate, to read or to watch as it was held, and index.html, which lists
    them. They need no server and load nothing from elsewhere: open them from the folder, or put it
    on any web host. Published again, the folder has the debates named now, and no others of ours.

    What is only yours stays out: attached texts, descriptions of pictures, what was looked up in a
    folder, private context, earlier conversation, owner. What is published is said first.
    """
    from mutual_dissent.core.transcript import fold
    from mutual_dissent.surfaces.cli.publish import folder as published
    from mutual_dissent.surfaces.cli.publish.pages import INDEX, pages
    from mutual_dissent.views.documents.publication import exposures
    from mutual_dissent.views.phrases import plural

    if len(names) > MOST:
        raise BadInput(f"that is more than {MOST} debates; publish fewer at a time")
    published.check(folder, force=force)
    with record() as md:
        ids = list(dict.fromkeys(md.store.find(n) for n in names))
        for i in ids:
            _check_over(md.store.transcript(i))
        debates = [md.store.events(i) for i in ids]
    say("\n".join(exposures([fold(events) for events in debates])))
    if not yes and not _confirm():
        say("nothing was written")
        return 1
    gone = published.write(folder, pages(debates), force=force)
    removed = f"; {plural(len(gone), 'page')} of earlier ones removed" if gone else ""
    say(f"{plural(len(ids), 'debate')} written to {folder / INDEX}{removed}")
    return 0


def _check_over(t: Transcript) -> None:
    """Make sure that nobody works on a debate: its page would stay as it is now.

    Raises:
        BadInput: if it is under way.
    """
    if t.status in (Status.CREATED, Status.ACTIVE):
        raise BadInput(
            f"{t.transcript_id[:8]} is under way; publish it once it is over, or end it with "
            f"`dissent stop {t.transcript_id[:8]}`"
        )


def _confirm() -> bool:
    try:
        return click.confirm("Publish?", err=True)
    except click.Abort:
        raise BadInput("nothing was written; give --yes where nobody can be asked") from None
