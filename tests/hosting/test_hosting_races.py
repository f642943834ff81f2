"""What comes at the wrong moment: orders, refusals and bugs while a debate is about to begin."""

from __future__ import annotations

import asyncio

import pytest

from fakes.gate import CAST, Gate
from fakes.ledgers import unread
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import Held, NotSaved, StoreError
from mutual_dissent.core.events import Reopened, Status
from mutual_dissent.core.values.directive import Action
from mutual_dissent.hosting.sessions import Sessions


@pytest.fixture
async def world(tmp_path):
    provider = Gate()
    provider.open.set()
    async with MutualDissent(
        home=unread(tmp_path), env={}, provider=provider, prices=Tariff()
    ) as md:
        yield md, provider


@pytest.fixture
async def sessions(world):
    hosted = Sessions(world[0], running=1, waiting=4)
    yield hosted
    await hosted.aclose()


async def full_house(md):
    """Take all the room there is for debates."""
    taken = 0
    while not md.room.locked():
        await md.room.acquire()
        taken += 1
    return taken


@pytest.mark.parametrize("order", ["stop", "pause"])
async def test_an_order_is_obeyed_while_a_debate_waits_for_room(world, sessions, order):
    md, provider = world
    await full_house(md)
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    while sessions.waiting:
        await asyncio.sleep(0)
    await sessions.stop(name) if order == "stop" else await sessions.pause(name)
    done = await sessions.wait(name, 60)
    assert done.status is Status.INTERRUPTED
    assert not provider.asks
    assert not sessions.live


async def test_an_order_from_elsewhere_holds_for_a_debate_that_waits_to_go_on(world, sessions):
    md, provider = world
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    await sessions.wait(name, 60)
    provider.open.clear()
    other = await sessions.start("Vim or Emacs?", panel=CAST)
    await sessions.go_on(name)
    while not sessions.waiting:
        await asyncio.sleep(0)
    md.direct(name, Action.STOP)
    await sessions.stop(other)
    assert (await sessions.wait(name, 60)).status is Status.STOPPED
    assert len(provider.asks) == 5


async def test_what_cannot_go_on_says_why(world, sessions, monkeypatch):
    md, _ = world
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    await sessions.wait(name, 60)
    made = md.journal

    def full_disk(*which):
        journal = made(*which)

        async def append(events):
            if any(isinstance(e, Reopened) for e in events):
                raise NotSaved("the disk is full")
            await type(journal).append(journal, events)

        monkeypatch.setattr(journal, "append", append)
        return journal

    monkeypatch.setattr(md, "journal", full_disk)
    with pytest.raises(StoreError, match="disk is full; nobody was asked"):
        await sessions.go_on(name)
    assert not sessions.live


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_bug_ends_the_waiting_and_is_written_down(world, sessions, caplog, when):
    md, _ = world

    async def broken(brief):
        if when == "after":
            async for event in MutualDissent.run(md, brief):
                yield event
                break
        raise RuntimeError("a bug")
        yield

    md.run = broken
    if when == "before":
        with pytest.raises(RuntimeError):
            await sessions.start("Tabs?", panel=CAST)
    else:
        name = await sessions.start("Tabs?", panel=CAST)
        assert (await sessions.wait(name, 60)).status is Status.INTERRUPTED
    assert not sessions.live
    assert "broke off" in caplog.text


async def test_an_order_before_the_first_step_leaves_nobody_waiting(sessions):
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    await sessions.wait(name, 60)
    going_on = asyncio.ensure_future(sessions.go_on(name))
    while not sessions._live:
        await asyncio.sleep(0)
    await sessions.stop(name)
    assert await asyncio.wait_for(going_on, 60) == name
    assert not sessions._live


async def test_who_leaves_before_the_debate_has_an_id_pays_for_nothing(world, sessions):
    md, provider = world
    provider.open.clear()
    brief = await md.brief("Tabs or spaces?", panel=CAST)
    beginning = asyncio.ensure_future(sessions.begin(brief))
    while not sessions._live:
        await asyncio.sleep(0)
    beginning.cancel()
    await asyncio.wait([beginning])
    provider.open.set()
    while sessions._live:
        await asyncio.sleep(0)
    assert not provider.asks


async def test_one_brief_is_not_begun_twice(world, sessions):
    md, provider = world
    provider.open.clear()
    brief = await md.brief("Tabs or spaces?", panel=CAST)
    name = await sessions.begin(brief)
    with pytest.raises(Held):
        await sessions.begin(brief)
    assert sessions.live == (name,)
    provider.open.set()
    assert (await sessions.wait(name, 60)).status is Status.COMPLETED
