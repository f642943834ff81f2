"""An experiment is held once, within its budget, whatever interrupts it."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.patience import not_for_ever
from fakes.stopping import Gated, Stopping, answers
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.events import Status
from mutual_dissent.core.values.deal import Progress
from mutual_dissent.core.values.directive import Action
from mutual_dissent.experiments.design.equal_cost import match_samples
from mutual_dissent.experiments.design.file import parse_experiment
from mutual_dissent.experiments.run.registry import rows, save_experiment, stop
from mutual_dissent.experiments.run.run import Run
from mutual_dissent.parts import FileWritingJournal
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.store.experiments import State

FILE = """
name = "sums"
repeats = 2
concurrency = 4
[[query]]
text = "2 + 2?"
answer = "4"
[[query]]
text = "3 + 3?"
answer = "6"
[defaults]
panel = ["ada", "bob"]
[grid]
mode = ["reflection", "consensus"]
[baselines]
self-consistency = true
matched = "tokens"
"""


class Cast(Scripted):
    def __init__(self) -> None:
        super().__init__(dict.fromkeys(("ada", "bob", "claude"), lambda _: "It is 4."))
        self.limit = 10**9
        self.most = self.now = 0

    async def ask(self, ask, on_text):
        if len(self.asks) >= self.limit:
            raise asyncio.CancelledError
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        try:
            return replace(await super().ask(ask, on_text), cost_usd=0.01)
        finally:
            self.now -= 1


def experiment(**more):
    return replace(parse_experiment(FILE, "x.toml", Path()), **more)


@pytest.fixture
async def md(tmp_path):
    cast = Cast()
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as found:
        yield found


async def ready(md, **more):
    return await match_samples(md, experiment(**more))


async def test_every_debate_is_held_once_and_knows_where_it_belongs(md):
    wanted = await ready(md)
    done = await Run(md, wanted).to_the_end()
    assert (done.done, done.failed, done.left) == (wanted.size, 0, 0)
    stored = list(rows(md, "sums"))
    assert len(stored) == wanted.size
    assert {r.condition for r in stored} == {c.name for c in wanted.conditions if c.way != "vote"}
    assert all(r.status is Status.COMPLETED for r in stored)


async def test_the_same_file_run_twice_adds_nothing(md):
    wanted = await ready(md)
    await Run(md, wanted).to_the_end()
    asked = len(md.provider.asks)
    again = await Run(md, wanted).to_the_end()
    assert (again.before, again.done, again.spent) == (wanted.size, 0, 0)
    assert len(md.provider.asks) == asked


async def test_cut_off_while_a_debate_is_put_on_record_the_next_run_knows_of_it(md, monkeypatch):
    wanted = await ready(md)
    entered, gate, append = asyncio.Event(), threading.Event(), FileWritingJournal.append

    async def slow(self, events):
        entered.set()
        await asyncio.to_thread(gate.wait)
        await append(self, events)

    monkeypatch.setattr(FileWritingJournal, "append", slow)
    task = asyncio.create_task(Run(md, wanted).to_the_end())
    await entered.wait()
    task.cancel()
    await asyncio.sleep(0)
    gate.set()
    await asyncio.wait([task])
    assert list(rows(md, "sums"))
    finished = await Run(md, wanted).to_the_end()
    assert (finished.failed, finished.done) == (0, wanted.size)


async def test_cut_off_in_the_middle_it_goes_on_and_buys_nothing_twice(md):
    wanted = await ready(md)
    run = Run(md, wanted)
    task = asyncio.create_task(run.to_the_end())
    while run.progress.done < 3:
        await asyncio.sleep(0.001)
    task.cancel()
    await asyncio.wait([task])
    begun = {r.transcript_id for r in rows(md, "sums")}
    assert len(begun) < wanted.size
    finished = await Run(md, wanted).to_the_end()
    assert finished.before >= 3
    assert {r.status for r in rows(md, "sums")} == {Status.COMPLETED}
    keys = [
        (r.transcript_id, key)
        for r in rows(md, "sums")
        for key, _ in md.store.transcript(r.transcript_id).replaced
    ]
    assert not keys


async def test_the_budget_of_all_debates_together_is_never_exceeded(md):
    wanted = await ready(md, budget=0.31)
    done = await Run(md, wanted).to_the_end()
    assert done.stopped == "budget"
    assert done.spent <= 0.31
    again = await Run(md, wanted).to_the_end()
    assert done.spent + again.spent <= 0.31


async def test_at_most_so_many_debates_run_at_once(md):
    await Run(md, await ready(md, concurrency=2)).to_the_end()
    assert md.provider.most <= 2 * 2


async def test_somebody_else_can_stop_it(md):
    wanted = await ready(md, concurrency=1)
    run = Run(md, wanted, is_stopped=lambda: run.progress.done >= 2)
    done = await run.to_the_end()
    assert (done.done, done.stopped) == (2, "stopped")


@pytest.mark.parametrize(
    ("action", "paused", "done"), [(Action.PAUSE, 2, 2), (Action.STOP, 4, 0), (None, 0, 4)]
)
async def test_a_stop_comes_soon_and_loses_no_answer_that_was_paid_for(md, action, paused, done):
    wanted = await ready(md)
    cast = Gated(md.provider)
    stopping = Stopping(cast, md, action=action, calls=6)
    async with not_for_ever():
        stopped = await stopping.ended(Run(md, wanted, **stopping.ways))
    assert (stopped.stopped, stopped.paused, stopped.done) == ("stopped", paused, done)
    assert stopped.failed == 0
    assert answers(md, "sums") == len(cast.asks)
    cast.gate.set()
    again = await Run(md, wanted).to_the_end()
    assert (again.left, again.failed, again.before) == (0, 0, done)
    assert answers(md, "sums") == len(cast.asks)


async def test_a_model_alone_is_asked_until_it_costs_as_much_as_the_panel(md):
    wanted = await ready(md)
    samples = {c.name: c.samples for c in wanted.conditions}
    assert 3 <= samples["self-consistency ada"] <= 12
    assert samples["single ada"] == 1


async def test_what_fails_is_counted_by_its_reason_and_the_rest_goes_on(md):
    wanted = experiment()
    odd = replace(wanted.conditions[0], name="odd", options={"mode": "no-such-mode"})
    wanted = replace(wanted, conditions=(odd, wanted.conditions[0]))
    done = await Run(md, wanted).to_the_end()
    assert (done.failed, done.done) == (4, 4)
    assert sum("no mode is called" in p for p in done.problems) == 1


def test_a_second_stop_that_reaches_nobody_does_not_take_the_first_back(md):
    save_experiment(md, parse_experiment(FILE, "x.toml", Path()))
    md.experiments.move("sums", State.HALTING, md.clock())
    with pytest.raises(BadInput, match="not under way"):
        stop(md, "sums")
    assert md.experiments.state("sums") is State.HALTING


def test_failures_of_many_kinds_are_counted_and_a_few_are_told_apart():
    progress = Progress()
    for number in range(200):
        progress.problem(f"no debate {number} any more")
    assert (progress.failed, sum(progress.problems.values())) == (200, 200)
    assert len(progress.problems) < 60
