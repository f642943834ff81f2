"""`dissent experiment check`: the plan and quote of an experiment, without any call."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.surfaces.cli.options import PATH, as_list, examples
from mutual_dissent.surfaces.cli.tables import dollars, echo_json, table
from mutual_dissent.surfaces.process.signals import run
from mutual_dissent.views.phrases import plural

if TYPE_CHECKING:
    from mutual_dissent.experiments.run.plan import ExperimentPlan


@click.command(
    "check",
    epilog=examples(
        "dissent experiment check pilot.toml",
        "dissent experiment check pilot.toml --output json | jq .cost_usd",
    ),
)
@click.argument("file", metavar="FILE", type=PATH)
@as_list
def command(file: Path, output: str) -> None:
    """Read an experiment's file, make every brief, and quote it; nobody is asked."""
    plan = run(_plan(file))
    if output == "json":
        echo_json(plan_to_json(plan))
    else:
        click.echo(plan_as_text(plan))


async def _plan(file: Path) -> ExperimentPlan:
    from mutual_dissent.experiments.design.file import read_experiment
    from mutual_dissent.experiments.run.plan import plan_experiment
    from mutual_dissent.experiments.run.registry import resolve_experiment

    async with MutualDissent() as md:
        return await plan_experiment(md, await resolve_experiment(md, read_experiment(file)))


def plan_to_json(plan: ExperimentPlan) -> dict[str, Any]:
    """Print the plan with its sums."""
    e = plan.experiment
    return {
        "name": e.name,
        "queries": len(e.queries),
        "repeats": e.repeats,
        "budget_usd": e.budget,
        **{n: getattr(plan, n) for n in ("debates", "calls", "tokens", "cost_usd")},
        "parts": [asdict(p) for p in plan.parts],
    }


def plan_as_text(plan: ExperimentPlan) -> str:
    """Format a line for each condition, and the sum."""
    e = plan.experiment
    rows = [
        (p.way, f"{p.debates:,}", f"{p.calls:,}", f"{p.tokens:,}", dollars(p.cost_usd), p.name)
        for p in plan.parts
    ]
    sums = (f"{plan.debates:,}", f"{plan.calls:,}", f"{plan.tokens:,}", dollars(plan.cost_usd))
    head = f"{e.name}: {plural(len(e.queries), 'query')}, {plural(len(e.conditions), 'condition')}"
    lines = [
        f"{head}, {plural(e.repeats, 'repeat')}, {e.concurrency} at once",
        table(("WAY", "DEBATES", "CALLS", "TOKENS", "COST", "CONDITION"),
              [*rows, ("all", *sums, "estimated; nobody was asked")]),
    ]  # fmt: skip
    if e.budget is not None:
        lines.append(f"It stops before {dollars(e.budget)} are exceeded.")
    if plan.cost_usd is None:
        lines.append("The price of a model is not known, so neither is the sum.")
    return "\n".join(lines)
