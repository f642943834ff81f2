"""Experiments: how near they come to what the vendor allows, and how long a report takes."""

from __future__ import annotations

import asyncio
import resource
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Self

from bench.debates import vendor
from bench.fill import START
from bench.report import Table
from mutual_dissent import MutualDissent
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.events import Answered, Closed, Opened, RoundEnded, Status
from mutual_dissent.core.measures import Measures
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Response
from mutual_dissent.experiments.design.experiment import (
    PANEL,
    Condition,
    Experiment,
    ExperimentQuery,
)
from mutual_dissent.experiments.report.build import build_report, render_report
from mutual_dissent.experiments.results import table as frames
from mutual_dissent.experiments.results.results import Opinion, Took, TrialResult
from mutual_dissent.experiments.run.registry import save_experiment
from mutual_dissent.experiments.run.run import Run

IN_FLIGHT = 500
CALLS = 9
DEBATES = 600
"""Of 10,000: the pace is the same after a few seconds."""

RESPONSES = 1_000_000
NEW = 500
"""Debates that were held since the last report."""

SEATS = ("ada", "bob", "cyd", "dan")


def measure(table: Table) -> None:
    asyncio.run(_throughput(table))
    _report(table)


async def _throughput(table: Table, debates: int = DEBATES) -> None:
    """Debates of nine calls of a second, at most 500 of them in flight."""
    names = ["openai:m1000x20"] * 4
    with vendor() as url, tempfile.TemporaryDirectory() as home:
        env = {"OPENAI_API_KEY": "sk-bench", "OPENAI_BASE_URL": url, "HOME": home}
        config = Path(home) / "config.toml"
        config.write_text(f"[limits]\nopenai = {{ concurrency = {IN_FLIGHT} }}\n")
        config.chmod(0o600)
        options = {"panel": names, "allow_unpriced": True}
        experiment = Experiment(
            name="pace",
            queries=tuple(
                ExperimentQuery(id=f"q{i}", text=f"Tabs or spaces, {i}?") for i in range(debates)
            ),
            conditions=(Condition(name="panel", options=options),),
            concurrency=250,
        )
        async with MutualDissent(home=home, env=env) as md:
            await Run(md, replace(experiment, queries=experiment.queries[:2])).to_the_end()
            start, cpu = time.perf_counter(), time.process_time()
            done = await Run(md, experiment).to_the_end()
            took, used = time.perf_counter() - start, time.process_time() - cpu
    assert not done.failed, done.problems
    ideal = done.done * CALLS / IN_FLIGHT
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    note = f"{took:.1f} s for {done.done} debates, ideal {ideal:.1f} s, CPU {used:.1f} s"
    # At least 60 % of the ideal throughput is at most 1 / 0.6 of the ideal time.
    table.add("an experiment's time over the ideal at 500 in flight", took / ideal, 1.67, note=note)
    table.add("peak memory of that experiment", peak, 400, unit="MB")


def _report(table: Table) -> None:
    """The report on a million stored responses, 500 debates of which are new since the last."""
    debates = RESPONSES // CALLS + 1
    experiment = _large(debates)
    with tempfile.TemporaryDirectory() as home, MutualDissentAt(home) as md:
        start = time.perf_counter()
        _fill(md, experiment)
        filled = time.perf_counter() - start
        answers = "SELECT count(*) FROM events WHERE kind = 'answered'"
        (stored,) = md.store._access.readable().column(answers)
        assert stored >= RESPONSES, stored
        save_experiment(md, experiment)
        marks = frames._marks(md, experiment)
        known = [_result(t) for t in experiment.trials()]
        frames._keep(frames.cache_of(md, experiment.name), known[:-NEW], marks)
        start = time.perf_counter()
        text = render_report(build_report(md, experiment), "html")
        took = time.perf_counter() - start
    note = (
        f"{debates:,} debates, {NEW} of them new, {len(text) // 1024} kB; filled in {filled:.0f} s"
    )
    table.add("report on 1,000,000 stored responses", took, 15, unit="s", note=note)


