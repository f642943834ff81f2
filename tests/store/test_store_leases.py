"""Promises of holds on PostgreSQL: one holder among all machines, and a dead one lets go."""

from __future__ import annotations

import os
import threading

import pytest

from fakes.command_line import dissent, wait_until
from fakes.databases import a_database, an_empty_database
from fakes.logs import a_log, an_id
from mutual_dissent.core.errors import BadInput, Held, StoreError
from mutual_dissent.core.events import Status
from mutual_dissent.store.postgres.schema import LATEST, upgrade
from mutual_dissent.store.postgres.server import PostgresServer
from mutual_dissent.store.postgres.tables import STEPS
from mutual_dissent.store.store import Store
from mutual_dissent.store.tokens import Tokens

pytestmark = pytest.mark.postgres


@pytest.fixture
def url():
    return a_database()


@pytest.fixture
def store(url):
    with Store(PostgresServer(url)) as store:
        yield store


@pytest.fixture
def other(url):
    """The same record as another machine sees it."""
    with Store(PostgresServer(url)) as store:
        yield store


def test_a_debate_has_one_holder_among_all_machines(store, other):
    with store.hold(an_id()):
        with pytest.raises(Held, match=f"process {os.getpid()}"), other.hold(an_id()):
            pass
        with pytest.raises(Held, match="this very process"), store.hold(an_id()):
            pass
        assert other.holder(an_id()) == os.getpid()
    with other.hold(an_id()):
        pass
    assert store.holder(an_id()) is None


def test_of_many_that_try_at_once_exactly_one_holds_the_lease(store, other):
    go, done, won = threading.Barrier(8), threading.Barrier(8), []

    def attempt(n):
        go.wait()
        try:
            with (store, other)[n % 2].hold(an_id()):
                won.append(1)
                done.wait(60)
        except Held:
            done.wait(60)

    threads = [threading.Thread(target=attempt, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1


def test_a_lease_is_renewed_as_long_as_its_holder_lives(url, other):
    with Store(PostgresServer(url, lease=0.3)) as store, store.hold(an_id()):
        first = _expiry(other)
        wait_until(lambda: _expiry(other) > first)
        with pytest.raises(Held), other.hold(an_id()):
            pass


async def test_who_lost_its_lease_cannot_append_any_more(store, other):
    log = a_log()
    with store.hold(an_id()):
        await store.journal(an_id()).append(log[:3])
        _run_out(other)
        with other.hold(an_id()):  # as if the first one had been frozen for too long
            with pytest.raises(Held):
                await store.journal(an_id()).append(log[3:5])
            await other.journal(an_id()).append(log[3:])
    with pytest.raises(Held):
        await store.journal(an_id()).append(log[3:5])
    assert other.events(an_id()) == log


def test_an_unfinished_debate_is_active_while_any_machine_holds_it(store, other):
    store.save_all([a_log(0, closed=False), a_log(1, closed=False), a_log(2)])
    assert store.count(status="interrupted") == 2
    with other.hold(an_id(0)):
        assert [r.status.value for r in store.list()] == ["completed", "interrupted", "active"]
        assert store.count(status="interrupted") == 1
        assert store.transcript(an_id(0)).status is Status.ACTIVE
        with pytest.raises(Held):
            store.delete(an_id(0))


async def test_a_server_that_was_restarted_costs_no_answer(store, other):
    log = a_log()
    with store.hold(an_id()):
        for event in log:
            await store.journal(an_id()).append([event])
            other._access.writable().execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
    assert other.events(an_id()) == log


def test_the_tables_are_made_by_one_command_and_by_nothing_else():
    server = PostgresServer(an_empty_database())
    with Store(server) as store, pytest.raises(StoreError, match="dissent db upgrade"):
        store.ids()
    db = server.connect()
    assert upgrade(db, "it") == (0, LATEST)
    assert upgrade(db, "it") == (LATEST, LATEST)
    with Store(server) as store:
        assert store.ids() == []
    db.execute("UPDATE dissent_version SET version = 99")
    db.close()
    with Store(server) as store, pytest.raises(StoreError, match="later version"):
        store.ids()


def test_a_database_of_an_earlier_version_is_brought_up_to_date_with_what_is_in_it():
    server = PostgresServer(an_empty_database())
    db = server.connect()
    db.script(STEPS[0])
    db.script("CREATE TABLE dissent_version (version bigint NOT NULL)")
    db.script("INSERT INTO dissent_version VALUES (1)")
    with Store(server) as store, pytest.raises(StoreError, match="made by an earlier version"):
        store.ids()
    db.script("INSERT INTO buckets VALUES ('acme', clock_timestamp())")
    assert upgrade(db, "it") == (1, LATEST)
    assert db.column("SELECT name FROM buckets") == ["acme"]
    db.close()


def test_what_waited_in_the_queue_of_an_earlier_version_is_named_with_the_way_on():
    url = an_empty_database()
    db = PostgresServer(url).connect()
    for step in STEPS[:4]:
        db.script(step)
    db.script("CREATE TABLE dissent_version (version bigint NOT NULL)")
    db.script("INSERT INTO dissent_version VALUES (4)")
    for name, state in ((an_id(0), "waiting"), (an_id(1), "running"), (an_id(2), "done")):
        db.execute(
            "INSERT INTO jobs (transcript_id, owner, brief, state) "
            "VALUES (:name, 'my sums', '', :state)",
            name=name,
            state=state,
        )
    said = dissent("--db", url, "db", "upgrade")
    assert said.exit_code == 0
    assert "2 debates of my sums waited in a queue that is gone" in said.stdout
    assert "dissent experiment resume 'my sums' --cluster" in said.stdout
    gone = "SELECT to_regclass(name) FROM unnest(ARRAY['jobs', 'workers', 'pauses']) AS t (name)"
    assert db.column(gone) == [None, None, None]
    db.close()
    assert "queue" not in dissent("--db", url, "db", "upgrade").stdout


@pytest.mark.parametrize(
    "url", ["", "mysql://h/d", "postgresql://", "postgresql://h", "postgresql://h:99999/d", "x y"]
)
def test_what_is_no_url_is_refused_without_repeating_it(url):
    with pytest.raises(BadInput, match="postgresql://USER:PASSWORD@HOST:5432/NAME"):
        PostgresServer(url)


def test_a_password_is_in_no_message():
    server = PostgresServer("postgresql://ada:s3cr3t-word@127.0.0.1:9/panel?sslpassword=hidden-too")
    with pytest.raises(StoreError) as caught:
        server.open()
    told = f"{caught.value} {server} {server!r} {caught.value.__cause__!r}"
    assert "s3cr3t-word" not in told
    assert "hidden-too" not in told
    assert "ada@127.0.0.1:9/panel" in told


def test_tokens_are_kept_on_the_server_too(url):
    from fakes.logs import START

    mine, theirs = Tokens(PostgresServer(url)), Tokens(PostgresServer(url))
    mine.new("laptop", START, budget_usd=2.5)
    with pytest.raises(BadInput, match="there is a token called 'laptop'"):
        theirs.new("laptop", START)
    theirs.charge({"laptop": 0.5})
    assert [(t.name, t.spent_usd) for t in mine.active()] == [("laptop", 0.5)]
    mine.close()
    theirs.close()


def _expiry(store):
    return store._access.readable().column("SELECT expires FROM leases")[0]


def _run_out(store):
    store._access.writable().execute("UPDATE leases SET expires = clock_timestamp()")
