"""What cannot be written for a moment is kept, shown, and written as soon as that can be."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from fakes.databases import BOTH, a_place
from fakes.logs import a_log as a_short_log
from fakes.logs import an_id
from fakes.outages import FULL, KINDS, LOCKED, impatient, outage
from fakes.patience import not_for_ever
from mutual_dissent.core.errors import Held, NotRunning, NotSaved, NotWritable
from mutual_dissent.core.events import Answered, Event, Status
from mutual_dissent.core.transcript import fold
from mutual_dissent.core.values.directive import Action, Directive
from mutual_dissent.store.database import DatabaseError
from mutual_dissent.store.store import Store

WAYS = [
    ("sqlite", FULL),
    ("sqlite", LOCKED),
    pytest.param("postgres", LOCKED, marks=pytest.mark.postgres),
]


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    impatient(monkeypatch)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "home" / "dissent.db") as store:
        yield store


def a_log(n: int = 0) -> list[Event]:
    """A debate of long answers, for which a full disk has no room."""
    return [
        replace(e, response=replace(e.response, content=e.response.content + " word" * 9_999))
        if isinstance(e, Answered)
        else e
        for e in a_short_log(n)
    ]


async def settled(store):
    async with not_for_ever():
        while store.in_debt:
            await asyncio.sleep(0.01)


async def refused(journal, *events):
    with pytest.raises(NotSaved):
        await journal.append(events)


@pytest.mark.parametrize(("where", "kind"), WAYS)
async def test_what_could_not_be_written_is_written_once_it_can_be(tmp_path, where, kind):
    log, place = a_log(), a_place(where, tmp_path)
    with Store(place) as store:
        journal = store.journal(an_id())
        await journal.append(log[:3])
        with outage(store, kind):
            await refused(journal, *log[3:5])
            await refused(journal, *log[5:-1])
            assert store.events(an_id()) == log[:-1]
            assert store.last_seq(an_id()) == len(log) - 1
            assert store.owes(an_id())
        await journal.append(log[-1:])
        assert not store.owes(an_id())
        row = store.list()[0]
        assert (row.status, row.calls, row.tokens) == (Status.COMPLETED, 7, 700)
        assert store.totals("all")[0].calls == 7
    with Store(place) as store:
        assert store.events(an_id()) == log


@pytest.mark.parametrize("kind", KINDS)
async def test_it_is_tried_again_also_if_nothing_more_happens(store, kind):
    log = a_log()
    journal = store.journal(an_id())
    await journal.append(log[:3])
    with outage(store, kind):
        await refused(journal, *log[3:])
        assert store.transcript(an_id()).status is Status.COMPLETED
    await settled(store)
    with Store(store.path) as other:
        assert other.events(an_id()) == log


async def test_many_debates_lose_nothing_in_one_outage(store):
    logs = [a_log(n) for n in range(20)]
    journals = [store.journal(an_id(n)) for n in range(20)]
    for journal, log in zip(journals, logs, strict=True):
        await journal.append(log[:2])
    with outage(store, LOCKED):
        for journal, log in zip(journals, logs, strict=True):
            await refused(journal, *log[2:9])
    await asyncio.gather(*(j.append(log[9:]) for j, log in zip(journals, logs, strict=True)))
    assert [fold(store.events(an_id(n))) for n in range(20)] == [fold(log) for log in logs]


async def test_nothing_is_begun_that_cannot_be_put_on_record(store):
    first, second = a_log(0), a_log(1)
    await store.journal(an_id(0)).append(first[:3])
    with outage(store, FULL):
        await refused(store.journal(an_id(0)), *first[3:5])
        await refused(store.journal(an_id(1)), *second[:1])
        with pytest.raises(NotWritable, match="disk is full"):
            store.check_writable()
    await store.journal(an_id(0)).append(first[5:])
    assert store.ids() == [an_id(0)]


async def test_nobody_else_goes_on_with_a_debate_whose_answers_are_in_memory(store):
    log, journal = a_log(), store.journal(an_id())
    with Store(store.path) as other:
        await journal.append(log[:3])
        with outage(store, LOCKED):
            with store.hold(an_id()):
                await refused(journal, *log[3:])
            with pytest.raises(Held), other.hold(an_id()):
                pass
            with store.hold(an_id()):
                pass  # who has them goes on
            with pytest.raises(Held), other.hold(an_id()):
                pass
        await settled(store)
        with other.hold(an_id()):
            assert other.events(an_id()) == log


async def test_orders_for_a_debate_that_has_ended_are_refused_while_it_is_not_saved(store):
    log = a_log()
    journal = store.journal(an_id())
    await journal.append(log[:3])
    with outage(store, LOCKED):
        with store.hold(an_id()):
            await refused(journal, *log[3:])
        with pytest.raises(NotRunning):
            store.direct(an_id(), Directive(action=Action.PAUSE, text=""))


@pytest.mark.parametrize("where", BOTH)
async def test_an_append_that_was_done_before_its_confirmation_got_lost_is_not_done_twice(
    tmp_path, where, monkeypatch
):
    log = a_log()
    with Store(a_place(where, tmp_path)) as store:
        journal = store.journal(an_id())
        await journal.append(log[:3])
        transaction, lost = store._writer._transaction, [True]
        store._writer._patience = 0.0

        def unconfirmed(db, batch):
            outcome = transaction(db, batch)
            if lost.pop() if lost else False:
                raise DatabaseError("the line was cut")
            return outcome

        monkeypatch.setattr(store._writer, "_transaction", unconfirmed)
        await refused(journal, *log[3:9])
        await journal.append(log[9:])
        assert store.events(an_id()) == log
        assert store.list()[0].calls == 7


async def test_a_batch_is_tried_again_whole_while_a_server_is_away(tmp_path, monkeypatch):
    log = a_log()
    with Store(tmp_path / "home" / "dissent.db") as store:
        store._writer._patience = 30.0
        transaction, cuts = store._writer._transaction, [None, None, None]

        def cut(db, batch):
            if cuts:
                cuts.pop()
                db.execute("BEGIN IMMEDIATE")
                db.execute("ROLLBACK")
                raise DatabaseError("the server closed the connection")
            return transaction(db, batch)

        monkeypatch.setattr(store._writer, "_transaction", cut)
        await store.journal(an_id()).append(log)
        assert not cuts
        assert store.events(an_id()) == log


async def test_a_deleted_debate_does_not_come_back(store):
    log = a_log()
    journal = store.journal(an_id())
    await journal.append(log[:3])
    with outage(store, FULL):
        await refused(journal, *log[3:])
        store.delete(an_id())
    assert not store.in_debt
    await store.journal(an_id(1)).append(a_log(1))
    assert store.ids() == [an_id(1)]


async def test_a_store_that_is_closed_in_an_outage_ends_soon_and_lets_go(tmp_path):
    log, path = a_log(), tmp_path / "home" / "dissent.db"
    store = Store(path)
    journal = store.journal(an_id())
    with store.hold(an_id()):
        await journal.append(log[:3])
        with outage(store, LOCKED):
            await refused(journal, *log[3:])
            store.close()
    with Store(path) as other, other.hold(an_id()):
        assert other.events(an_id())[:3] == log[:3]