class MutualDissentAt(MutualDissent):
    """The app on a home of its own, for as long as it is needed."""

    def __init__(self, home: str) -> None:
        super().__init__(home=home, env={"HOME": home})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _large(debates: int) -> Experiment:
    repeats = 4
    number = -(-debates // repeats)
    return Experiment(
        name="large",
        queries=tuple(
            ExperimentQuery(
                id=f"q{i}", text=f"What is {i} + {i}?", answer=str(2 * i), kind="number"
            )
            for i in range(number)
        ),
        conditions=(Condition(name="panel", options={"panel": list(SEATS)}),),
        repeats=repeats,
    )


def _fill(md: MutualDissent, experiment: Experiment) -> None:
    """Store all debates; what is not read again is copied from the first, log and all."""
    trials = list(experiment.trials())
    old, new = trials[:-NEW], trials[-NEW:]
    md.store.save_all([_log(t) for t in (old[0], *new)])
    db = md.store._access.writable()
    columns = db.column("SELECT name FROM pragma_table_info('debates') WHERE name <> 'number'")
    rest = ", ".join(c for c in columns if c != "transcript_id")
    (first,) = db.column(
        "SELECT number FROM debates WHERE transcript_id = :name", name=old[0].transcript_id
    )
    (last,) = db.column("SELECT max(number) FROM debates")
    db.begin()
    db.executemany(
        f"INSERT INTO debates (transcript_id, {rest}) SELECT :name, {rest} FROM debates "
        f"WHERE number = {first}",
        [{"name": t.transcript_id} for t in old[1:]],
    )
    names = ", ".join(
        db.column("SELECT name FROM pragma_table_info('events') WHERE name <> 'debate'")
    )
    db.execute(
        f"INSERT INTO events (debate, {names}) SELECT d.number, "
        + ", ".join(f"e.{n}" for n in names.split(", "))
        + f" FROM debates d, events e WHERE e.debate = {first} AND d.number > {last}"
    )
    db.execute("COMMIT")


def _log(trial) -> list:
    panel = tuple(Panelist(seat=s, route=Route(vendor="openai", model_id=f"{s}-1")) for s in SEATS)
    at = START
    brief = Brief(
        transcript_id=trial.transcript_id, query=trial.text, panel=panel, synthesizer=panel[0],
        experiment=trial.tags,
    )  # fmt: skip
    events = [Opened(seq=1, at=at, brief=brief)]
    asks = [(n, r, p) for n, r in ((0, "initial"), (1, "reflection")) for p in panel]
    for n, role, who in [*asks, (-1, "synthesis", panel[0])]:
        response = Response(
            model_id=who.model_id, model_alias=who.seat, round_number=n, role=role,
            content=f"Answer: {_said(trial, who.seat, n)}", timestamp=at, input_tokens=100,
            output_tokens=9, cost_usd=0.001, routing=who.route,
        )  # fmt: skip
        events.append(
            Answered(seq=len(events) + 1, at=at, key=f"{n}/{role}/{who.seat}", seat=who.seat,
                     request_hash="", response=response)
        )  # fmt: skip
    level = Measures(agreement=0.5)
    events.append(RoundEnded(seq=len(events) + 1, at=at, round_number=1, role="reflection",
                             measures=level))  # fmt: skip
    events.append(Closed(seq=len(events) + 1, at=at, status=Status.COMPLETED, reason="done"))
    return events


def _said(trial, seat: str, n: int) -> str:
    number = int(trial.query.id[1:])
    off = (number * 7 + trial.repeat * 3 + SEATS.index(seat)) % (3 + n) == 0
    return str(2 * number + off)


def _result(trial) -> TrialResult:
    truth = trial.query.answer
    opinions = tuple(
        Opinion(model=s, before=_said(trial, s, 0), after=_said(trial, s, 1),
                right_before=_said(trial, s, 0) == truth, right_after=_said(trial, s, 1) == truth,
                contradicted=False)
        for s in SEATS
    )  # fmt: skip
    answer = _said(trial, SEATS[0], -1)
    return TrialResult(
        condition=trial.condition.name, way=PANEL, query=trial.query.id, repeat=trial.repeat,
        answer=answer, right=answer == truth, score=None,
        took=Took(cost_usd=0.009, tokens=981, calls=CALLS, seconds=3.0), agreement=0.5,
        cluster=0.75, opinions=opinions, transcript_id=trial.transcript_id,
    )  # fmt: skip
