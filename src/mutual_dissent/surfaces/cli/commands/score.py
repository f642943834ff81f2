"""`dissent score`: stored debates against a known answer."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import Any

import click

from mutual_dissent.analysis.scores.grades import subjects
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.surfaces.cli.options import (
    DEBATE,
    as_list,
    examples,
    ground_truth,
    scoring,
)
from mutual_dissent.surfaces.cli.output import FINE
from mutual_dissent.surfaces.cli.tables import echo_json, table, terminal_width
from mutual_dissent.surfaces.process.failure import complain, say
from mutual_dissent.surfaces.process.signals import Interruption, run
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import plural, response_name


@click.command(
    "score",
    epilog=examples(
        "dissent score 1f0c9a2e --ground-truth Canberra",
        "dissent score 1f0c9a2e 77b3d0c4 --ground-truth-file answer.txt --score all --judge gpt",
    ),
)
@click.argument("names", nargs=-1, required=True, metavar="ID...", type=DEBATE)
@scoring
@as_list
def command(
    names: tuple[str, ...],
    ground_truth_file: Path | None,
    output: str,
    **given: Any,
) -> int:
    """Have stored debates scored against a known answer.

    A judge that is neither the synthesizer nor of its maker compares them with the ground truth.
    """
    given["ground_truth"] = ground_truth(given["ground_truth"], ground_truth_file)
    if given["ground_truth"] is None:
        raise BadInput("there is nothing to score against; give --ground-truth TEXT")
    md, course = MutualDissent(), Interruption()
    scored = run(_score(md, names, given, course), course)
    rows = [row for t in scored for row in _rows(t)]
    if output == "json":
        echo_json(rows)
    else:
        headings = ("ID", "ANSWER", "SCORE", "JUDGE", "WHY")
        click.echo(table(headings, [_cells(row) for row in rows], width=terminal_width()))
    unread = [row for row in rows if None in row["marks"].values()]
    if unread:
        complain(f"{plural(len(unread), 'answer')} could not be scored; try another --judge")
    return FINE if rows and not unread else 1


async def _score(
    md: MutualDissent, names: tuple[str, ...], given: dict[str, Any], course: Interruption
) -> list[Transcript]:
    from mutual_dissent.surfaces.cli.live.view import watch

    debates = []
    async with md:
        for name in [md.store.find(n) for n in names]:
            async with aclosing(course.follow(md.score(name, **given))) as events:
                debates.append(await watch(events, live=False, verbose=False))
            say(f"scored {name[:8]}")
    return debates


def _rows(transcript: Transcript) -> list[dict[str, Any]]:
    dimensions = transcript.brief.rubric.dimensions
    asked_for = {key for key, _ in subjects(transcript)}
    return [
        {
            "transcript_id": transcript.transcript_id,
            "answer": key,
            "marks": {d: score.get(d) for d in dimensions},
            **{k: v for k, v in score.items() if k not in dimensions},
        }
        for key, score in transcript.scores.items()
        if key in asked_for
    ]


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    marks = ", ".join(f"{d} {'?' if m is None else m}" for d, m in row["marks"].items())
    return (
        row["transcript_id"][:8],
        response_name(row["answer"]),
        marks,
        one_line(str(row.get("judge") or "?"), 40),
        one_line(str(row.get("explanation") or ""), 100),
    )
