"""Promises of holding: one process works on a debate at a time, and a dead one lets go."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import threading

import pytest

from fakes.logs import a_log, an_id
from mutual_dissent.core.errors import Held
from mutual_dissent.core.events import Status
from mutual_dissent.store.store import Store

HOLDER = (
    "import sys\n"
    "from mutual_dissent.store.store import Store\n"
    "with Store(sys.argv[1]) as store, store.hold(sys.argv[2]):\n"
    "    print('held', flush=True)\n"
    "    sys.stdin.read()\n"
)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "home" / "dissent.db") as store:
        store.check_writable()
        yield store


@pytest.fixture
def other(store):
    """Another process that holds a debate until it is told to let go."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, store.path, an_id()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_process_is_refused_with_the_first_ones_number(store, other):
    with pytest.raises(Held, match=f"process {other.pid}"), store.hold(an_id()):
        pass
    assert store.holder(an_id()) == other.pid


def test_other_debates_are_free_meanwhile(store, other):
    with store.hold(an_id(1)):
        pass


def test_a_killed_process_lets_go_at_once(store, other):
    other.kill()
    other.wait()
    with store.hold(an_id()):
        assert store.holder(an_id()) == os.getpid()
    assert store.holder(an_id()) is None


def test_the_number_of_a_dead_process_is_written_over_whole(store):
    locks = store.path.parent / "locks"
    locks.mkdir(exist_ok=True)
    (locks / f"{an_id()}.lock").write_text("1234567890123\n")
    with store.hold(an_id()):
        assert store.holder(an_id()) == os.getpid()


def test_letting_go_leaves_no_file_behind(store, other):
    other.communicate(b"")
    with store.hold(an_id()):
        pass
    assert list((store.path.parent / "locks").iterdir()) == []


def test_one_process_does_not_work_on_a_debate_twice_either(store):
    with store.hold(an_id()):
        with pytest.raises(Held, match="this very process"), store.hold(an_id()):
            pass
        assert store.holder(an_id()) == os.getpid()


def test_a_held_debate_cannot_be_deleted(store, other):
    store.save(a_log())
    with pytest.raises(Held):
        store.delete(an_id())
    assert store.ids() == [an_id()]


def test_an_unfinished_debate_is_active_while_held_and_interrupted_otherwise(store, other):
    store.save(a_log(0, closed=False))
    store.save(a_log(1, closed=False))
    store.save(a_log(2))
    assert store.transcript(an_id(0)).status is Status.ACTIVE
    assert store.transcript(an_id(1)).status is Status.INTERRUPTED
    by_status = {s: [r.transcript_id for r in store.list(status=s)] for s in Status}
    assert by_status[Status.ACTIVE] == [an_id(0)]
    assert by_status[Status.INTERRUPTED] == [an_id(1)]
    assert by_status[Status.COMPLETED] == [an_id(2)]
    assert [r.status.value for r in store.list()] == ["completed", "interrupted", "active"]
    assert store.count(status="interrupted") == 1


def test_of_many_that_try_at_once_exactly_one_holds(store):
    go, done, won = threading.Barrier(8), threading.Barrier(8), []

    def attempt():
        go.wait()
        try:
            with store.hold(an_id()):
                won.append(1)
                done.wait(10)
        except Held:
            done.wait(10)

    threads = [threading.Thread(target=attempt) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1


def test_looking_whether_a_debate_is_held_never_makes_a_holder_fail(store):
    (store.path.parent / "locks").mkdir(exist_ok=True)
    (store.path.parent / "locks" / f"{an_id()}.lock").touch(mode=0o600)  # of one that died
    stop = threading.Event()

    def look():
        while not stop.is_set():
            store.holder(an_id())

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        for _ in range(50):
            with store.hold(an_id()):
                pass
    finally:
        stop.set()
        watcher.join()


def test_where_files_cannot_be_locked_a_row_holds(store, monkeypatch):
    def unsupported(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    store.save(a_log(closed=False))
    with store.hold(an_id()):
        with pytest.raises(Held, match="this very process"), store.hold(an_id()):
            pass
        assert store.transcript(an_id()).status is Status.ACTIVE
    with store.hold(an_id()):
        pass
    store._access.readable().execute(
        "INSERT INTO holders VALUES (:name, 999999999, '1')", name=an_id()
    )
    with store.hold(an_id()):  # that process is dead
        pass
