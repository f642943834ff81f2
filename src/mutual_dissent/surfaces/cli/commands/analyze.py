"""`dissent analyze`: stored debates read by an analyst."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

import click

from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.codec.plain import to_plain
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.engine.deliberate import NOT_ANALYZED
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.options import DEBATE, as_list, examples, limits_of_one
from mutual_dissent.surfaces.cli.output import FINE
from mutual_dissent.surfaces.cli.tables import echo_json
from mutual_dissent.surfaces.process.failure import complain, say
from mutual_dissent.surfaces.process.signals import Interruption, run
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.panel.ledger_words import ledger_words


@click.command(
    "analyze",
    epilog=examples(
        "dissent analyze 1f0c9a2e",
        "dissent analyze 1f0c9a2e --analyst gpt",
        "dissent analyze 1f0c9a2e 77b3d0c4 --output json",
    ),
)
@click.argument("names", nargs=-1, required=True, metavar="ID...", type=DEBATE)
@click.option(
    "--analyst",
    metavar="MODEL",
    help="Who reads them (whoever was to, else the cheapest who took part).",
    shell_complete=completion.model,
)
@limits_of_one
@as_list
def command(names: tuple[str, ...], analyst: str | None, output: str, **changes: Any) -> int:
    """Have stored debates read by an analyst, again or for the first time.

    It reads the last answers and the synthesis, and says who holds what, what is contested, what
    was corrected and what became of dissent. Every quote is looked up in the answer it is from.
    """
    md, course = MutualDissent(), Interruption()
    read, failed = run(_read(md, names, {"analyst": analyst, **changes}, course), course)
    if output == "json":
        echo_json([_row(t) for t in read])
    else:
        click.echo("\n\n".join(_words(t) for t in read))
    for why in failed:
        complain(why)
    return 1 if failed else FINE


async def _read(
    md: MutualDissent, names: tuple[str, ...], given: dict[str, Any], course: Interruption
) -> tuple[list[Transcript], list[str]]:
    """Return the debates as analyzed, and the failures."""
    from mutual_dissent.surfaces.cli.live.view import watch

    debates, failed = [], []
    async with md:
        for name in [md.store.find(n) for n in names]:
            known = md.store.transcript(name).last_seq
            async with aclosing(course.follow(md.analyze(name, **given))) as events:
                t = await watch(events, live=False, verbose=False)
            debates.append(t)
            new = [n for n in t.notes if n.code == NOT_ANALYZED and n.seq > known]
            failed += [f"debate {name[:8]}: {one_line(n.text, 300)}" for n in new]
            say(f"{'not read' if new else 'read'}: {name[:8]}")
    return debates, failed


def _row(t: Transcript) -> dict[str, Any]:
    found = ledger_of(t)
    return {"transcript_id": t.transcript_id, "ledger": to_plain(found) if found else None}


def _words(t: Transcript) -> str:
    ledger = ledger_of(t)
    head = f"{t.transcript_id[:8]}  {one_line(t.query, 100)}"
    return f"{head}\n\n{ledger_words(t, ledger) if ledger else 'There is nothing to say.'}"
