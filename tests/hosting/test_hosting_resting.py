"""Workers come to rest where nothing paid is lost, and go on, here or elsewhere, from there.

`DISSENT_ROLLS` is how often all workers are started anew under load, `DISSENT_REPEATS` for how many
debates that load lasts.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess

import pytest

from fakes.cluster import a_home, a_machine, an_experiment, bought, of_its_own
from fakes.command_line import Vendor, program, started
from fakes.databases import a_database
from fakes.patience import LONG, not_for_ever
from fakes.stopping import Gated, answers
from fakes.temporal import Heard, a_queue, a_site, an_engine, calls_in_flight
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Answered, Closed, Status
from mutual_dissent.core.values.directive import Action
from mutual_dissent.engine.ending import RESTING, DebateEnding
from mutual_dissent.experiments.run.registry import rows, save_experiment
from mutual_dissent.hosting.engines import connect_engine, options

pytestmark = [pytest.mark.postgres, pytest.mark.temporal]

ROLLS = int(os.environ.get("DISSENT_ROLLS", "1"))
REPEATS = int(os.environ.get("DISSENT_REPEATS", str(8 * ROLLS)))


async def until(check):
    while not check():
        await asyncio.sleep(0.01)


async def resting(engine):
    """Wait until nothing is held any more."""
    while (found := await engine.tally("sums")) is None or found.running or not found.resting:
        await asyncio.sleep(0.05)


async def test_a_pause_of_everything_keeps_what_is_paid_for_and_asks_nothing_more(tmp_path):
    wanted = an_experiment(repeats=1)
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        worker, engine = await site.worker(capacity=2), await site.engine()
        cast, heard = Gated(worker.md.provider), Heard(worker.md)
        await site.begun(wanted)
        await calls_in_flight(cast, 4)
        said = await asyncio.to_thread(program, "workers", "pause", **site.env)
        assert b"sums pauses after its running calls" in said.stdout, said.stderr
        await heard.by_all(2)
        cast.gate.set()
        await resting(engine)
        assert len(cast.asks) == answers(site.md, "sums") == 4
        assert [r.status for r in rows(site.md, "sums")] == [Status.PAUSED] * 2
        said = await asyncio.to_thread(program, "workers", "resume", **site.env)
        assert b"sums goes on" in said.stdout, said.stderr
        done = await site.ended(wanted)
        assert (done.done, done.failed) == (wanted.size, 0), done.problems
        assert len(cast.asks) == answers(site.md, "sums")


async def test_an_experiment_that_is_stopped_in_a_pause_has_no_failures(tmp_path):
    wanted = an_experiment(repeats=1)
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        worker, engine = await site.worker(capacity=2), await site.engine()
        cast, heard = Gated(worker.md.provider), Heard(worker.md)
        await site.begun(wanted)
        await calls_in_flight(cast, 4)
        await engine.pause("sums")
        await heard.by_all(2)
        cast.gate.set()
        await resting(engine)
        said = await asyncio.to_thread(program, "experiment", "stop", "sums", **site.env)
        assert said.returncode == 0, said.stderr
        done = await site.ended(wanted)
        assert (done.stopped, done.done, done.problems) == ("stopped", 0, {})
        again = await site.held(wanted)
        assert (again.done, again.failed) == (wanted.size, 0), again.problems
        assert len(cast.asks) == answers(site.md, "sums")


async def test_a_debate_on_another_machine_is_stopped_by_its_id(tmp_path):
    wanted = an_experiment(repeats=1)
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        cast = Gated((await site.worker()).md.provider)
        await site.begun(wanted)
        await calls_in_flight(cast)
        for row in rows(site.md, "sums"):
            site.md.direct(row.transcript_id, Action.STOP)
        assert (await site.ended(wanted)).failed == wanted.size
        assert {r.status for r in rows(site.md, "sums")} == {Status.STOPPED}


async def test_a_debate_that_rests_before_its_judge_is_scored_when_it_goes_on(tmp_path):
    async with a_machine(tmp_path / "a") as md:
        options = {"panel": ["ada", "bob"], "synthesizer": "ada", "judge": "bob"}
        brief = await md.brief("2 + 2?", ground_truth="4", score="synthesis", **options)
        seen = []
        async for event in md.run(brief):
            seen.append(event)
            if getattr(event, "role", "") == "synthesis" and event.kind == "round_ended":
                md.rest = lambda: DebateEnding(
                    Status.INTERRUPTED, RESTING, "its worker was stopped"
                )
        assert seen[-1].status is Status.INTERRUPTED
        md.rest = lambda: None
        asked = len(md.provider.asks)
        last = [event async for event in md.resume(brief.transcript_id)][-1]
        assert last.status is Status.COMPLETED
        first, *others = (a.role for a in md.provider.asks[asked:])
        assert first == "judge"
        assert set(others) <= {"analysis"}


class Dealt:
    """An experiment that is dealt out to workers which are processes of their own."""

    def __init__(self, folder, vendor, lease):
        self.folder, self.vendor, self.lease, self.queue = folder, vendor, lease, a_queue()
        self.env = {
            **vendor.env,
            "MUTUAL_DISSENT_DB": a_database(),
            "MUTUAL_DISSENT_ENGINE": an_engine(),
        }
        home = a_home(folder / "dealer", self.lease, self.queue)
        self.md = MutualDissent(home=home, env=self.env)

    async def begin(self, repeats=1):
        self.engine = await connect_engine(options(self.md))
        save_experiment(self.md, of_its_own(repeats, "openrouter:lab/ada", "openrouter:lab/bob"))
        await self.engine.begin("sums")

    async def ended(self):
        found = await self.engine.wait_for_end("sums", LONG)
        assert (found.failed, found.left) == (0, 0), found.problems

    @contextlib.contextmanager
    def worker(self, name, *words):
        """A worker, once it is at work."""
        env = {
            **self.env,
            "MUTUAL_DISSENT_HOME": str(a_home(self.folder / name, self.lease, self.queue)),
        }
        with started("worker", *words, env=env, stderr=subprocess.PIPE) as process:
            assert b"takes debates" in process.stderr.readline()
            yield process

    async def in_flight(self):
        """Two calls of each of the four debates have come."""
        await until(lambda: len(self.vendor.arrivals) >= 8)

    def logs(self):
        return [self.md.store.events(r.transcript_id) for r in rows(self.md, "sums")]


async def left(worker, *signals):
    """Tell a worker to leave, once it says that it does; its exit code."""
    for number in signals:
        worker.send_signal(number)
        said = await asyncio.to_thread(worker.stderr.readline)
        if number is signals[0]:
            assert b"leaving" in said
    return await asyncio.to_thread(worker.wait, LONG)


@contextlib.asynccontextmanager
async def dealt_out(folder, lease=3600):  # which nobody could wait for
    with Vendor() as vendor:
        dealt = Dealt(folder, vendor, lease)
        async with not_for_ever(600), dealt.md:
            yield dealt


async def test_a_stopped_worker_records_its_calls_and_another_goes_on_at_once(tmp_path):
    async with dealt_out(tmp_path) as dealt:
        dealt.vendor.fake.always("held")
        await dealt.begin()
        with dealt.worker("b", "--grace", "3600") as first:
            await dealt.in_flight()
            first.send_signal(signal.SIGTERM)
            assert b"leaving" in await asyncio.to_thread(first.stderr.readline)
            dealt.vendor.release()
            assert await asyncio.to_thread(first.wait, LONG) == 0
        for log in dealt.logs():  # it took what was in flight, and asked nothing more
            assert sum(isinstance(e, Answered) for e in log) == 2
            assert (log[-1].kind, log[-1].status) == (Closed.kind, Status.INTERRUPTED)
        with dealt.worker("c") as second:
            await dealt.ended()
            assert await left(second, signal.SIGTERM) == 0
        assert len(dealt.vendor.arrivals) == answers(dealt.md, "sums")


async def test_calls_that_take_too_long_are_given_up_and_asked_by_the_next_worker(tmp_path):
    async with dealt_out(tmp_path) as dealt:
        dealt.vendor.fake.always("held")
        await dealt.begin()
        with dealt.worker("b", "--grace", "0") as first:
            await dealt.in_flight()
            assert await left(first, signal.SIGINT) == 0
        dealt.vendor.release()
        with dealt.worker("c"):
            await dealt.ended()
        assert len(dealt.vendor.arrivals) == answers(dealt.md, "sums") + 8


async def test_a_second_signal_ends_a_worker_that_waits_for_its_calls(tmp_path):
    async with dealt_out(tmp_path) as dealt:
        dealt.vendor.fake.always("held")
        await dealt.begin()
        with dealt.worker("b", "--grace", "3600") as worker:
            await dealt.in_flight()
            # The same one at once would be an echo of the first.
            assert await left(worker, signal.SIGTERM, signal.SIGINT) == 128 + signal.SIGINT


async def test_all_workers_started_anew_under_load_give_up_no_call(tmp_path):
    async with dealt_out(tmp_path, lease=5) as dealt:  # what a worker gets while it leaves waits
        dealt.vendor.fake.always("ok", delay=0.3)
        with contextlib.ExitStack() as stack:
            few = ("--concurrency", "3")  # so that it takes longer than all of them
            workers = [stack.enter_context(dealt.worker(f"first-{n}", *few)) for n in range(2)]
            await dealt.begin(repeats=REPEATS)
            await dealt.in_flight()
            for turn in range(ROLLS):
                for place in range(2):
                    old, name = workers[place], f"roll-{turn}-{place}"
                    workers[place] = stack.enter_context(dealt.worker(name, *few))
                    assert await left(old, signal.SIGTERM) == 0
            assert await dealt.engine.is_under_way("sums")  # else this was no test
            await dealt.ended()
        assert set(bought(dealt.md).values()) == {1}
        assert len(dealt.vendor.arrivals) == answers(dealt.md, "sums")
