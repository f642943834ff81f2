"""Promises of a record that many machines write: nobody waits for others, and nothing is missed."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from fakes.databases import a_database, an_empty_database
from fakes.logs import a_log, an_id, with_query
from fakes.outages import impatient
from fakes.patience import not_for_ever
from mutual_dissent.core.errors import Held
from mutual_dissent.core.events import Answered
from mutual_dissent.store.database import DatabaseError
from mutual_dissent.store.postgres.schema import LATEST, upgrade
from mutual_dissent.store.postgres.server import PostgresServer
from mutual_dissent.store.postgres.tables import STEPS
from mutual_dissent.store.store import Store

pytestmark = pytest.mark.postgres


@pytest.fixture
def server():
    return PostgresServer(a_database())


@pytest.fixture
def store(server):
    with Store(server) as store:
        yield store


@pytest.fixture
def other(server):
    with Store(server) as store:
        yield store


async def test_nobody_waits_for_somebody_who_writes_to_another_debate(store, server):
    for n in range(2):
        await store.journal(an_id(n)).append(a_log(n)[:2])
    slow = server.connect()
    slow.begin()
    slow.execute("UPDATE debates SET rating = 3 WHERE transcript_id = :name", name=an_id(0))
    slow.execute(
        "INSERT INTO ledger (day, vendor, model_id, calls, unpriced, tokens, input_tokens, "
        "output_tokens) SELECT DISTINCT day, vendor, model_id, 1, 0, 1, 1, 1 FROM ledger "
        "ON CONFLICT (day, vendor, model_id) DO UPDATE SET calls = 1"
    )
    waiting = asyncio.create_task(Store(server).journal(an_id(0)).append(a_log(0)[2:]))
    async with not_for_ever():
        await store.journal(an_id(1)).append(a_log(1)[2:])
    assert not waiting.done()
    slow.execute("COMMIT")
    slow.close()
    await waiting
    assert [store.events(an_id(n)) for n in range(2)] == [a_log(0), a_log(1)]


async def test_appends_that_wait_are_one_statement_and_one_commit(store):
    journals = [store.journal(an_id(n)) for n in range(40)]
    logs = [a_log(n) for n in range(40)]
    await store.journal(an_id(99)).append(a_log(99)[:1])
    before = store.commits
    await asyncio.gather(*(j.append(log) for j, log in zip(journals, logs, strict=True)))
    assert store.commits - before <= 10  # one by one it would be 40
    assert [store.events(an_id(n)) for n in range(40)] == logs


async def test_an_append_of_several_that_does_not_fit_spoils_no_other(store, other):
    for n in range(3):
        await store.journal(an_id(n)).append(a_log(n)[:2])
    await other.journal(an_id(1)).append(a_log(1)[2:4])
    outcome = await asyncio.gather(
        *(store.journal(an_id(n)).append(a_log(n)[2:]) for n in range(3)), return_exceptions=True
    )
    assert [type(e) for e in outcome] == [type(None), Held, type(None)]
    assert store.events(an_id(1)) == a_log(1)[:4]
    assert [store.events(an_id(n)) for n in (0, 2)] == [a_log(0), a_log(2)]


async def test_several_appends_of_one_debate_that_wait_together_are_written_in_order(store):
    log, journal = a_log(), store.journal(an_id())
    await asyncio.gather(*(journal.append([event]) for event in log))
    assert store.events(an_id()) == log
    assert (store.list()[0].calls, store.totals("all")[0].calls) == (7, 7)


async def test_debates_that_begin_in_the_same_instant_are_all_kept(store, other):
    logs = [[replace(e, at=a_log(0)[0].at) for e in a_log(n)[:1]] for n in range(30)]
    await asyncio.gather(
        *((store, other)[n % 2].journal(an_id(n)).append(log) for n, log in enumerate(logs))
    )
    assert sorted(store.ids()) == sorted(an_id(n) for n in range(30))


async def test_what_is_written_row_by_row_is_what_is_written_at_once(store, server, tmp_path):
    with Store(tmp_path / "home" / "dissent.db") as file:
        for place in (store, file):
            place.save(a_log(0))
            for event in a_log(1):
                await place.journal(an_id(1)).append([event])
        assert store.list() == file.list()
        assert spent(store, "model") == spent(file, "model")
        for place in (store, file):
            place.delete(an_id(0))
        assert spent(store, "day") == spent(file, "day")
        for place in (store, file):
            place.delete(an_id(1))
        assert store.totals("all") == file.totals("all") == []


def spent(store, by):
    """What a store says that debates cost, without what floats make of it."""
    return [replace(s, cost_usd=round(s.cost_usd, 9)) for s in store.totals(by)]


async def test_what_a_crash_left_without_an_index_is_found_once_somebody_writes(
    store, other, monkeypatch
):
    monkeypatch.setattr(store._appends._index, "wake", lambda: None)  # it died after the commit
    store.save(with_query(a_log(0), "why is the sky blue"))
    assert store.list(text="sky") == []
    other.save(a_log(1))
    assert [r.transcript_id for r in other.list(text="sky")] == [an_id(0)]
    assert len(other.list(text="canberra")) == 2
    assert other._access.rows("SELECT 1 FROM unindexed") == []


async def test_a_debate_whose_words_cannot_be_indexed_keeps_no_other_from_it(store, server):
    db = server.connect()
    db.script("ALTER TABLE search ADD CHECK (query NOT LIKE '%sky%')")
    db.close()
    store.save(with_query(a_log(0), "why is the sky blue"))
    store.save(with_query(a_log(1), "why is the grass green"))
    assert len(store.list(text="grass")) == 1
    assert len(store.ids()) == 2


async def test_a_name_with_a_character_that_has_no_place_there_is_kept_without_it(store):
    log = a_log()
    odd = [
        replace(e, response=replace(e.response, model_id="a\0b", content="a\0b \\u0000 c"))
        if isinstance(e, Answered)
        else e
        for e in log
    ]
    await store.journal(an_id()).append(odd)
    assert store.events(an_id()) == odd
    assert "a b" in [s.name for s in store.totals("model")]


async def test_a_deadlock_with_somebody_else_costs_nothing(store, server, monkeypatch):
    impatient(monkeypatch, 5.0)
    for n in range(2):
        await store.journal(an_id(n)).append(a_log(n)[:2])
    first, second = sorted(an_id(n) for n in range(2))
    db = server.connect()
    db.begin()
    db.execute("UPDATE debates SET rating = 3 WHERE transcript_id = :name", name=second)
    appends = asyncio.gather(*(store.journal(an_id(n)).append(a_log(n)[2:]) for n in range(2)))
    await asyncio.sleep(0)
    blocked = (
        "SELECT 1 FROM pg_stat_activity "
        "WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    async with not_for_ever():
        while not db.rows(blocked):
            await asyncio.sleep(0.01)
            db.execute("SELECT pg_stat_clear_snapshot()")
        end = "COMMIT"
        try:
            await asyncio.to_thread(
                db.execute, "UPDATE debates SET rating = 3 WHERE transcript_id = :name", name=first
            )
        except DatabaseError:  # on a busy machine it is the other side that is given up
            end = "ROLLBACK"
        db.execute(end)
        await appends
    db.close()
    assert [store.events(an_id(n)) for n in range(2)] == [a_log(0), a_log(1)]


async def test_a_record_of_the_version_before_is_upgraded_with_all_that_it_tells():
    server = PostgresServer(an_empty_database())
    db = server.connect()
    for step in STEPS[:3]:
        db.script(step)
    db.script("CREATE TABLE dissent_version (version bigint NOT NULL)")
    db.script("INSERT INTO dissent_version VALUES (3)")
    db.script("INSERT INTO ledger VALUES ('2026-01-01', 'acme', 'ada-1', 3, 0, 9, 4, 5, 0.5)")
    assert upgrade(db, "it") == (3, LATEST)
    db.close()
    with Store(server) as store:
        await store.journal(an_id()).append(a_log())
        spent = {s.name: (s.calls, s.tokens) for s in store.totals("day")}
        assert spent["2026-01-01"] == (3, 9)
        assert store.totals("all")[0].calls == 10


def test_a_statement_that_failed_again_and_again_while_a_table_was_locked_works_afterwards(
    store, server, monkeypatch
):
    impatient(monkeypatch)
    holder, writer = server.connect(), server.connect()
    mark = "UPDATE debates SET rating = :stars WHERE transcript_id = :name"
    for stars in (1, 2):
        writer.execute(mark, stars=stars, name=an_id(0))
    holder.script("BEGIN; LOCK TABLE debates IN EXCLUSIVE MODE")
    for stars in range(6):  # more often than it takes to have it prepared
        with pytest.raises(Exception, match="lock timeout"):
            writer.execute(mark, stars=stars, name=an_id(0))
    holder.close()
    writer.execute(mark, stars=3, name=an_id(0))
    writer.close()
