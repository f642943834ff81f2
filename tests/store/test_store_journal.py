"""Promises of the journal: what it has taken is on disk, in order, whole, and only once."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

from fakes.databases import BOTH, a_place
from fakes.logs import a_log, an_id
from mutual_dissent.core.errors import BadInput, Held, NotFound, NotSaved, StoreError
from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import fold
from mutual_dissent.store.access import open_database
from mutual_dissent.store.debates.row import write
from mutual_dissent.store.store import Store


@pytest.fixture
def file(tmp_path):
    with Store(tmp_path / "home" / "debates.db") as store:
        yield store


@pytest.fixture(params=BOTH)
def store(request, tmp_path):
    with Store(a_place(request.param, tmp_path)) as store:
        yield store


async def test_what_was_appended_is_read_back_equal(store):
    log = a_log()
    journal = store.journal(an_id())
    await journal.append(log[:3])
    await journal.append(log[3:])
    assert store.events(an_id()) == log
    assert store.transcript(an_id()) == fold(log)


async def test_an_appended_event_is_in_the_file_for_another_process_at_once(file):
    await file.journal(an_id()).append(a_log()[:2])
    script = (
        "import sqlite3, sys\n"
        "print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM events').fetchone()[0])"
    )
    found = subprocess.run(
        [sys.executable, "-c", script, file.path], capture_output=True, text=True, check=True
    )
    assert found.stdout == "2\n"


async def test_a_killed_writer_loses_nothing_that_was_acknowledged(tmp_path):
    path = tmp_path / "home" / "debates.db"
    script = (
        "import asyncio, os, sys\n"
        "from fakes.logs import a_log, an_id\n"
        "from mutual_dissent.store.store import Store\n"
        "async def main():\n"
        "    journal = Store(sys.argv[1]).journal(an_id())\n"
        "    for event in a_log()[:7]:\n"
        "        await journal.append([event])\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())"
    )
    killed = subprocess.run([sys.executable, "-c", script, path], env=_tests_path(), check=False)
    assert killed.returncode == -9
    with Store(path) as store:
        assert store.events(an_id()) == a_log()[:7]
        assert store.transcript(an_id()).status is Status.INTERRUPTED


def test_every_commit_waits_for_the_disk(file):
    db = open_database(file.path)
    assert db.column("PRAGMA journal_mode") == ["wal"]
    assert db.column("PRAGMA synchronous") == [2]  # FULL
    db.close()


async def test_many_debates_at_once_share_their_syncs(store):
    async def one(n):
        journal = store.journal(an_id(n))
        for event in a_log(n):
            await journal.append([event])

    await asyncio.gather(*(one(n) for n in range(100)))
    appends = 100 * len(a_log())
    assert store.count() == 100
    assert store.commits < appends / 10


async def test_the_event_loop_goes_on_while_the_disk_is_slow(file):
    await file.journal(an_id(1)).append(a_log(1)[:1])
    blocker = sqlite3.connect(file.path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")  # nobody else can write now
    waiting = asyncio.ensure_future(file.journal(an_id(2)).append(a_log(2)[:1]))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not waiting.done()
    blocker.execute("ROLLBACK")
    blocker.close()
    await waiting
    assert file.count() == 2


@pytest.mark.parametrize("seqs", [[2], [1, 3], [1, 1], [0], []])
async def test_events_out_of_order_are_refused_and_nothing_is_written(store, seqs):
    log = a_log()
    events = [log[0 if s <= 1 else s - 1].with_seq(s) for s in seqs]
    if seqs:
        with pytest.raises(StoreError):
            await store.journal(an_id()).append(events)
    else:
        await store.journal(an_id()).append(events)
    with pytest.raises(NotFound):
        store.events(an_id())


async def test_a_second_writer_of_the_same_debate_is_refused_and_the_first_goes_on(store):
    log = a_log()
    await store.journal(an_id()).append(log[:4])
    with Store(store.path) as other, pytest.raises(Held, match="another process"):
        await other.journal(an_id()).append(log[2:6])
    await store.journal(an_id()).append(log[4:])
    assert store.events(an_id()) == log


async def test_one_refused_append_does_not_spoil_the_others_in_its_batch(store):
    await store.journal(an_id(0)).append(a_log(0))
    results = await asyncio.gather(
        *(store.journal(an_id(n)).append(a_log(n)) for n in range(6)), return_exceptions=True
    )
    assert isinstance(results[0], Held)
    assert results[1:] == [None] * 5
    assert store.count() == 6


async def test_text_that_is_not_unicode_is_refused_with_a_sentence(store):
    log = a_log()
    bad = a_log(1)
    object.__setattr__(bad[0].brief, "query", "half a character: \ud800")
    with pytest.raises(StoreError, match="cannot be stored"):
        await store.journal(an_id(1)).append(bad)
    await store.journal(an_id()).append(log)


async def test_a_number_too_large_for_the_database_is_refused_alone(store):
    bad = a_log(1)
    object.__setattr__(bad[3].response, "token_count", 2**63)
    results = await asyncio.gather(
        store.journal(an_id(1)).append(bad),
        store.journal(an_id(2)).append(a_log(2)),
        return_exceptions=True,
    )
    assert isinstance(results[0], StoreError)
    assert results[1] is None


async def test_a_waiter_that_gave_up_does_not_stop_the_writing(store):
    waiting = asyncio.ensure_future(store.journal(an_id()).append(a_log()))
    await asyncio.sleep(0)
    waiting.cancel()
    await store.journal(an_id(1)).append(a_log(1))
    assert store.events(an_id()) == a_log()


def test_debates_run_from_several_threads_and_loops(store):
    def run(n):
        asyncio.run(store.journal(an_id(n)).append(a_log(n)))

    threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.count() == 8


@pytest.mark.slow
def test_eight_processes_with_two_hundred_records_each_lose_and_mix_nothing(tmp_path):
    path = tmp_path / "home" / "debates.db"
    script = (
        "import asyncio, sys\n"
        "from fakes.logs import START, a_log, an_id\n"
        "from mutual_dissent.core.events import Noted\n"
        "from mutual_dissent.store.store import Store\n"
        "async def main(n):\n"
        "    with Store(sys.argv[1]) as store:\n"
        "        journal = store.journal(an_id(n))\n"
        "        await journal.append(a_log(n)[:1])\n"
        "        for seq in range(2, 201):\n"
        "            note = Noted(at=START, seq=seq, code=str(n), text=f'{n}.{seq}')\n"
        "            await journal.append([note])\n"
        "asyncio.run(main(int(sys.argv[2])))"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", script, path, str(n)], env=_tests_path())
        for n in range(8)
    ]
    assert [w.wait() for w in writers] == [0] * 8
    with Store(path) as store:
        for n in range(8):
            notes = store.events(an_id(n))[1:]
            assert [e.text for e in notes] == [f"{n}.{seq}" for seq in range(2, 201)]


async def test_an_append_costs_little_processor_time(file):
    log = a_log()
    await file.journal(an_id()).append(log)
    before = time.process_time()

    async def one(n):
        journal = file.journal(an_id(n))
        for event in a_log(n):
            await journal.append([event])

    await asyncio.gather(*(one(n) for n in range(1, 41)))
    spent = (time.process_time() - before) / (40 * len(log))
    assert spent < 0.02  # about 0.15 ms when idle: the bound is for a busy machine


BAD_IDS = """
abc|../../etc/passwd|..\\..\\x|%2e%2e%2f%2e%2e|/etc/passwd|~|con|ABCDEF12|-abcd1234|--------|
abcd 1234|abcd1234;|abcd1234'|äbcd1234|abcd*234|abcd%234|abcd_234|./abcd1234|abcd1234/..|$(abcd12)
""".replace("\n", "").split("|")


@pytest.mark.parametrize(
    "bad", [*BAD_IDS, "", "a" * 41, "a" * 300, "abcd\x001234", "abcd1234\n", "\u202eabcd1234"]
)
def test_an_id_that_cannot_be_one_is_refused_before_anything_is_touched(file, bad):
    for use in (
        file.find,
        file.events,
        file.transcript,
        file.delete,
        file.journal,
        file.hold,
    ):
        with pytest.raises(BadInput, match="not a debate's id"):
            use(bad)
    assert not file.path.parent.exists()


async def test_a_debate_is_found_by_any_unique_beginning_of_its_id(store):
    ids = sorted(an_id(n) for n in range(40))
    for n in range(40):
        await store.journal(an_id(n)).append(a_log(n)[:1])
    assert store.find(ids[7][:8]) == ids[7]
    assert store.find(ids[7]) == ids[7]
    with pytest.raises(NotFound, match="dissent list"):
        store.find("00000000")


async def test_an_ambiguous_beginning_names_the_candidates(store):
    for last in "abc":
        log = a_log()
        transcript_id = f"deadbeef-0000-4000-8000-00000000000{last}"
        object.__setattr__(log[0].brief, "transcript_id", transcript_id)
        await store.journal(transcript_id).append(log)
    with pytest.raises(BadInput, match=r"several debates begin with deadbeef: .*00a, .*00b, .*00c"):
        store.find("deadbeef")
    assert store.find("deadbeef-0000-4000-8000-00000000000b").endswith("b")


async def test_a_deleted_debate_is_gone_with_its_text_and_its_costs(store):
    for n in range(2):
        await store.journal(an_id(n)).append(a_log(n))
    before = store.totals("all")[0]
    store.delete(an_id(0))
    after = store.totals("all")[0]
    assert store.ids() == [an_id(1)]
    assert len(store.list(text="canberra")) == 1
    assert (after.calls, after.tokens) == (before.calls // 2, before.tokens // 2)
    assert after.cost_usd == pytest.approx(before.cost_usd / 2)
    store.delete(an_id(1))
    assert store.totals("all") == []
    with pytest.raises(NotFound):
        store.delete(an_id(1))


def test_a_later_database_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "home" / "debates.db"
    with Store(path) as store:
        store.check_writable()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with Store(path) as store, pytest.raises(StoreError, match=r"later version.*upgrade"):
        store.list()


def test_something_else_than_a_database_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "home" / "debates.db"
    path.parent.mkdir()
    path.write_text("These are my notes, not a database. " * 200)
    with Store(path) as store, pytest.raises(StoreError, match="not a database"):
        store.list()
    assert path.read_text().startswith("These are my notes")


def test_processes_that_start_together_on_a_new_home_all_succeed(tmp_path):
    path = tmp_path / "home" / "debates.db"
    script = (
        "import sys\nfrom mutual_dissent.store.store import Store\n"
        "with Store(sys.argv[1]) as s: s.check_writable()"
    )
    started = [subprocess.Popen([sys.executable, "-c", script, path]) for _ in range(6)]
    assert [p.wait() for p in started] == [0] * 6


def test_a_new_home_that_others_are_busy_making_is_waited_for(tmp_path):
    path = tmp_path / "debates.db"
    path.touch(0o600)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(1.5, other.close)
    release.start()
    with Store(path) as store:
        store.check_writable()
    release.join()


def test_reading_a_home_without_debates_makes_no_files(file):
    assert file.list() == []
    assert file.count() == 0
    assert file.totals() == []
    with pytest.raises(NotFound):
        file.find(an_id())
    assert not file.path.parent.exists()


async def test_what_could_not_be_saved_can_be_saved_later(file):
    log = a_log()
    journal = file.journal(an_id())
    await journal.append(log[:3])
    file._writer._db.execute("PRAGMA query_only = ON")  # as a disk that turns read-only
    with pytest.raises(NotSaved, match="read-only"):
        await journal.append(log[3:5])
    file._writer._db.execute("PRAGMA query_only = OFF")
    await journal.append(log[5:])
    assert file.events(an_id()) == log


def _tests_path():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


async def test_a_slow_disk_that_answers_fill_keeps_nobody_of_this_process_out(file, monkeypatch):
    commits = 30

    def slowly(db, change):
        time.sleep(0.05)
        return write(db, change)

    monkeypatch.setattr("mutual_dissent.store.access.write", slowly)
    log, journal = a_log(), file.journal(an_id())
    await journal.append(log[:1])

    async def busy() -> None:
        for number in range(1, commits):
            await file.journal(an_id(number)).append(a_log(number)[:1])

    filling = asyncio.create_task(asyncio.to_thread(asyncio.run, busy()))
    while file.commits < 3:
        await asyncio.sleep(0.001)
    before = file.commits
    await asyncio.to_thread(file.rate, an_id(), 5)
    assert file.commits - before <= 2
    await filling
    assert file.commits == commits
