"""A debate whose record cannot be written goes on, says so, and loses nothing that was paid for."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest

from fakes.cluster import an_experiment
from fakes.command_line import PROGRAM
from fakes.databases import a_database
from fakes.gate import CAST, Gate
from fakes.ledgers import unread
from fakes.logs import a_log, an_id
from fakes.outages import KINDS, LOCKED, impatient, outage
from fakes.patience import not_for_ever
from fakes.stopping import answers
from fakes.temporal import a_site
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import NotWritable
from mutual_dissent.core.events import Closed, Status
from mutual_dissent.experiments.run.registry import rows
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.store.postgres.checkup import checkup
from mutual_dissent.store.postgres.server import PostgresServer
from mutual_dissent.store.store import Store
from mutual_dissent.views.heading import heading


class LongWinded(Gate):
    """Says more than a full disk has room for."""

    async def ask(self, ask, on_text):
        said = await super().ask(ask, on_text)
        return replace(said, content=said.content + " word" * 2_000)


@pytest.fixture
async def world(tmp_path, monkeypatch):
    impatient(monkeypatch)
    provider = LongWinded()
    async with MutualDissent(
        home=unread(tmp_path), env={}, provider=provider, prices=Tariff()
    ) as md:
        yield md, provider


@pytest.fixture
async def sessions(world):
    hosted = Sessions(world[0])
    yield hosted
    await hosted.aclose()


async def begun(world, sessions):
    """A debate that waits for its first answers; everything is open that will be."""
    md, provider = world
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    while len(provider.asks) + len(sessions.partial(name)) < 2:
        await asyncio.sleep(0.01)
    md.store.check_writable()
    return name


async def settled(store):
    async with not_for_ever():
        while store.in_debt:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("kind", KINDS)
async def test_paid_answers_are_on_record_once_it_can_be_written_again(world, sessions, kind):
    md, provider = world
    name = await begun(world, sessions)
    with outage(md.store, kind):
        provider.open.set()
        done = await sessions.wait(name, 60)
        assert done.status is Status.COMPLETED
        assert done.synthesis is not None
        assert len(dict(done.responses())) == len(provider.asks) == 5
    await settled(md.store)
    with Store(md.home.database) as fresh:
        kept = fresh.transcript(name)
    assert dict(kept.responses()) == dict(done.responses())
    assert kept.status is Status.COMPLETED
    assert not kept.unsaved


@pytest.mark.parametrize("kind", KINDS)
async def test_while_it_is_not_saved_state_heading_and_log_say_so(world, sessions, kind, caplog):
    md, provider = world
    name = await begun(world, sessions)
    with outage(md.store, kind):
        provider.open.set()
        await sessions.wait(name, 60)
        shown = sessions.transcript(name)
        assert "could not be written" in shown.unsaved
        assert "Not saved: " in heading(shown)
        assert [r.status for r in md.store.list()] == [Status.COMPLETED]
        assert [n.code for n in shown.notes] == ["not_saved"]
        assert f"debate {name[:8]}: not_saved: " in caplog.text
    await settled(md.store)
    assert "Not saved" not in heading(sessions.transcript(name))


async def test_a_debate_that_recovers_says_that_it_is_saved(world, sessions, caplog):
    md, provider = world
    name = await begun(world, sessions)
    with outage(md.store, LOCKED):
        provider.open.set()
        while not sessions.transcript(name).unsaved:
            await asyncio.sleep(0.01)
        provider.open.clear()
    await settled(md.store)
    provider.open.set()
    done = await sessions.wait(name, 60)
    assert [n.code for n in done.notes] == ["not_saved", "saved"]
    assert not done.unsaved
    assert f"debate {name[:8]}: saved: " in caplog.text


@pytest.mark.parametrize("kind", KINDS)
async def test_a_resumed_debate_buys_nothing_again_that_was_bought_in_an_outage(
    world, sessions, kind
):
    md, provider = world
    name = await begun(world, sessions)
    with outage(md.store, kind):
        provider.open.set()
        while not sessions.transcript(name).unsaved:
            await asyncio.sleep(0.01)
        provider.open.clear()
        sessions._live[name].task.cancel()
        while name in sessions.live:
            await asyncio.sleep(0.01)
        asked = len(provider.asks)
        kept = dict(sessions.transcript(name).responses())
        assert len(kept) >= 2
        with pytest.raises(NotWritable):
            await sessions.resume(name)
    provider.open.set()
    await settled(md.store)
    await sessions.resume(name)
    done = await sessions.wait(name, 60)
    assert done.status is Status.COMPLETED
    assert kept.items() <= dict(done.responses()).items()
    assert len(provider.asks) - asked == 5 - len(kept)


async def test_whoever_leaves_in_an_outage_waits_until_it_is_saved(tmp_path, monkeypatch):
    impatient(monkeypatch)
    provider = LongWinded()
    md = MutualDissent(home=unread(tmp_path), env={}, provider=provider, prices=Tariff())
    async with md:
        events = md.stream("Tabs or spaces?", panel=CAST)
        opened = await anext(events)
        lock = sqlite3.connect(md.home.database, isolation_level=None, check_same_thread=False)
        lock.execute("BEGIN IMMEDIATE")
        provider.open.set()
        ended = [e async for e in events if isinstance(e, Closed)]
        assert ended[0].status is Status.COMPLETED
        asyncio.get_running_loop().call_later(0.3, lock.close)
    with Store(md.home.database) as fresh:
        assert fresh.transcript(opened.brief.transcript_id).status is Status.COMPLETED


async def test_a_queued_debate_waits_and_is_not_called_interrupted(world):
    md, provider = world
    sessions = Sessions(md, running=1)
    names = [await sessions.start(f"Question {n}?", panel=CAST) for n in range(2)]
    while not sessions.waiting:
        await asyncio.sleep(0.01)
    rows_ = {r.transcript_id: r.status for r in md.store.list()}
    assert rows_[names[1]] is Status.CREATED
    assert md.store.count(status="interrupted") == 0
    assert md.store.transcript(names[1]).status is Status.CREATED
    assert "Interrupted" not in heading(md.store.transcript(names[1]))
    provider.open.set()
    for name in names:
        assert (await sessions.wait(name, 60)).status is Status.COMPLETED
    await sessions.aclose()


async def listed(home):
    """What `dissent list` shows in a process of its own: id -> status."""
    command = [*PROGRAM, "list"]
    env = {**os.environ, "MUTUAL_DISSENT_HOME": str(home), "COLUMNS": "200"}
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()[1:]]
    return {words[0]: words[3] for words in lines}


async def test_another_process_sees_that_a_debate_is_queued_and_when_nobody_will_hold_it(world):
    md, provider = world
    sessions = Sessions(md, running=1)
    names = [await sessions.start(f"Question {n}?", panel=CAST) for n in range(3)]
    while sessions.waiting < 2:
        await asyncio.sleep(0.01)
    first, second, third = (name[:8] for name in names)
    assert await listed(md.home.root) == {first: "active", second: "queued", third: "queued"}
    await sessions.stop(names[1])
    assert (await listed(md.home.root))[second] == "interrupted"
    provider.open.set()
    assert (await sessions.wait(names[2], 60)).status is Status.COMPLETED
    await sessions.aclose()
    assert not list((md.home.root / "locks").iterdir())


def test_what_a_killed_process_had_queued_is_interrupted(tmp_path):
    with Store(tmp_path / "home" / "dissent.db") as store:
        store.save(a_log(closed=False))
        other = subprocess.Popen(
            [sys.executable, "-c", QUEUER, store.path, an_id()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert other.stdout.readline() == b"queued\n"
        assert store.is_queued(an_id())
        assert store.transcript(an_id()).status is not Status.INTERRUPTED
        other.kill()
        other.communicate()
        assert not store.is_queued(an_id())
        assert store.transcript(an_id()).status is Status.INTERRUPTED


QUEUER = (
    "import sys\n"
    "from mutual_dissent.store.store import Store\n"
    "with Store(sys.argv[1]) as store, store.announce_wait(sys.argv[2]):\n"
    "    print('queued', flush=True)\n"
    "    sys.stdin.read()\n"
)


@pytest.mark.postgres
def test_other_machines_see_that_a_debate_is_queued():
    server = PostgresServer(a_database())
    with Store(server) as store, Store(server) as other:
        store.save(a_log(closed=False))
        with store.announce_wait(an_id()):
            assert other.transcript(an_id()).status is not Status.INTERRUPTED
            assert other.holder(an_id()) is None
            assert not [f for f in checkup(server, fix=False) if f.kind == "abandoned"]
        assert other.transcript(an_id()).status is Status.INTERRUPTED


@pytest.mark.postgres
@pytest.mark.temporal
async def test_a_worker_asks_nothing_more_while_what_it_bought_cannot_be_put_on_record(
    tmp_path, monkeypatch
):
    impatient(monkeypatch)
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        worker = await site.worker()
        provider, store = worker.md.provider, worker.md.store
        provider._delay = 0.02
        await site.begun(an_experiment())
        while len(provider.asks) < 6:
            await asyncio.sleep(0.01)
        with outage(store, LOCKED):
            while not store.in_debt:
                await asyncio.sleep(0.01)
            in_flight = len(provider.asks)
            await asyncio.sleep(1.0)  # in which it would hold all debates to their end
            assert len(provider.asks) <= in_flight + 4
            assert worker.held < an_experiment().size
        done = await site.ended(an_experiment())
        assert (done.done, done.failed) == (an_experiment().size, 0), done.problems
        assert {r.status for r in rows(site.md, "sums")} == {Status.COMPLETED}
        assert len(provider.asks) == answers(site.md, "sums")


@pytest.mark.postgres
@pytest.mark.temporal
async def test_a_cluster_buys_nothing_twice_and_ends_although_its_lines_are_cut(tmp_path):
    url = a_database()
    async with not_for_ever(), a_site(tmp_path / "site", url) as site:
        worker = await site.worker()
        provider = worker.md.provider
        provider._delay = 0.05
        await site.begun(an_experiment(repeats=3))
        for cuts in range(1, 7):
            while len(provider.asks) < 6 * cuts:
                await asyncio.sleep(0.01)
            await asyncio.to_thread(cut_lines, url)
        done = await site.ended(an_experiment(repeats=3))
        assert (done.done, done.failed) == (an_experiment(repeats=3).size, 0), done.problems
        assert {r.status for r in rows(site.md, "sums")} == {Status.COMPLETED}
        assert len(provider.asks) == answers(site.md, "sums")


def cut_lines(url):
    """Do to everybody what a server does that is started anew."""
    db = PostgresServer(url).connect()
    db.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    db.close()
