"""Debates that go on whoever watches."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from fakes.funds import Book
from fakes.gate import CAST, Gate
from fakes.ledgers import unread
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput, Held, UserError
from mutual_dissent.core.events import Answered, Closed, Reopened, Status, Token
from mutual_dissent.hosting.channel import Channel
from mutual_dissent.hosting.sessions import Busy, Sessions


@pytest.fixture
async def world(tmp_path):
    provider = Gate()
    async with MutualDissent(
        home=unread(tmp_path), env={}, provider=provider, prices=Tariff()
    ) as md:
        yield md, provider


@pytest.fixture
async def sessions(world):
    hosted = Sessions(world[0], running=2, waiting=2)
    yield hosted
    await hosted.aclose()


async def seen(batches):
    return [e for batch in [b async for b in batches] for e in batch.events]


async def test_a_debate_goes_on_when_its_watcher_leaves(world, sessions):
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    async with aclosing(sessions.follow(name)) as batches:
        await anext(batches)
    world[1].open.set()
    done = await sessions.wait(name, 30)
    assert done.status is Status.COMPLETED
    assert world[0].store.transcript(name).synthesis is not None


async def test_who_comes_back_gets_every_event_once_and_the_text_so_far(world, sessions):
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    pieces, first = [], []
    async with aclosing(sessions.follow(name)) as batches:
        async for batch in batches:
            first += batch.events
            pieces += batch.pieces
            if {p.panelist for p in pieces} == set(CAST):
                break
    assert {p.text for p in sessions.partial(name)} == {"ada says"}
    world[1].open.set()
    rest = await seen(sessions.follow(name, after=first[-1].seq))
    assert [e.seq for e in (*first, *rest)] == list(range(1, rest[-1].seq + 1))
    assert isinstance(rest[-1], Closed)


async def test_a_finished_debate_is_read_from_the_record(world, sessions):
    world[1].open.set()
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    await sessions.wait(name, 30)
    assert not sessions.is_live(name)
    assert next(e.seq for e in await seen(sessions.follow(name, after=3))) == 4


async def test_what_has_no_turn_yet_waits_and_is_on_record(world, sessions):
    names = [await sessions.start(f"Question {i}?", panel=CAST) for i in range(4)]
    while sessions.waiting < 2:
        await asyncio.sleep(0)
    assert [sessions.transcript(n).status for n in names[2:]] == [Status.CREATED] * 2
    assert world[0].store.count() == 4
    with pytest.raises(Busy, match="try again"):
        await sessions.start("One more?", panel=CAST)
    world[1].open.set()
    for name in names:
        assert (await sessions.wait(name, 30)).status is Status.COMPLETED


@pytest.mark.parametrize("order", ["stop", "pause"])
async def test_a_debate_that_waits_can_be_held_and_resumed(world, sessions, order):
    names = [await sessions.start(f"Question {i}?", panel=CAST) for i in range(3)]
    while not sessions.waiting:
        await asyncio.sleep(0)
    await sessions.stop(names[2]) if order == "stop" else await sessions.pause(names[2])
    while names[2] in sessions.live:
        await asyncio.sleep(0)
    assert sessions.transcript(names[2]).status is Status.INTERRUPTED
    world[1].open.set()
    await sessions.resume(names[2])
    assert (await sessions.wait(names[2], 30)).status is Status.COMPLETED


async def test_a_stop_ends_the_spending_and_keeps_what_was_said(world, sessions):
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    while len(sessions.partial(name)) < 2:
        await asyncio.sleep(0.01)
    await sessions.stop(name)
    assert (await sessions.wait(name, 30)).status is Status.STOPPED
    asked = len(world[1].asks)
    world[1].open.set()
    await sessions.resume(name)
    assert (await sessions.wait(name, 30)).status is Status.COMPLETED
    assert len(world[1].asks) == asked + 5


async def test_without_a_synthesis_the_rounds_stand_and_it_can_be_written_later(world, sessions):
    world[1].open.set()
    name = await sessions.start("Tabs or spaces?", panel=CAST, synthesize=False)
    bare = await sessions.wait(name, 30)
    assert (bare.status, bare.synthesis) == (Status.COMPLETED, None)
    assert len(world[1].asks) == 4
    await sessions.synthesize(name)
    told = await sessions.wait(name, 30)
    assert told.synthesis.model_alias == "ada"
    await sessions.synthesize(name, synthesizer="eve")
    again = await sessions.wait(name, 30)
    assert again.synthesis.model_alias == "eve"
    assert [r.model_alias for _, r in again.responses() if r.role == "synthesis"] == ["ada", "eve"]
    assert len(world[1].asks) == 6


async def test_what_cannot_be_started_says_why_at_once(world, sessions):
    with pytest.raises(UserError):
        await sessions.start("Tabs?", panel=CAST, mode="no-such-mode")
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    with pytest.raises(Held):
        await sessions.resume(name)
    await sessions.stop(name)
    await sessions.wait(name, 30)
    with pytest.raises(BadInput, match="finish it first"):
        await sessions.go_on(name)
    assert not sessions.live


async def test_further_rounds_are_held_in_the_background(world, sessions):
    world[1].open.set()
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    await sessions.wait(name, 30)
    await sessions.go_on(name, rounds=1, remark="Think of the blind.")
    done = await sessions.wait(name, 30)
    assert len(done.rounds) == 3
    assert done.remarks == ("Think of the blind.",)
    assert any(isinstance(e, Reopened) for e in world[0].store.events(name))


async def test_the_owner_is_charged_for_what_was_bought_and_for_nothing_twice(world):
    book = Book()
    sessions = Sessions(world[0], funds=book.of)
    world[1].open.set()
    name = await sessions.start("Tabs or spaces?", panel=CAST, owner="alice")
    done = await sessions.wait(name, 30)
    assert done.synthesis is not None
    await sessions.synthesize(name, synthesizer="eve", owner="bob")
    await sessions.wait(name, 30)
    assert book.paid == [("alice", 0.01)] * 5 + [("bob", 0.01)]


async def test_a_slow_watcher_gets_everything_in_fewer_pieces():
    channel = Channel()
    batches = channel.follow()
    token = Token(panelist="ada", round_number=0, role="initial", key="k", text="word ")
    channel.put(token)
    first = await anext(batches)
    for _ in range(500):
        channel.put(token)
        await asyncio.sleep(0)
    channel.end()
    rest = [b async for b in batches]
    text = "".join(p.text for b in (first, *rest) for p in b.pieces)
    assert text == "word " * 501
    assert len(rest) <= 3


async def test_a_withdrawn_beginning_is_replaced_for_every_watcher():
    channel = Channel()
    one = {"panelist": "ada", "round_number": 0, "role": "initial", "key": "k"}
    batches = channel.follow()
    channel.put(Token(**one, text="wrong"))
    assert (await anext(batches)).pieces[0].text == "wrong"
    channel.put(Token(**one, text="right", restart=True))
    piece = (await anext(batches)).pieces[0]
    assert (piece.attempt, piece.offset, piece.text) == (2, 0, "right")
    late = await anext(channel.follow())
    assert late.pieces[0].text == "right"


async def test_those_who_keep_up_share_one_batch():
    channel = Channel()
    watchers = [channel.follow() for _ in range(3)]
    tasks = [asyncio.create_task(anext(w)) for w in watchers]
    await asyncio.sleep(0)
    channel.put(Token(panelist="a", round_number=0, role="initial", key="k", text="x"))
    batches = await asyncio.gather(*tasks)
    assert batches[0] is batches[1] is batches[2]
    assert not any(isinstance(e, Answered) for e in batches[0].events)


class Priced(Gate):
    """A gate whose answers cost a dime."""

    async def ask(self, ask, on_text):
        return replace(await super().ask(ask, on_text), cost_usd=0.1)


async def test_what_is_told_again_is_not_taken_for_news_and_not_charged_again(tmp_path):
    """A debate that was gone on with before has such a beginning on record already."""
    provider, book = Priced(), Book()
    async with MutualDissent(
        home=unread(tmp_path), env={}, provider=provider, prices=Tariff()
    ) as md:
        sessions = Sessions(md, funds=book.of)
        provider.open.set()
        name = await sessions.start("Tabs or spaces?", panel=CAST, synthesize=False)
        await sessions.wait(name, 60)
        await sessions.go_on(name)
        await sessions.wait(name, 60)
        assert len(book.paid) == 3 * len(CAST)
        provider.open.clear()
        await sessions.go_on(name)
        now = sessions.transcript(name)
        assert now.status in (Status.ACTIVE, Status.CREATED)
        assert len(now.rounds) == 3
        provider.open.set()
        await sessions.wait(name, 60)
        assert len(book.paid) == 4 * len(CAST)


@pytest.mark.parametrize("order", ["stop", "pause"])
async def test_what_was_told_before_a_stop_or_pause_is_heard_after_the_resume(
    world, sessions, order
):
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    while len(sessions.partial(name)) < 2:
        await asyncio.sleep(0.01)
    sessions.tell(name, "Mind the blind.")
    await sessions.pause(name) if order == "pause" else await sessions.stop(name)
    while world[0].store.debates_with_directives():
        await asyncio.sleep(0.01)
    world[1].open.set()
    await sessions.wait(name, 30)
    await sessions.resume(name)
    done = await sessions.wait(name, 30)
    assert (done.status, done.remarks) == (Status.COMPLETED, ("Mind the blind.",))
    assert any("Mind the blind." in p for p in world[1].heard_by("ada"))


async def test_what_was_told_at_the_last_moment_is_heard_when_the_debate_goes_on(world, sessions):
    world[1].open.set()
    name = await sessions.start("Tabs or spaces?", panel=CAST)
    await sessions.wait(name, 30)
    db = world[0].store._access.writable()
    db.execute(  # accepted a moment before it ended, and never looked at
        "INSERT INTO directives (transcript_id, action, text) VALUES (:name, 'remark', :text)",
        name=name,
        text="One more.",
    )
    await sessions.go_on(name)
    assert (await sessions.wait(name, 30)).remarks == ("One more.",)
