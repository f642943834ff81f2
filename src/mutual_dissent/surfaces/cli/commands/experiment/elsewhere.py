"""Watches an experiment that an engine deals out; it runs on without the watcher."""

from __future__ import annotations

import asyncio
import shlex
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import DissentError
from mutual_dissent.surfaces.cli.commands.experiment.pace import RunProgress
from mutual_dissent.surfaces.process.failure import say
from mutual_dissent.surfaces.process.signals import Interruption

if TYPE_CHECKING:
    from mutual_dissent.config.sections import ClusterOptions
    from mutual_dissent.core.values.deal import Progress
    from mutual_dissent.experiments.design.experiment import Experiment
    from mutual_dissent.hosting.engine import Engine

LOOK = 0.5
"""Seconds between two looks at the progress."""

PATIENCE = 10.0
"""Seconds without an answer after which the missing part is named."""


@dataclass
class Trip(Interruption):
    """State of an experiment on a cluster, for the message when it is interrupted.

    Attributes:
        watched: whether an engine runs it on.
    """

    name: str = ""
    watched: bool = False

    @property
    def way_on(self) -> str:
        """Return the message for an interruption."""
        if not self.name:
            return "interrupted"
        name = shell_quote(self.name)
        if self.watched:
            return (
                "no longer watched; the workers go on. Watch it again with: dissent experiment "
                f"resume {name} --cluster; end it with: dissent experiment stop {name}"
            )
        return f"interrupted; go on with: dissent experiment resume {name}"


def shell_quote(name: str) -> str:
    """Quote a name for the shell."""
    return shlex.quote(name)


async def by_engine(
    options: ClusterOptions, priority: int, experiment: Experiment, trip: Trip
) -> Progress:
    """Have an engine deal an experiment out, and watch it to its end."""
    from mutual_dissent.experiments.results.table import read_results
    from mutual_dissent.experiments.run.registry import alone, save_experiment
    from mutual_dissent.hosting.engines import connect_engine

    name = experiment.name
    async with MutualDissent() as md:
        engine = await connect_engine(options)
        if engine.note:
            say(engine.note)
        if await engine.is_under_way(name):
            say(f"{name} is under way already; it is watched")
        else:
            with alone(md, name):
                save_experiment(md, experiment)
            await engine.begin(name, priority)
        trip.watched = True
        with RunProgress(name) as pace:
            tally = await _watch(engine, name, pace)
        done = await asyncio.to_thread(_with_reasons, md, tally)
        with suppress(DissentError):  # only a cache: a report reads missing results itself
            await asyncio.to_thread(read_results, md, experiment)
    return done


async def _watch(engine: Engine, name: str, pace: RunProgress) -> Progress:
    answered = time.monotonic()
    warned = False
    while (ended := await engine.wait_for_end(name, LOOK)) is None:
        tally = await engine.tally(name)
        if tally is None:
            if time.monotonic() - answered > PATIENCE and not warned:
                warned = True
                say(await _who_is_missing(engine))
            await asyncio.sleep(LOOK)
            continue
        answered = time.monotonic()
        pace.show(tally)
    return ended


async def _who_is_missing(engine: Engine) -> str:
    try:
        known = await engine.roster()
    except DissentError as e:
        return f"{e.sentence}; what was begun goes on when it is there again"
    if known.workers:
        return "no worker says how far it is; they may be busy"
    return "no worker is there; start one or more with: dissent worker --engine ..."


def _with_reasons(md: MutualDissent, done: Progress) -> Progress:
    """Return the progress, with the store's text for the first failure of each kind."""
    problems: dict[str, int] = {}
    for why, times in done.problems.items():
        text = why
        with suppress(DissentError):
            text = md.store.transcript(done.examples.get(why, "")).closed_text or why
        problems[text] = problems.get(text, 0) + times
    return replace(done, problems=problems)
