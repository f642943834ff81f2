"""`dissent doctor`: defects of the store, and how to repair them."""

from __future__ import annotations

from dataclasses import asdict

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.engine_checkup import with_engine
from mutual_dissent.surfaces.cli.options import as_list, examples
from mutual_dissent.surfaces.cli.tables import echo_json
from mutual_dissent.surfaces.process.signals import run
from mutual_dissent.text.sanitize import one_line


@click.command(
    "doctor",
    epilog=examples("dissent doctor", "dissent doctor --fix", "dissent doctor --output json"),
)
@click.option("--fix", is_flag=True, help="Mend what can be mended without losing anything.")
@as_list
def command(fix: bool, output: str) -> int:
    """Look for what is wrong with the record and the transcripts.

    Finds missing, unknown, edited and damaged files, and leftovers of processes that died. On
    PostgreSQL also whether the server can be used, and debates that nobody holds. Where an engine
    is configured, also whether it can be used, and work that no worker takes.
    """
    md = MutualDissent()
    try:
        findings = run(with_engine(md, md.examine(fix=fix)))
    finally:
        md.close()
    if output == "json":
        echo_json([asdict(f) for f in findings])
    elif not findings:
        click.echo("Nothing is wrong.")
    else:
        for f in findings:
            mended = "fixed" if f.fixed else "fix with --fix" if f.fixable else ""
            text = one_line(f.text, 500) + (f" ({mended})" if mended else "")
            click.echo(f"{f.kind}: {one_line(f.subject, 200)}: {text}")
    return 1 if any(not f.fixed for f in findings) else 0
