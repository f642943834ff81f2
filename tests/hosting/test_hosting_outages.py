"""The server of the record goes away and comes back: what was bought is on record, once, all of it.

`DISSENT_OUTAGES=5,20,60` has it away for so many seconds each; `DISSENT_RESTARTS` is how often it
is started anew at a random moment.
"""

from __future__ import annotations

import asyncio
import os
import random
import threading
from collections import Counter

import pytest

from fakes.cluster import a_machine, an_experiment, at_work
from fakes.databases import Mortal
from fakes.patience import not_for_ever
from fakes.wires import Wire
from mutual_dissent.core.events import Answered, Status
from mutual_dissent.experiments.cluster import ClusterRun
from mutual_dissent.experiments.shelf import rows
from mutual_dissent.hosting.worker import Worker

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

LENGTHS = [float(s) for s in os.environ.get("DISSENT_OUTAGES", "4").split(",")]
RESTARTS = int(os.environ.get("DISSENT_RESTARTS", "4"))


@pytest.fixture
def server():
    with Mortal() as server:
        yield server


@pytest.mark.parametrize("seconds", LENGTHS)
async def test_all_that_is_bought_is_on_record_after_the_server_was_away(tmp_path, server, seconds):
    async with held(tmp_path, server) as bought:
        await more_than(bought, 10)
        await server.stop()
        await asyncio.sleep(seconds)
        await server.start()


async def test_all_that_is_bought_is_on_record_though_the_server_is_started_anew(tmp_path, server):
    dice = random.Random(int(os.environ.get("DISSENT_SEED", "12")))
    async with held(tmp_path, server) as bought:
        for _ in range(RESTARTS):
            await more_than(bought, bought() + 3)
            await asyncio.sleep(dice.uniform(0, 0.5))
            await server.stop(kill=dice.random() < 0.5)
            await server.start()


@pytest.mark.parametrize("seconds", LENGTHS)
async def test_all_that_is_bought_is_on_record_after_the_line_to_it_was_silent(
    tmp_path, server, seconds
):
    with Wire(server.url) as wire:
        async with held(tmp_path, wire) as bought:
            await more_than(bought, 10)
            timer = threading.Timer(seconds, wire.unmute)  # nobody here may be able to
            wire.mute()
            timer.start()
            await more_than(bought, 20)
            timer.join()


class held:  # noqa: N801 - it reads as a word
    """An experiment that two workers hold; at its end every answer is on record exactly once."""

    def __init__(self, folder, server):
        self.folder, self.server = folder, server

    async def __aenter__(self):
        self.patience = not_for_ever(300)
        await self.patience.__aenter__()
        self.machines = [a_machine(self.folder / n, self.server.url) for n in ("a", "b", "c")]
        for md in self.machines:
            await md.__aenter__()
            md.provider._delay = 0.1
        self.wanted = an_experiment(repeats=max(12, RESTARTS))
        self.run = asyncio.create_task(ClusterRun(self.machines[0], self.wanted).to_the_end())
        self.workers = at_work(*(Worker(md, 4) for md in self.machines[1:]))
        await self.workers.__aenter__()
        return lambda: sum(len(md.provider.asks) for md in self.machines[1:])

    async def __aexit__(self, kind, error, trace):
        if kind is None:
            done = await self.run
            assert (done.done, done.failed) == (self.wanted.size, 0), done.problems
        await self.workers.__aexit__(kind, error, trace)
        if kind is None:
            self.check()
        for md in reversed(self.machines):
            await md.__aexit__(kind, error, trace)
        await self.patience.__aexit__(kind, error, trace)

    def check(self):
        md = self.machines[0]
        found = list(rows(md, "sums"))
        assert {r.status for r in found} == {Status.COMPLETED}
        recorded = Counter(
            (r.transcript_id, e.key)
            for r in found
            for e in md.store.events(r.transcript_id)
            if isinstance(e, Answered) and not e.reused
        )
        assert set(recorded.values()) == {1}
        bought = sum(len(md.provider.asks) for md in self.machines[1:])
        assert bought == sum(recorded.values())


async def more_than(bought, number):
    while bought() <= number:
        await asyncio.sleep(0.01)
