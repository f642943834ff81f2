"""`dissent bench`: whether and when a debate is worth its cost, for the user's own panel."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.commands.experiment.run import consent, hold_debates
from mutual_dissent.surfaces.cli.options import PATH, examples, format_option
from mutual_dissent.surfaces.cli.output import FINE, suffix_format
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import run
from mutual_dissent.views.phrases import plural

KINDS = ("arithmetic", "gsm8k", "llmbar", "csv", "jsonl", "recorded")


@click.group(
    "bench",
    epilog=examples(
        "dissent bench run --limit 10",
        "dissent bench prepare gsm8k test.jsonl --file sums.jsonl",
        "dissent bench run sums.jsonl --panel claude,gpt,gemini --mode reflection --mode ranking",
        "dissent bench recorded answers.jsonl",
    ),
)
def command() -> None:
    """Say whether and when deliberating is worth its cost for your own panel.

    The panel is compared with each member alone, with one member asked several times for the same
    money, and with a plain vote of the first answers.
    """


@command.command(
    "prepare",
    epilog=examples(
        "dissent bench prepare arithmetic --file sums.jsonl",
        "dissent bench prepare gsm8k test.jsonl --file gsm8k.jsonl --limit 200",
        "dissent bench prepare csv faq.csv --question Question --answer Key --file faq.jsonl",
        "dissent bench prepare recorded answers.jsonl --file questions.jsonl",
    ),
)
@click.argument("kind", metavar="KIND", type=click.Choice(KINDS))
@click.argument("path", metavar="[PATH]", type=PATH, required=False)
@click.option("--file", "-f", type=PATH, required=True, help="Where the queries are written.")
@click.option("--limit", type=click.IntRange(1, 1_000_000), help="The most queries.")
@click.option("--question", metavar="COLUMN", help="For csv and jsonl: what holds the question.")
@click.option("--answer", metavar="COLUMN", help="For csv and jsonl: what holds the known answer.")
@click.option("--force", is_flag=True, help="Overwrite that file.")
def prepare_command(kind: str, path: Path | None, file: Path, force: bool, **wanted: Any) -> None:
    """Make a file of queries from one that you have.

    KIND is arithmetic (fifty sums that ship, no PATH), gsm8k, llmbar, csv, jsonl, or recorded,
    which also writes the answers as a recording to be seated as recorded:FILE#MODEL.
    """
    from mutual_dissent.experiments.bench.datasets import as_lines, prepare
    from mutual_dissent.store.files.export import write_output

    prepared = prepare(kind, path, **wanted)
    write_output(file, as_lines(prepared.queries), force=force)
    say(f"{plural(len(prepared.queries), 'query')} written; compare with: dissent bench run {file}")
    if prepared.recording:
        record = file.with_suffix(".recording.jsonl")
        write_output(record, as_lines(prepared.recording), force=force)
        panel = ",".join(f"recorded:{record}#{m}" for m in prepared.models)
        say(f"the answers are in {record}; replay them with: --panel '{panel}' --no-synthesis")


@command.command(
    "run",
    epilog=examples(
        "dissent bench run --limit 10",
        "dissent bench run sums.jsonl --panel claude,gpt,gemini",
        "dissent bench run sums.jsonl --mode reflection --mode ranking --budget 5 --report r.html",
    ),
)
@click.argument("file", metavar="[FILE]", type=PATH, required=False)
@click.option(
    "--panel", "-p", metavar="A,B,C", help="By default your own.", shell_complete=completion.panel
)
@click.option(
    "--mode",
    "-m",
    "modes",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.mode,
    help="How the panel meets (reflection).",
)
@click.option("--limit", type=click.IntRange(1, 1_000_000), help="The most queries.")
@click.option("--repeats", type=click.IntRange(1, 1000), default=1, help="Each query so often (1).")
@click.option(
    "--samples",
    type=click.IntRange(0, 64),
    default=0,
    help="Ask a model alone so often; by default for as much as the panel costs.",
)
@click.option("--budget", type=click.FloatRange(0, min_open=True), metavar="USD", help="In all.")
@click.option("--name", metavar="NAME", help="What the experiment is called (bench-FILE).")
@click.option("--no-synthesis", is_flag=True, help="No final answer is written: votes decide.")
@click.option("--allow-unpriced", is_flag=True, help="Accept models without a known price.")
@click.option("--report", "-f", type=PATH, help="Write the report to this file, too: .html, .md.")
@click.option("--force", is_flag=True, help="Overwrite that file.")
@consent
def run_command(
    file: Path | None, report: Path | None, force: bool, yes: bool, ask_above: float, **wish: Any
) -> int:
    """Compare your panel with its members at equal cost, and say when deliberating is worth it.

    FILE has queries with known answers, as CSV or JSON lines; without one, fifty sums that ship
    are asked. It is an experiment like any other: interrupted, it goes on where it was.
    """
    from mutual_dissent.store.files.export import check_output
    from mutual_dissent.surfaces.cli.commands.experiment.report import BY_SUFFIX

    if report is not None:
        suffix_format(report, BY_SUFFIX, chosen=False)  # before anything is paid for
        check_output(report, force=force)
    experiment = run(_experiment(file, wish))
    code = hold_debates(experiment, yes=yes, ask_above=ask_above)
    if code == FINE:
        _tell(run(_report(experiment.name)), report, force=force)
    return code


async def _experiment(file: Path | None, wish: dict[str, Any]) -> Any:
    from mutual_dissent.experiments.bench.experiment import Wish, benchmark

    async with MutualDissent() as md:
        queries = file if file is not None else _shipped(md)
        return await benchmark(
            md,
            Wish(
                name=wish["name"] or f"bench-{queries.stem}",
                file=queries,
                panel=_names(wish["panel"]),
                modes=wish["modes"] or ("reflection",),
                limit=wish["limit"],
                repeats=wish["repeats"],
                samples=wish["samples"],
                budget=wish["budget"],
                synthesize=not wish["no_synthesis"],
                allow_unpriced=wish["allow_unpriced"],
            ),
        )


def _names(names: str | None) -> list[str]:
    return [name.strip() for name in (names or "").split(",") if name.strip()]


def _shipped(md: MutualDissent) -> Path:
    """Write the shipped arithmetic queries to a file, for an experiment to name."""
    from mutual_dissent.experiments.bench.datasets import as_lines, prepare
    from mutual_dissent.store.files.export import write_output

    path = md.home.ensure() / "arithmetic.jsonl"
    write_output(path, as_lines(prepare("arithmetic", None).queries), force=True)
    return path


async def _report(name: str) -> Any:
    from mutual_dissent.experiments.report.build import build_report
    from mutual_dissent.experiments.run.registry import load_experiment

    async with MutualDissent() as md:
        return build_report(md, await load_experiment(md, name))


def _tell(found: Any, file: Path | None, *, force: bool) -> None:
    from mutual_dissent.experiments.report.build import render_report
    from mutual_dissent.store.files.export import write_output
    from mutual_dissent.surfaces.cli.commands.experiment.report import BY_SUFFIX

    click.echo(render_report(found, "markdown").removesuffix("\n"))
    if file is not None:
        form = suffix_format(file, BY_SUFFIX, chosen=False) or "markdown"
        write_output(file, render_report(found, form).encode("utf-8", "replace"), force=force)
        say(f"written to {file}")


@command.command(
    "recorded",
    epilog=examples(
        "dissent bench recorded gsm8k-recorded.jsonl",
        "dissent bench recorded reviews.jsonl",
        "dissent bench recorded llmbar-verdicts.jsonl --file rules.html",
        "dissent bench recorded llmbar-verdicts.jsonl --judges GPT-4,PaLM2,Falcon",
    ),
)
@click.argument("path", metavar="FILE", type=PATH)
@click.option(
    "--judges", metavar="A,B,C", help="Verdicts: show the majority of these (the first three)."
)
@format_option(type=click.Choice(["markdown", "html"]), help="By default markdown.")
@click.option("--file", "-f", type=PATH, help="Write to this file instead of stdout.")
@click.option("--force", is_flag=True, help="Overwrite that file.")
def recorded_command(
    path: Path, judges: str | None, form: str | None, file: Path | None, force: bool
) -> None:
    """Compare rules of decision on recorded answers, verdicts or reviews; nobody is asked."""
    from mutual_dissent.experiments.recordings.rules import read_recorded
    from mutual_dissent.experiments.report.build import needs_numpy, report_as
    from mutual_dissent.store.files.export import write_output
    from mutual_dissent.surfaces.cli.commands.experiment.report import BY_SUFFIX

    needs_numpy()
    from mutual_dissent.experiments.report.provenance import recording_section
    from mutual_dissent.experiments.report.recorded import recorded_report

    named = {suffix: name for suffix, name in BY_SUFFIX.items() if name != "json"}
    form = form or suffix_format(file, named) or "markdown"
    some = _names(judges)
    found = read_recorded(path)
    source = recording_section(path, datetime.now(UTC))
    text = report_as(recorded_report(path.stem, found, some, source), form)
    if file is None:
        click.echo(text.removesuffix("\n"))
        return
    write_output(file, text.encode("utf-8", "replace"), force=force)
    say(f"written to {file}")
