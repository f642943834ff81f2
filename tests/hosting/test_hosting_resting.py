"""Workers come to rest where nothing paid is lost, and go on, here or elsewhere, from there."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import subprocess

import pytest

from fakes.cluster import a_home, a_machine, an_experiment, at_work
from fakes.command_line import Vendor, dissent, started
from fakes.databases import a_database
from fakes.patience import LONG, not_for_ever
from fakes.stopping import Gated, answers
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Answered, Closed, Status
from mutual_dissent.experiments.cluster import ClusterRun
from mutual_dissent.experiments.shelf import rows
from mutual_dissent.hosting.worker import Worker

pytestmark = pytest.mark.postgres


async def until(check):
    while not check():
        await asyncio.sleep(0.01)


async def test_a_pause_of_all_workers_keeps_what_is_paid_for_and_asks_nothing_more(tmp_path):
    url = a_database()
    wanted = an_experiment(repeats=1)
    async with a_machine(tmp_path / "a", url) as md, a_machine(tmp_path / "b", url) as other:
        cast = Gated(other.provider)
        run = asyncio.create_task(ClusterRun(md, wanted).to_the_end())
        async with not_for_ever(), at_work(Worker(other, 2)):
            await until(lambda: cast.waiting == 4)
            assert "All workers pause" in dissent("--db", url, "workers", "pause").stdout
            await until(lambda: md.queue.workers()[0].state == "paused")
            cast.gate.set()
            await until(lambda: md.queue.lengths()["running"] == 0)

            assert len(cast.asks) == answers(md, "sums") == 4
            assert [r.status for r in rows(md, "sums")] == [Status.PAUSED] * 2
            assert md.queue.take("somebody who came later", 9) == []
            shown = dissent("--db", url, "workers")
            assert " paused " in shown.stdout
            assert "all workers are paused since" in shown.stderr
            told = json.loads(dissent("--db", url, "workers", "-o", "json").stdout)
            assert (told["paused"] is None, told["workers"][0]["state"]) == (False, "paused")

            assert "All workers go on." in dissent("--db", url, "workers", "resume").stdout
            done = await run
        assert (done.done, done.failed) == (wanted.size, 0)
        assert len(cast.asks) == answers(md, "sums")
        assert "were not paused" in dissent("--db", url, "workers", "resume").stdout


async def test_an_experiment_that_is_stopped_in_a_pause_has_no_failures(tmp_path):
    url = a_database()
    wanted, stopped = an_experiment(repeats=1), asyncio.Event()
    async with a_machine(tmp_path / "a", url) as md, a_machine(tmp_path / "b", url) as other:
        cast = Gated(other.provider)
        run = ClusterRun(md, wanted, is_stopped=stopped.is_set)
        running = asyncio.create_task(run.to_the_end())
        async with not_for_ever(), at_work(Worker(other, 2)):
            await until(lambda: cast.waiting == 4)
            md.queue.pause("a test")
            await until(lambda: md.queue.workers()[0].state == "paused")
            cast.gate.set()
            await until(lambda: md.queue.lengths()["running"] == 0)
            stopped.set()
            done = await running
            assert (done.paused, done.done, done.problems) == (2, 0, {})

            md.queue.resume()
            again = await ClusterRun(md, wanted).to_the_end()
        assert (again.done, again.failed) == (wanted.size, 0)
        assert len(cast.asks) == answers(md, "sums")


async def test_an_experiment_whose_workers_died_can_be_stopped(tmp_path):
    wanted, stopped = an_experiment(repeats=1), asyncio.Event()
    async with a_machine(tmp_path / "a", a_database()) as md:
        running = asyncio.create_task(
            ClusterRun(md, wanted, is_stopped=stopped.is_set).to_the_end()
        )
        async with not_for_ever():
            await until(lambda: md.queue.lengths()["waiting"] == wanted.size)
            assert len(md.queue.take("one who dies", 2)) == 2
            stopped.set()
            done = await running
        assert (done.done, done.paused, done.problems) == (0, 0, {})
        assert sum(md.queue.lengths().values()) == 0


async def test_who_ends_when_the_queue_is_empty_waits_for_the_end_of_a_pause(tmp_path):
    url = a_database()
    wanted = an_experiment(repeats=1)
    async with a_machine(tmp_path / "a", url) as md, a_machine(tmp_path / "b", url) as other:
        md.queue.pause("a test")
        run = asyncio.create_task(ClusterRun(md, wanted).to_the_end())
        async with not_for_ever():
            await until(lambda: md.queue.lengths()["waiting"] == wanted.size)
            work = asyncio.create_task(Worker(other, 2).work(until_empty=True))
            await until(lambda: [w.state for w in md.queue.workers()] == ["paused"])
            assert not work.done()
            md.queue.resume()
            await work
            assert (await run).done == wanted.size


async def test_a_debate_that_rests_before_its_judge_is_scored_when_it_goes_on(tmp_path):
    async with a_machine(tmp_path / "a") as md:
        options = {"panel": ["ada", "bob"], "synthesizer": "ada", "judge": "bob"}
        brief = await md.brief("2 + 2?", ground_truth="4", score="synthesis", **options)
        worker = Worker(md, 1)
        worker.leave()
        seen = []
        async for event in md.run(brief):
            seen.append(event)
            if getattr(event, "role", "") == "synthesis" and event.kind == "round_ended":
                md.rest = worker._rest
        assert seen[-1].status is Status.INTERRUPTED
        md.rest = lambda: None
        asked = len(md.provider.asks)
        last = [event async for event in md.resume(brief.transcript_id)][-1]
        assert last.status is Status.COMPLETED
        first, *others = (a.role for a in md.provider.asks[asked:])
        assert first == "judge"
        assert set(others) <= {"analysis"}


class Dealt:
    """An experiment that is dealt out to workers, whose calls the vendor holds back."""

    HOUR = 3600  # a lease that nobody could wait for

    def __init__(self, folder, vendor):
        self.folder, self.vendor = folder, vendor
        vendor.fake.always("held")
        self.env = {**vendor.env, "MUTUAL_DISSENT_DB": a_database()}
        self.md = MutualDissent(home=a_home(folder / "dealer", self.HOUR), env=self.env)
        wanted = an_experiment(1, "openrouter:lab/ada", "openrouter:lab/bob")
        self.run = asyncio.create_task(ClusterRun(self.md, wanted).to_the_end())

    def worker(self, name, *words):
        home = a_home(self.folder / name, self.HOUR)
        return started("worker", *words, env={**self.env, "MUTUAL_DISSENT_HOME": str(home)})

    async def in_flight(self):
        """Two calls of each of the four debates have come."""
        await until(lambda: len(self.vendor.arrivals) >= 8)

    def states(self):
        return [w.state for w in self.md.queue.workers()]

    def logs(self):
        return [self.md.store.events(r.transcript_id) for r in rows(self.md, "sums")]


@contextlib.asynccontextmanager
async def dealt_out(folder):
    with Vendor() as vendor:
        dealt = Dealt(folder, vendor)
        try:
            async with not_for_ever():
                yield dealt
        finally:
            dealt.run.cancel()
            await asyncio.gather(dealt.run, return_exceptions=True)
            await dealt.md.aclose()


async def test_a_stopped_worker_records_its_calls_and_another_goes_on_at_once(tmp_path):
    async with dealt_out(tmp_path) as dealt:
        with dealt.worker("b", "--grace", "3600") as first:
            await dealt.in_flight()
            first.send_signal(signal.SIGTERM)
            await until(lambda: dealt.states() == ["leaving"])
            dealt.vendor.release()
            assert await asyncio.to_thread(first.wait, LONG) == 0
        for log in dealt.logs():  # it took what was in flight, and asked nothing more
            assert sum(isinstance(e, Answered) for e in log) == 2
            assert (log[-1].kind, log[-1].status) == (Closed.kind, Status.INTERRUPTED)
        with dealt.worker("c") as second:
            assert (await dealt.run).failed == 0
            second.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(second.wait, LONG) == 0
        assert dealt.states() == []
        assert len(dealt.vendor.arrivals) == answers(dealt.md, "sums")


async def test_calls_that_take_too_long_are_given_up_and_asked_by_the_next_worker(tmp_path):
    async with dealt_out(tmp_path) as dealt:
        with dealt.worker("b", "--grace", "0") as first:
            await dealt.in_flight()
            first.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(first.wait, LONG) == 0
        dealt.vendor.release()
        with dealt.worker("c"):
            assert (await dealt.run).failed == 0
        assert len(dealt.vendor.arrivals) == answers(dealt.md, "sums") + 8


async def test_a_second_signal_ends_a_worker_that_waits_for_its_calls(tmp_path):
    async with dealt_out(tmp_path) as dealt:
        with dealt.worker("b", "--grace", "3600") as worker:
            await dealt.in_flight()
            worker.send_signal(signal.SIGTERM)
            await until(lambda: dealt.states() == ["leaving"])
            worker.send_signal(signal.SIGINT)  # the same one at once would be an echo of the first
            assert await asyncio.to_thread(worker.wait, LONG) == 128 + signal.SIGINT


def test_whoever_deals_out_during_a_pause_is_told_why_nothing_happens(tmp_path):
    env = {
        "MUTUAL_DISSENT_DB": a_database(),
        "MUTUAL_DISSENT_HOME": str(a_home(tmp_path / "a")),
        "OPENROUTER_API_KEY": "sk-or-test-key-000001",
        "OPENROUTER_BASE_URL": "http://127.0.0.1:9",
    }
    file = tmp_path / "one.toml"
    file.write_text(
        'name = "one"\n[[query]]\ntext = "Why?"\n'
        '[defaults]\npanel = ["openrouter:lab/ada", "openrouter:lab/bob"]\n'
    )
    assert dissent("workers", "pause", **env).exit_code == 0
    words = ("experiment", "run", str(file), "--cluster", "--yes")
    with started(*words, env=env, stderr=subprocess.PIPE) as dealer:
        said = iter(dealer.stderr.readline, b"")
        assert any(b"all workers are paused since" in line for line in said)
