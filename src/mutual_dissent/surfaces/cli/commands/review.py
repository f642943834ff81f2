"""`dissent review`: a change, files or a document, reviewed by the panel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from mutual_dissent.analysis.review.report import review_query
from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.inputs.review_text import ReviewInput, change, files, text_from_pipe
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.defects import SEVERITIES
from mutual_dissent.surfaces.cli.input import from_stdin
from mutual_dissent.surfaces.cli.options import PATH, Sectioned, examples, options, together
from mutual_dissent.surfaces.cli.output import (
    FINDINGS,
    TERMINAL,
    ResultOutput,
    prepare,
    show_debate,
)
from mutual_dissent.surfaces.process.failure import complain, say
from mutual_dissent.surfaces.process.signals import Interruption, run

OUTPUTS = ("text", "markdown", "sarif", "json")


@click.command(
    "review",
    cls=Sectioned,
    epilog=examples(
        "dissent review",
        "dissent review --base main --fail-on high",
        "dissent review --staged --panel claude,gpt,gemini --max-cost 0.50",
        "dissent review src/pay.py docs/plan.md",
        'dissent review contract.docx --focus "what we would owe if it is ended early"',
        "dissent review --base main --output sarif --file review.sarif",
        "git diff v1.0 | dissent review -",
        "dissent review --base main --dry-run",
    ),
)
@click.argument("paths", nargs=-1, metavar="[PATH]... | -")
@together(
    click.option("--base", metavar="REV", help="The change since the branch left this revision."),
    click.option("--staged", is_flag=True, help="What is staged for the next commit."),
    click.option("--focus", metavar="TEXT", help="What to look for above all."),
    section="What is reviewed",
)
@options("panel", "preset", "personas", section="Panel")
@together(
    click.option(
        "--output", "-o", type=click.Choice(OUTPUTS), default="text", help="How it is shown (text)."
    ),
    click.option("--file", "-f", type=PATH, help="Write the output to this file."),
    click.option("--force", is_flag=True, help="Overwrite that file."),
    click.option("--verbose", "-v", is_flag=True, help="Also show every response in full."),
    click.option("--quiet", "-q", is_flag=True, help="No progress and no notes: only the result."),
    click.option(
        "--fail-on",
        type=click.Choice(SEVERITIES),
        help=f"Exit with {FINDINGS} if a finding is at least so severe and was not refuted.",
    ),
    section="Output",
)
@options("max_cost", "allow_unpriced", "timeout", "grace", "call_timeout", "max_tokens")
@together(
    click.option("--dry-run", is_flag=True, help="Quote calls, tokens and dollars; ask nobody."),
    section="Limits",
)
@together(
    click.option("--no-save", is_flag=True, help="Keep nothing of this review."), section="Other"
)
def command(paths: tuple[str, ...], **given: Any) -> int:
    """Have a change, files or a document reviewed by the panel.

    Everyone on the panel reviews alone. What few of them found, the others confirm, refute with a
    quote, or leave open. Found by several comes first, refuted last; nothing is dropped. Without a
    PATH it is the change of this repository since its last commit; `-` reads a diff or a text.
    """
    text = _text(paths, given["base"], staged=given["staged"])
    md = MutualDissent()
    showing = _showing(md, given)
    course = Interruption(saved=md.settings.defaults.save and not given["no_save"])
    chosen = {o: given[o] for o in ("preset", "max_cost", "allow_unpriced", "timeout", "grace")}
    chosen |= {o: given[o] for o in ("call_timeout", "max_tokens")}
    brief = run(
        md.brief(
            _query(given["focus"], text, "HEAD" if given["staged"] else given["base"] or ""),
            mode="review",
            context=text.documents,
            panel=given["panel"].split(",") if given["panel"] is not None else None,
            personas=given["personas"],
            **chosen,
        )
    )
    brief = replace(brief, notices=(*brief.notices, *text.notices))
    if given["dry_run"]:
        showing.quote(md.quote(brief), brief.max_cost)
        for notice in text.notices:
            say(f"note: {notice}")
        return 0
    prepare(md, brief, quiet=showing.quiet)
    verdict = partial(_verdict, least=given["fail_on"])
    events = md.run(brief, save=course.saved)
    return run(show_debate(md, events, showing, course, verdict=verdict), course)


def _text(paths: Sequence[str], base: str | None, *, staged: bool) -> ReviewInput:
    """Return what is to be reviewed, from one of the ways to name it."""
    ways = sum((bool(paths), base is not None, staged))
    if ways > 1:
        raise BadInput("give one of --base, --staged and paths")
    if "-" in paths:
        if len(paths) > 1:
            raise BadInput("give - or paths, not both")
        return text_from_pipe(from_stdin())
    here = Path()
    if paths:
        return files([Path(p) for p in paths], here)
    return change(base, staged=staged, folder=here)


def _query(focus: str | None, text: ReviewInput, since: str) -> str:
    query = review_query([d.name for d in text.documents], since)
    return f"{query} Look above all for: {focus.strip()}" if focus and focus.strip() else query


def _showing(md: MutualDissent, given: dict[str, Any]) -> ResultOutput:
    """Return where the review goes, and its format, which is one of its own."""
    form = TERMINAL if given["output"] == "text" else given["output"]
    quoted = given["dry_run"] and form in ("markdown", "sarif")
    if quoted:
        raise BadInput(f"--dry-run shows its quote as text or json, not as {form}")
    showing = ResultOutput.from_options(
        md, output=form, **{o: given[o] for o in ("file", "force", "verbose", "quiet")}
    )
    return replace(showing, render=_RENDERS.get(form, showing.render))


def _as_json(t: Transcript) -> str:
    import json

    from mutual_dissent.core.codec.camel import camel
    from mutual_dissent.core.figures.stats import stats
    from mutual_dissent.text.sanitize import as_json
    from mutual_dissent.views.review import review_of

    total = stats(t).total
    spent = None if total.unpriced else total.cost_usd
    told = {"debate": t.transcript_id, "costUsd": spent, **camel(review_of(t))}
    return as_json(json.dumps(told, indent=2))


def _as_markdown(t: Transcript) -> str:
    from mutual_dissent.views.review import pull_request

    return pull_request(t)


_RENDERS: dict[str, Callable[[Transcript], str]] = {"json": _as_json, "markdown": _as_markdown}


def _verdict(t: Transcript, least: str | None) -> int:
    """Return the exit code that the findings ask for, and say why it is not 0."""
    from mutual_dissent.views.review import reaches, review_of

    count = reaches(review_of(t), least) if least else 0
    if not count:
        return 0
    complain(f"{count} finding{'s' if count > 1 else ''} of severity {least} or worse")
    return FINDINGS
