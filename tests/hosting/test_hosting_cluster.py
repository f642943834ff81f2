"""A cluster holds every debate once, whoever dies, and its record is that of one machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from dataclasses import replace

import pytest

from fakes.cluster import a_machine, an_experiment, at_work
from fakes.command_line import dissent
from fakes.databases import a_database, an_empty_database
from fakes.patience import not_for_ever
from fakes.stopping import Gated, Stopping, answers
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.directive import Action
from mutual_dissent.core.errors import BadInput, StoreError
from mutual_dissent.core.events import Status
from mutual_dissent.experiments.cluster import ClusterRun
from mutual_dissent.experiments.running import LOOK, Run
from mutual_dissent.experiments.shelf import rows
from mutual_dissent.hosting.worker import Worker
from mutual_dissent.store.postgres.queue import SLACK, Job, Queue
from mutual_dissent.store.postgres.server import Server

pytestmark = pytest.mark.postgres


def told(md):
    """What the debates of an experiment say, without when they were held and their nonces."""
    found = {}
    for row in rows(md, "sums"):
        debate = md.store.transcript(row.transcript_id)
        said = sorted((key, r.content, r.model_id) for key, r in debate.responses())
        measured = [r.measures for r in debate.rounds]
        found[row.transcript_id] = (debate.query, debate.status, debate.brief.seed, said, measured)
    return found


async def test_a_file_a_server_and_one_or_two_workers_give_the_same_transcripts(tmp_path):
    async with not_for_ever(), a_machine(tmp_path / "alone") as md:
        await Run(md, an_experiment()).to_the_end()
        alone = told(md)
    assert len(alone) == an_experiment().size
    assert {status for _, status, *_ in alone.values()} == {Status.COMPLETED}
    for count in (1, 2):
        url = a_database()
        async with contextlib.AsyncExitStack() as stack:
            names = [tmp_path / f"{count}-{n}" for n in range(count + 1)]
            md, *others = [await stack.enter_async_context(a_machine(n, url)) for n in names]
            workers = [Worker(m, 2) for m in others]
            async with not_for_ever(), at_work(*workers):
                done = await ClusterRun(md, an_experiment()).to_the_end()
            assert (done.done, done.failed) == (len(alone), 0)
            assert told(md) == alone
            assert sum(w.held for w in workers) == len(alone)
            assert not md.provider.asks  # whoever deals them out asks nobody


async def test_run_again_it_adds_nothing(tmp_path):
    url = a_database()
    async with a_machine(tmp_path / "a", url) as md, a_machine(tmp_path / "b", url) as other:
        async with not_for_ever(), at_work(Worker(other, 4)):
            await ClusterRun(md, an_experiment()).to_the_end()
            asked = len(other.provider.asks)
            again = await ClusterRun(md, an_experiment()).to_the_end()
        assert (again.before, again.done) == (an_experiment().size, 0)
        assert len(other.provider.asks) == asked


async def test_a_slow_database_is_not_taken_for_one_that_lost_debates(tmp_path, monkeypatch):
    url = a_database()
    async with a_machine(tmp_path / "a", url) as md, a_machine(tmp_path / "b", url) as other:
        put = md.queue.put

        def slow(job):
            time.sleep(3 * LOOK)  # looked for several times before it is there
            put(job)

        monkeypatch.setattr(md.queue, "put", slow)
        async with not_for_ever(), at_work(Worker(other, 4)):
            done = await ClusterRun(md, an_experiment(repeats=1)).to_the_end()
        assert (done.done, done.failed) == (an_experiment(repeats=1).size, 0)


async def test_the_budget_of_all_workers_together_is_kept(tmp_path):
    url = a_database()
    async with a_machine(tmp_path / "a", url) as md, a_machine(tmp_path / "b", url) as other:
        wanted = replace(an_experiment(), budget=1.0)
        async with not_for_ever(), at_work(Worker(other, 4)):
            done = await ClusterRun(md, wanted).to_the_end()
        assert done.stopped == "budget"
        assert sum(r.cost_usd or 0 for r in rows(md, "sums")) <= 1.0


async def test_stopped_from_anywhere_nothing_that_waits_is_begun(tmp_path):
    async with a_machine(tmp_path / "a", a_database()) as md:
        asked = iter([False, False])
        run = ClusterRun(md, an_experiment(), is_stopped=lambda: next(asked, True))
        async with not_for_ever():  # nobody works here: without the stop it would never end
            done = await run.to_the_end()
        assert (done.stopped, done.done, done.failed) == ("stopped", 0, 0)
        assert md.queue.lengths()["waiting"] == 0


async def test_stopped_from_anywhere_debates_of_other_machines_pause_and_are_resumed(tmp_path):
    url = a_database()
    async with a_machine(tmp_path / "a", url) as md, a_machine(tmp_path / "b", url) as other:
        cast = Gated(other.provider)
        stopping = Stopping(cast, md)
        run = ClusterRun(md, an_experiment(), **stopping.ways)
        async with not_for_ever(), at_work(Worker(other, 4)):
            done = await stopping.ended(run)
            assert (done.stopped, done.failed) == ("stopped", 0)
            assert done.paused == 4
            again = await ClusterRun(md, an_experiment()).to_the_end()
        assert (again.failed, again.left) == (0, 0)
        assert len(cast.asks) == answers(md, "sums")


async def test_a_stopped_worker_leaves_its_debates_to_the_next(tmp_path):
    url = a_database()
    async with a_machine(tmp_path / "a", url) as md, a_machine(tmp_path / "b", url) as other:
        other.provider._delay = 3600.0
        run = asyncio.create_task(ClusterRun(md, an_experiment(repeats=1)).to_the_end())
        async with not_for_ever(), at_work(Worker(other, 4)):
            while not other.provider.asks:
                await asyncio.sleep(0.01)
            (seen,) = md.queue.workers()
            assert seen.alive
            assert seen.debates
        assert md.queue.workers() == []
        other.provider._delay = 0.0
        async with not_for_ever(), at_work(Worker(other, 4)):
            assert (await run).failed == 0


async def test_a_debate_on_another_machine_is_stopped_by_its_id(tmp_path):
    url = a_database()
    async with a_machine(tmp_path / "a", url) as md, a_machine(tmp_path / "b", url) as other:
        other.provider._delay = 3600.0
        run = asyncio.create_task(ClusterRun(md, an_experiment(repeats=1)).to_the_end())
        async with not_for_ever(), at_work(Worker(other, 4)):
            while len(other.provider.asks) < 8:
                await asyncio.sleep(0.01)
            for row in rows(md, "sums"):
                md.direct(row.transcript_id, Action.STOP)
            done = await run
        assert done.failed == an_experiment(repeats=1).size
        assert {r.status for r in rows(md, "sums")} == {Status.STOPPED}


def test_twenty_a_second_means_at_most_twenty_one_in_any_second_among_all_machines():
    url, turns, stop = a_database(), [], threading.Event()
    clock = "SELECT extract(epoch FROM tat)::double precision FROM buckets"

    def machine():
        queue = Queue(Server(url))
        while not stop.is_set():
            wait = queue.turn("acme", 1200)
            if wait:
                stop.wait(wait)
            else:
                turns.append(1)
        queue.close()

    queue = Queue(Server(url))
    queue.turn("acme", 1200)
    first = queue._run(clock)[0][0]
    machines = [threading.Thread(target=machine) for _ in range(4)]
    for thread in machines:
        thread.start()
    while len(turns) < 40:
        stop.wait(0.01)
    stop.set()
    for thread in machines:
        thread.join()
    # Each turn moves the time of the next one by a twentieth of a second at least.
    assert queue._run(clock)[0][0] - first >= len(turns) * 0.05 - 1e-4
    # ... and is given half of that too early at most.
    assert queue._run(clock)[0][0] <= time.time() + 0.05 * SLACK * 1.5 + 0.001
    queue.close()


def test_the_most_urgent_goes_first_and_nobody_takes_what_another_has():
    url = a_database()
    mine, theirs = Queue(Server(url)), Queue(Server(url))
    for n, priority in enumerate((0, 5, 0, 9)):
        mine.put(Job(transcript_id=f"{n}" * 8, owner="x", brief="{}", priority=priority))
    for name in ("a", "b"):
        mine.beat(name, "host", 1, "1", 2)
    first = {j.transcript_id[0] for j in mine.take("a", 2)}
    assert first == {"3", "1"}
    assert {j.transcript_id[0] for j in theirs.take("b", 9)} == {"0", "2"}
    assert theirs.take("b", 9) == []
    mine._run("UPDATE workers SET expires = clock_timestamp() WHERE name = 'a'")  # it is silent
    assert {j.transcript_id[0] for j in theirs.take("b", 9)} == first
    mine.finish("33333333", "a")  # whoever lost it does not end it
    assert mine.lengths() == {"waiting": 0, "running": 4, "done": 0, "failed": 0}
    mine.close()
    theirs.close()


def test_the_commands_say_what_they_need(monkeypatch):
    for words in (["worker"], ["workers"], ["db", "upgrade"]):
        result = dissent(*words)
        assert result.exit_code == 2
        assert "needs a PostgreSQL database; name one by --db" in result.stderr
    url = an_empty_database()
    assert "make them with: dissent db upgrade" in dissent("--db", url, "list").stderr
    assert "went from version 0" in dissent("--db", url, "db", "upgrade").stdout
    assert "is up to date" in dissent("--db", url, "db", "upgrade").stdout
    assert "There is no worker" in dissent("--db", url, "workers").stderr
    assert '"waiting": 0' in dissent("--db", url, "workers", "-o", "json").stdout
    assert "MUTUAL_DISSENT_DB" not in os.environ


def test_the_database_of_the_file_gives_way_to_the_environment(tmp_path):
    (tmp_path / "config.toml").write_text('[store]\nurl = "postgresql://file:pw-1@h/d"\n')
    (tmp_path / "config.toml").chmod(0o600)
    assert str(MutualDissent(home=tmp_path, env={}).place) == "postgresql://file@h/d"
    env = {"MUTUAL_DISSENT_DB": "postgresql://env:pw-2@h/d"}
    md = MutualDissent(home=tmp_path, env=env)
    assert str(md.place) == "postgresql://env@h/d"
    shown = f"{md.place!r} {md.settings!r} {md.settings.snapshot()}"
    assert "pw-1" not in shown
    assert "pw-2" not in shown
    with pytest.raises(BadInput):
        _ = MutualDissent(home=tmp_path / "none", env={}).queue
    with pytest.raises(StoreError):
        MutualDissent(
            home=tmp_path, env={"MUTUAL_DISSENT_DB": "postgresql://127.0.0.1:9/d"}
        ).store.ids()
