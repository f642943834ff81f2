"""`dissent experiment run` and `resume`: quote and hold all missing debates."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput, DissentError
from mutual_dissent.surfaces.cli import completion
from mutual_dissent.surfaces.cli.commands.experiment.check import plan_as_text
from mutual_dissent.surfaces.cli.commands.experiment.elsewhere import Trip, by_engine, shell_quote
from mutual_dissent.surfaces.cli.commands.experiment.pace import RunProgress, format_spending
from mutual_dissent.surfaces.cli.engine import engine_option, required_engine
from mutual_dissent.surfaces.cli.input import is_terminal
from mutual_dissent.surfaces.cli.options import PATH, examples, together
from mutual_dissent.surfaces.cli.output import BUDGET, FINE, NO_ANSWER
from mutual_dissent.surfaces.cli.tables import dollars
from mutual_dissent.surfaces.process.failure import complain, say
from mutual_dissent.surfaces.process.signals import run
from mutual_dissent.views.phrases import plural

if TYPE_CHECKING:
    from mutual_dissent.core.values.deal import Progress
    from mutual_dissent.experiments.design.experiment import Experiment
    from mutual_dissent.experiments.run.plan import ExperimentPlan

    Way = Callable[[Experiment, "Trip"], Coroutine[Any, Any, Progress]]

consent = together(
    click.option("--yes", "-y", is_flag=True, help="Do not ask whether the quote is accepted."),
    click.option(
        "--ask-above",
        type=click.FloatRange(0),
        default=1.0,
        show_default=True,
        metavar="USD",
        help="Ask first if it would cost more, or if nobody knows.",
    ),
    section="Consent",
)

spread = together(
    click.option(
        "--cluster",
        is_flag=True,
        help="Have an engine deal the debates out to workers; see `dissent worker`.",
    ),
    engine_option,
    click.option(
        "--priority",
        type=click.IntRange(-2, 1),
        default=0,
        show_default=True,
        help="With --cluster, -2 to 1: higher goes before the debates of other experiments.",
    ),
    section="Cluster",
)


@click.command(
    "run",
    epilog=examples(
        "dissent experiment run pilot.toml",
        "dissent experiment run pilot.toml --yes",
        "dissent experiment run pilot.toml --ask-above 20",
        "dissent experiment run pilot.toml --cluster",
        "dissent experiment run pilot.toml --cluster --engine temporal://temporal.lan:7233",
    ),
)
@click.argument("file", metavar="FILE", type=PATH)
@consent
@spread
def command(
    file: Path, yes: bool, ask_above: float, cluster: bool, engine: str | None, priority: int
) -> int:
    """Run an experiment: quote it, then hold every debate that is not on record yet.

    Ctrl-C leaves it resumable. The same file run twice adds nothing. What an engine deals out goes
    on without this process: Ctrl-C ends the watching.
    """
    from mutual_dissent.experiments.design.file import read_experiment

    way = _way(cluster=cluster, engine=engine, priority=priority)
    return hold_debates(read_experiment(file), yes=yes, ask_above=ask_above, way=way)


@click.command("resume", epilog=examples("dissent experiment resume pilot"))
@click.argument("name", metavar="NAME", shell_complete=completion.experiment)
@consent
@spread
def resume_command(
    name: str, yes: bool, ask_above: float, cluster: bool, engine: str | None, priority: int
) -> int:
    """Go on with an experiment where its record ends; its file is not needed."""
    way = _way(cluster=cluster, engine=engine, priority=priority)
    return hold_debates(name, yes=yes, ask_above=ask_above, way=way)


def _way(*, cluster: bool, engine: str | None, priority: int) -> Way | None:
    """Return how a cluster holds the debates; None where this process does.

    Raises:
        UserError: if the engine cannot be used.
    """
    if not cluster:
        if engine:
            raise BadInput("--engine says who deals debates out to workers; add --cluster")
        return None
    md = MutualDissent()
    try:
        return partial(by_engine, required_engine(md, engine), priority)
    finally:
        md.close()


def hold_debates(
    given: Experiment | str, *, yes: bool, ask_above: float, way: Way | None = None
) -> int:
    """Quote an experiment, hold its missing debates, and return the exit code."""
    trip = Trip()
    plan, left = run(_plan_and_missing(given))
    if not left:
        say(f"{plan.experiment.name} is complete already; see: {_report(plan)}")
        return FINE
    say(plan_as_text(plan))
    _ask_consent(plan, left, yes=yes, ask_above=ask_above)
    trip.name = plan.experiment.name
    return _summarize(plan, run((way or _here)(plan.experiment, trip), trip, many_debates=True))


async def _plan_and_missing(given: Experiment | str) -> tuple[ExperimentPlan, int]:
    """Return the plan, and how many of its debates are missing."""
    from mutual_dissent.experiments.run.plan import plan_experiment
    from mutual_dissent.experiments.run.registry import (
        load_experiment,
        resolve_experiment,
        save_experiment,
        save_state,
    )
    from mutual_dissent.experiments.run.run import missing

    async with MutualDissent() as md:
        if isinstance(given, str):
            experiment = await load_experiment(md, given)
        else:
            experiment = await resolve_experiment(md, given)
        plan, left = await plan_experiment(md, experiment), missing(md, experiment)
        if not left:  # the file may have changed since the last run: save its latest text
            save_experiment(md, experiment)
            save_state(md, experiment.name, "", 0)
        return plan, left


def _ask_consent(plan: ExperimentPlan, left: int, *, yes: bool, ask_above: float) -> None:
    """Ask the user to accept the cost, if it is high or unknown.

    Raises:
        BadInput: if there is no terminal to ask on.
    """
    cost = plan.cost_usd
    if cost is not None and plan.debates:
        cost *= left / plan.debates
    if yes or (cost is not None and cost <= ask_above):
        return
    what = "an unknown sum" if cost is None else f"about {dollars(cost)}"
    if not is_terminal(sys.stdin):
        raise BadInput(f"what is missing would cost {what}; accept it with --yes")
    click.confirm(f"What is missing would cost {what}. Go on?", abort=True, err=True)


async def _here(experiment: Experiment, _: Trip) -> Progress:
    """Hold an experiment in this process."""
    from mutual_dissent.experiments.results.table import read_results
    from mutual_dissent.experiments.run.registry import (
        alone,
        is_stopped,
        order,
        save_experiment,
        save_state,
    )
    from mutual_dissent.experiments.run.run import Run

    async with MutualDissent() as md:
        with alone(md, experiment.name):
            save_experiment(md, experiment)
            with RunProgress(experiment.name) as pace:
                progress = await Run(
                    md,
                    experiment,
                    on_progress=pace.show,
                    is_stopped=partial(is_stopped, md, experiment.name),
                    order=partial(order, md, experiment.name),
                ).to_the_end()
            save_state(md, experiment.name, progress.stopped, progress.left + progress.failed)
        with suppress(DissentError):  # only a cache: a report reads missing results itself
            await asyncio.to_thread(read_results, md, experiment)
    return progress


def _summarize(plan: ExperimentPlan, progress: Progress) -> int:
    """Print how it ended, and return the exit code."""
    name = shell_quote(plan.experiment.name)
    cost = format_spending(progress.spent, progress.unpriced)
    say(f"{plural(progress.done, 'debate')} held for {cost}; {progress.before:,} were there before")
    for why, times in sorted(progress.problems.items(), key=lambda p: -p[1])[:5]:
        complain(f"{plural(times, 'debate')} failed: {why}")
    if progress.stopped == "budget":
        complain("the budget is used up; raise it in the file, then run it again")
        return BUDGET
    if progress.stopped:
        wait = f", {plural(progress.paused, 'debate')} paused" if progress.paused else ""
        say(f"stopped{wait}; go on with: dissent experiment resume {name}")
        return FINE
    if progress.failed or progress.left:
        complain(f"not all is answered; try again with: dissent experiment resume {name}")
        return NO_ANSWER
    say(f"complete; see: {_report(plan)}")
    return FINE


def _report(plan: ExperimentPlan) -> str:
    name = plan.experiment.name
    file = f"{name.replace(' ', '-').replace('/', '-')}.html"
    return f"dissent experiment report {shell_quote(name)} --file {shell_quote(file)}"
