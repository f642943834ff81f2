"""`dissent export`: stored debates as files or on stdout."""

from __future__ import annotations

from functools import partial
from json import dumps, loads
from pathlib import Path

import click

from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.terms import option
from mutual_dissent.surfaces.cli.options import DEBATE, PATH, examples, format_option
from mutual_dissent.surfaces.cli.output import Format, chosen_format, suffix_format
from mutual_dissent.surfaces.cli.read_only import record
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.views.documents.formats import otlp

OTLP = "otlp"


@click.command(
    "export",
    epilog=examples(
        "dissent export 1f0c9a2e --output markdown --file debate.md",
        "dissent export 1f0c9a2e 77b3d0c4 --output csv --file answers.csv --force",
        "dissent export 1f0c9a2e --output json | jq .query",
        "dissent export 1f0c9a2e --file debate.html",
        "dissent export 1f0c9a2e --output adr --file docs/adr/0012-queue.md",
        "dissent export last --output otlp | curl --json @- http://127.0.0.1:4318/v1/traces",
    ),
)
@click.argument("names", nargs=-1, required=True, metavar="ID...", type=DEBATE)
@format_option(metavar="FORMAT", help="json (default), markdown, adr, csv, html, otlp, answer, ...")
@click.option("--file", "-f", type=PATH, help="Write to this file instead of stdout.")
@click.option("--force", is_flag=True, help="Overwrite that file.")
@click.option("--content", is_flag=True, help="With otlp: query and answers, too.")
def command(
    names: tuple[str, ...], form: str | None, file: Path | None, force: bool, content: bool
) -> None:
    """Write stored debates as JSON, Markdown, CSV or HTML.

    Several debates become one JSON array, one Markdown text, or one table. The HTML file is one
    debate to share: without scripts, with everything in it. `adr` is a decision record in Markdown:
    the decision, the options and who held them, the dissent, and what would change it. `otlp` is a
    trace for OpenTelemetry: each call with its model, time, tokens and errors, without any text.
    """
    name = form or suffix_format(file) or "json"
    render = chosen_format(name)
    if content:
        if name != OTLP:
            raise BadInput(f"{option('content')} is for otlp; other formats have all content")
        render = partial(otlp, content=True)
    with record() as md:
        debates = [md.store.transcript(md.store.find(n)) for n in names]
    text = _join(name, render, debates)
    if file is None:
        click.echo(text.removesuffix("\n"))
        return
    from mutual_dissent.store.files.export import write_output

    write_output(file, text.encode("utf-8", "replace"), force=force)
    say(f"written to {file}")


def _join(name: str, render: Format, debates: list[Transcript]) -> str:
    """Join several debates into one text that the format's readers understand."""
    texts = [render(d) for d in debates]
    if len(texts) == 1:
        return texts[0]
    if name == "json":
        return "[\n" + ",\n".join(t.rstrip() for t in texts) + "\n]\n"
    if name == "csv":
        return texts[0] + "".join(t.partition("\n")[2] for t in texts[1:])
    if name in ("markdown", "adr"):
        return "\n---\n\n".join(texts)
    if name == OTLP:
        resources = [r for text in texts for r in loads(text)["resourceSpans"]]
        return f"{dumps({'resourceSpans': resources})}\n"
    raise BadInput(f"{name} takes one debate at a time; export them one by one")
