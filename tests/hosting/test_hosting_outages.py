"""The server of the record goes away and comes back: what was bought is on record, once, all of it.

`DISSENT_OUTAGES=5,20,60` has it away for so many seconds each; `DISSENT_RESTARTS` is how often it
is started anew at a random moment; `DISSENT_CUT=20` is how long workers are cut off from all.
"""

from __future__ import annotations

import asyncio
import os
import random
import threading
from contextlib import asynccontextmanager

import pytest

from fakes.cluster import bought, of_its_own
from fakes.databases import Mortal
from fakes.patience import not_for_ever
from fakes.temporal import a_site, an_engine
from fakes.wires import Wire
from mutual_dissent.core.events import Status
from mutual_dissent.experiments.run.registry import rows

pytestmark = [pytest.mark.postgres, pytest.mark.temporal, pytest.mark.slow]

LENGTHS = [float(s) for s in os.environ.get("DISSENT_OUTAGES", "3").split(",")]
RESTARTS = int(os.environ.get("DISSENT_RESTARTS", "2"))
CUT = float(os.environ.get("DISSENT_CUT", "3"))
CAPACITY = 4


@pytest.fixture
def server():
    with Mortal() as server:
        yield server


@pytest.mark.parametrize("seconds", LENGTHS)
async def test_all_that_is_bought_is_on_record_after_the_server_was_away(tmp_path, server, seconds):
    async with held(tmp_path, server.url) as asked:
        await more_than(asked, 10)
        await server.stop()
        await asyncio.sleep(seconds)
        await server.start()


async def test_all_that_is_bought_is_on_record_though_the_server_is_started_anew(tmp_path, server):
    dice = random.Random(int(os.environ.get("DISSENT_SEED", "12")))
    async with held(tmp_path, server.url) as asked:
        for _ in range(RESTARTS):
            await more_than(asked, asked() + 3)
            await asyncio.sleep(dice.uniform(0, 0.5))
            await server.stop(kill=dice.random() < 0.5)
            await server.start()


@pytest.mark.parametrize("seconds", LENGTHS)
async def test_all_that_is_bought_is_on_record_after_the_line_to_it_was_silent(
    tmp_path, server, seconds
):
    with Wire(server.url) as wire:
        async with held(tmp_path, wire.url) as asked:
            await more_than(asked, 10)
            silent(seconds, wire)
            await more_than(asked, 20)


async def test_workers_that_were_cut_off_from_everything_go_on_and_buy_nothing_twice(
    tmp_path, server
):
    with Wire(server.url) as record, Wire(an_engine()) as engine:
        async with held(tmp_path, record.url, engine.url) as asked:
            await more_than(asked, 10)
            silent(CUT, record, engine)
            await more_than(asked, 20)


def silent(seconds, *wires):
    """Mute lines for so long; nobody here may be able to say when it is over."""
    for wire in wires:
        wire.mute()
        threading.Timer(seconds, wire.unmute).start()


@asynccontextmanager
async def held(folder, url, engine=None):
    """An experiment that two workers hold; at its end every answer is on record exactly once."""
    async with not_for_ever(400), a_site(folder / "site", url) as site:
        site.engine_url = engine or site.engine_url
        workers = [await site.worker(CAPACITY) for _ in range(2)]
        for worker in workers:
            worker.md.provider._delay = 0.1

        def asked():
            return sum(len(w.md.provider.asks) for w in workers)

        wanted = of_its_own(max(6, 2 * RESTARTS), "ada", "bob")
        await site.begun(wanted)
        yield asked
        while (done := await (await site.engine()).wait_for_end(wanted.name, 60)) is None:
            pass
        assert (done.done, done.failed) == (wanted.size, 0), done.problems
        assert {r.status for r in rows(site.md, "sums")} == {Status.COMPLETED}
        recorded = bought(site.md)
        assert set(recorded.values()) == {1}
        print(f"\n{asked()} calls, {recorded.total()} answers on record, once each")
        if engine is None:
            assert asked() == recorded.total()
        else:  # who cannot tell Temporal that it lives gives up what is in flight
            assert recorded.total() <= asked() <= recorded.total() + 2 * 2 * CAPACITY


async def more_than(asked, number):
    while asked() <= number:
        await asyncio.sleep(0.01)
